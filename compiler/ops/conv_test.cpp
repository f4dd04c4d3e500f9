#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {

struct Case {
  std::int64_t n, c, m, group;
  Shape in, kernel;
  Ints strides, dilations, pads;
};

/// The definition, one loop per axis.
std::vector<double> convolution(const Case& t, const Tensor& X, const Tensor& W, const Tensor& B, Shape& out) {
  const auto rank = t.in.size();
  const auto x = X.to_doubles(), w = W.to_doubles(), b = B.to_doubles();
  Shape spatial;
  for (std::size_t d = 0; d < rank; ++d)
    spatial.push_back((t.in[d] + t.pads[d] + t.pads[rank + d] - (t.kernel[d] - 1) * t.dilations[d] - 1) / t.strides[d] +
                      1);
  out = {t.n, t.m};
  out.insert(out.end(), spatial.begin(), spatial.end());
  std::vector<double> y;
  each(out, [&](const Ints& o) {
    const auto g = o[1] / (t.m / t.group);
    double sum = b[static_cast<std::size_t>(o[1])];
    for (std::int64_t c = 0; c < t.c / t.group; ++c)
      each(t.kernel, [&](const Ints& k) {
        Ints xi{o[0], g * (t.c / t.group) + c}, wi{o[1], c};
        for (std::size_t d = 0; d < rank; ++d) {
          xi.push_back(o[2 + d] * t.strides[d] + k[d] * t.dilations[d] - t.pads[d]);
          wi.push_back(k[d]);
        }
        sum += at(x, X.shape(), xi) * at(w, W.shape(), wi);
      });
    y.push_back(sum);
  });
  return y;
}

Shape with(Shape head, const Shape& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

}  // namespace

TEST_CASE("conv: does it equal seven loops on awkward shapes?") {
  const std::vector<Case> cases{
      {1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},                    // one
      {2, 3, 5, 1, {7, 5}, {3, 2}, {1, 1}, {1, 1}, {1, 0, 1, 1}},                    // primes, uneven padding
      {1, 2, 3, 1, {11, 13}, {2, 3}, {3, 5}, {1, 1}, {0, 0, 0, 0}},                  // stride over kernel
      {1, 2, 2, 1, {1, 1}, {3, 3}, {2, 2}, {1, 1}, {3, 3, 3, 3}},                    // windows wholly in the padding
      {1, 4, 6, 2, {6, 6}, {3, 3}, {2, 1}, {1, 2}, {1, 2, 1, 2}},                    // two groups, dilation
      {2, 5, 5, 5, {7, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},                    // depthwise
      {1, 3, 6, 3, {5, 4}, {2, 2}, {1, 1}, {2, 1}, {0, 0, 0, 0}},                    // depthwise with multiplier
      {2, 3, 4, 1, {9}, {3}, {2}, {3}, {2, 1}},                                      // one dimension
      {1, 2, 3, 1, {4, 5, 3}, {2, 3, 2}, {1, 2, 1}, {1, 1, 2}, {1, 0, 1, 0, 1, 1}},  // three
  };
  for (const auto& t : cases) {
    CAPTURE(fmt::format("in {} kernel {} groups {}", fmt::join(t.in, "x"), fmt::join(t.kernel, "x"), t.group));
    const auto X = sample(with({t.n, t.c}, t.in), 1), W = sample(with({t.m, t.c / t.group}, t.kernel), 2),
               B = sample({t.m}, 3);
    Shape out;
    const auto expected = convolution(t, X, W, B, out);
    const auto got =
        run("Conv", 11, {{"strides", t.strides}, {"dilations", t.dilations}, {"pads", t.pads}, {"group", t.group}},
            {X, W, B});
    check_equal(got, out, expected);
  }
}

TEST_CASE("conv: does every automatic padding become explicit pads?") {
  const auto X = sample({1, 1, 5, 5}), W = sample({1, 1, 2, 2});
  const auto pads = [&](const char* mode, const Ints& strides) {
    return std::get<Ints>(
        import("Conv", 11, {{"auto_pad", std::string(mode)}, {"strides", strides}}, {X, W}).node.attributes.at("pads"));
  };
  CHECK(pads("SAME_UPPER", {1, 1}) == Ints{0, 0, 1, 1});  // 5 + 2 - 1 - 5 = 1 row, at the end
  CHECK(pads("SAME_LOWER", {1, 1}) == Ints{1, 1, 0, 0});
  CHECK(pads("SAME_UPPER", {2, 3}) == Ints{0, 0, 1, 0});  // 3 rows of windows reach (3-1)*2+2 = 6; 2 columns reach 5
  CHECK(pads("VALID", {1, 1}) == Ints{0, 0, 0, 0});
  CHECK(pads("NOTSET", {1, 1}) == Ints{0, 0, 0, 0});
}

TEST_CASE("conv: which input rows does output row 3 need, and is it a contraction?") {
  const auto n = import("Conv", 11, {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}},
                        {sample({1, 2, 9, 9}), sample({4, 2, 3, 3})});
  const auto k = kernel(n);
  const auto box = ir::needed(k, "X", {{0, 1}, {0, 4}, {3, 4}, {0, 5}});
  CHECK(box[2] == ir::Range{5, 8});  // from 3 * 2 - 1 = 5, three rows of kernel
  CHECK(ir::is_contraction(k));
  const auto grouped =
      import("Conv", 11, {{"group", std::int64_t{2}}}, {sample({1, 4, 9, 9}), sample({4, 2, 3, 3}), sample({4})});
  CHECK(ir::is_contraction(kernel(grouped)));
}

TEST_CASE("conv: are 8-bit operands summed in i32, and f16 ones in f32?") {
  const auto X = sample({1, 3, 4, 4}, 1, ElementType::u8), W = sample({2, 3, 2, 2}, 2, ElementType::i8);
  const Case t{1, 3, 2, 1, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
  Shape out;
  const auto expected = convolution(t, X, W, real({2}, {0, 0}), out);
  const auto got = run("Conv", 11, {}, {X, W});
  CHECK(got.element_type() == ElementType::i32);
  check_equal(got, out, expected);
  // 2048 + 1 - 2048 is 1 in f32; in f16 the 1 is lost on the way.
  const auto x = Tensor::of({ElementType::f16, {1, 3, 1}}, {2048, 1, -2048}),
             w = Tensor::of({ElementType::f16, {1, 3, 1}}, {1, 1, 1});
  check_equal(run("Conv", 11, {}, {x, w}), {1, 1, 1}, {1});
}

TEST_CASE("conv: what is said of operands that do not fit?") {
  CHECK(refusal("Conv", 11, {}, {sample({1, 3, 7, 7}), sample({64, 3, 7})}) ==
        "node 'n' (conv), input 'W' f32[64,3,7]: expected rank 4, as X has, got rank 3");
  CHECK(refusal("Conv", 11, {}, {sample({1, 3, 7, 7}), sample({8, 4, 3, 3})}) ==
        "node 'n' (conv), input 'X' f32[1,3,7,7]: expected 4 channels, as W has in 1 group, got 3");
  CHECK(
      refusal("Conv", 11, {}, {sample({1, 3, 2, 7}), sample({8, 3, 3, 3})}) ==
      "node 'n' (conv), input 'X' f32[1,3,2,7]: expected extent 3 or more with padding on spatial dimension 0, got 2");
  CHECK(refusal("Conv", 11, {{"strides", Ints{0, 1}}}, {sample({1, 3, 7, 7}), sample({8, 3, 3, 3})}) ==
        "node 'n' (conv), attribute 'strides': expected each at least 1, got [0,1]");
  CHECK(refusal("Conv", 11, {{"stride", Ints{1, 1}}}, {sample({1, 3, 7, 7}), sample({8, 3, 3, 3})}) ==
        "node 'n' (conv): unknown attribute 'stride'; nearest: 'strides'");
  CHECK(refusal("Conv", 11, {{"auto_pad", std::string("SAME")}}, {sample({1, 3, 7, 7}), sample({8, 3, 3, 3})}) ==
        "node 'n' (conv), attribute 'auto_pad': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got 'SAME'");
}

TEST_CASE("conv_transpose: does it equal the scatter that defines it?") {
  struct T {
    Shape in, kernel;
    Ints strides, dilations, pads, extra;
    std::int64_t group;
  };
  const std::vector<T> cases{
      {{3, 3}, {3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}, 1},
      {{3, 4}, {3, 2}, {2, 3}, {1, 1}, {1, 0, 0, 1}, {1, 0}, 1},
      {{1, 1}, {2, 2}, {5, 5}, {1, 1}, {0, 0, 0, 0}, {0, 0}, 2},
      {{4, 3}, {2, 3}, {2, 2}, {2, 1}, {0, 1, 1, 0}, {1, 1}, 2},
      {{5}, {3}, {3}, {1}, {1, 1}, {2}, 1},
      {{2, 2, 2}, {2, 1, 2}, {2, 1, 3}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0}, 4},
  };
  for (const auto& t : cases) {
    const auto rank = t.in.size();
    const std::int64_t channels = 4, filters = 3;  // filters per group
    const auto X = sample(with({2, channels}, t.in)), W = sample(with({channels, filters}, t.kernel), 2),
               B = sample({filters * t.group}, 3);
    const auto x = X.to_doubles(), w = W.to_doubles(), b = B.to_doubles();
    Shape out{2, filters * t.group};
    for (std::size_t d = 0; d < rank; ++d)
      out.push_back((t.in[d] - 1) * t.strides[d] + t.extra[d] + (t.kernel[d] - 1) * t.dilations[d] + 1 - t.pads[d] -
                    t.pads[rank + d]);
    std::vector<double> y;
    each(out, [&](const Ints& o) { y.push_back(b[static_cast<std::size_t>(o[1])]); });
    each(X.shape(), [&](const Ints& i) {
      each(with({filters}, t.kernel), [&](const Ints& fk) {
        Ints o{i[0], i[1] / (channels / t.group) * filters + fk[0]}, wi{i[1], fk[0]};
        std::int64_t flat = o[0] * out[1] + o[1];
        for (std::size_t d = 0; d < rank; ++d) {
          wi.push_back(fk[1 + d]);
          const auto to = i[2 + d] * t.strides[d] + fk[1 + d] * t.dilations[d] - t.pads[d];
          if (to < 0 || to >= out[2 + d]) return;
          flat = flat * out[2 + d] + to;
        }
        y[static_cast<std::size_t>(flat)] += at(x, X.shape(), i) * at(w, W.shape(), wi);
      });
    });
    const auto got = run("ConvTranspose", 11,
                         {{"strides", t.strides},
                          {"dilations", t.dilations},
                          {"pads", t.pads},
                          {"output_padding", t.extra},
                          {"group", t.group}},
                         {X, W, B});
    check_equal(got, out, y);
  }
}

TEST_CASE("conv_transpose: is its arithmetic a contraction whatever the stride?") {
  const auto n = import("ConvTranspose", 11, {{"strides", Ints{2, 2}}}, {sample({1, 2, 3, 3}), sample({2, 3, 3, 3})});
  const auto sequence = ops::kernels_of(n.graph, n.node);
  REQUIRE(sequence.calls.size() == 2);
  CHECK(ir::is_contraction(std::get<ir::Kernel>(sequence.calls[1].kernel)));
}
