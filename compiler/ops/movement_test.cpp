#include <algorithm>
#include <limits>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
constexpr auto most = std::numeric_limits<std::int64_t>::max();
Shape shape_after(const std::string& onnx, int opset, const ir::Attributes& attributes,
                  const std::vector<Tensor>& inputs) {
  const auto got = run(onnx, opset, attributes, inputs);
  CHECK(got.to_doubles() == inputs[0].to_doubles());
  return got.shape();
}
}  // namespace

TEST_CASE("reshape: do 0, -1, flatten, squeeze and unsqueeze come to one form in every opset?") {
  const auto X = sample({2, 3, 4});
  CHECK(shape_after("Reshape", 13, {}, {X, ints({2}, {4, 6})}) == Shape{4, 6});
  CHECK(shape_after("Reshape", 13, {}, {X, ints({3}, {0, -1, 2})}) == Shape{2, 6, 2});
  CHECK(shape_after("Reshape", 1, {{"shape", Ints{-1}}}, {X}) == Shape{24});
  CHECK(shape_after("Reshape", 14, {{"allowzero", std::int64_t{1}}}, {sample({0, 3}), ints({2}, {3, 0})}) ==
        Shape{3, 0});
  CHECK(shape_after("Reshape", 13, {}, {sample({1}), ints({0}, {})}) == Shape{});
  CHECK(shape_after("Flatten", 13, {}, {X}) == Shape{2, 12});
  CHECK(shape_after("Flatten", 13, {{"axis", std::int64_t{0}}}, {X}) == Shape{1, 24});
  CHECK(shape_after("Flatten", 13, {{"axis", std::int64_t{-1}}}, {X}) == Shape{6, 4});
  CHECK(shape_after("Flatten", 13, {{"axis", std::int64_t{3}}}, {X}) == Shape{24, 1});
  CHECK(shape_after("Squeeze", 11, {{"axes", Ints{0, -1}}}, {sample({1, 3, 1})}) == Shape{3});
  CHECK(shape_after("Squeeze", 13, {}, {sample({1, 3, 1}), ints({1}, {0})}) == Shape{3, 1});
  CHECK(shape_after("Squeeze", 13, {}, {sample({1, 3, 1})}) == Shape{3});
  CHECK(shape_after("Unsqueeze", 11, {{"axes", Ints{3, 0}}}, {sample({2, 3})}) == Shape{1, 2, 3, 1});
  CHECK(shape_after("Unsqueeze", 13, {}, {sample({2, 3}), ints({2}, {-1, 1})}) == Shape{2, 1, 3, 1});
  CHECK(import("Flatten", 13, {}, {X}).node.op == "reshape");
  CHECK(refusal("Reshape", 13, {}, {X, ints({2}, {5, -1})}) ==
        "node 'n' (reshape): expected a shape of 24 elements, got [5,-1]");
  CHECK(refusal("Reshape", 13, {}, {X, ints({2}, {5, 5})}) ==
        "node 'n' (reshape), attribute 'shape': expected 24 elements, as [2,3,4] has, got [5,5]");
  CHECK(refusal("Squeeze", 13, {}, {X, ints({1}, {1})}) ==
        "node 'n' (reshape), input 'X' f32[2,3,4]: expected extent 1 on dimension 1, which is squeezed, got 3");
}

TEST_CASE("reshape: does an operand that is computed stay the only input?") {
  ir::Graph g;
  ir::Node n{.op = "",
             .attributes = {},
             .inputs = {g.add_input("x", {f32, {2, 3}}), g.add_input("s", {i64, {1}})},
             .outputs = {g.add_value("y", {})},
             .source = "r",
             .body = {}};
  CHECK(ops::to_string(*ops::normalise(g, n, "", "Reshape", 13)) ==
        "node 'r' (reshape), input '#1' i64[1]: expected a value known at compile time, got one that is computed");
}

TEST_CASE("rearrange: is it a reshape, a transposition and a reshape, and what is refused?") {
  const auto graph = [](const std::string& attributes, const std::string& type) {
    return ir::parse_graph("graph g (%x : f32[2,6]) {\n  %y = rearrange %x {" + attributes + "} : " + type +
                           " from \"r\"\n  return %y\n}");
  };
  const auto good = graph("perm = [1, 2, 0], shape = [3, 4], split = [2, 3, 2]", "f32[3,4]");
  CHECK(ops::check(good).empty());
  const auto X = sample({2, 6});
  const auto values = X.to_doubles();
  Reals expected;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t a = 0; a < 2; ++a) expected.push_back(values[a * 6 + b * 2 + c]);
  CHECK(ir::interpret(good, {X}, ops::kernels_of).outputs.at(0).to_doubles() == expected);
  const auto refused = [&](const std::string& attributes) {
    const auto findings = ops::check(graph(attributes, "f32[3,4]"));
    return findings.empty() ? std::string() : ops::to_string(findings.front());
  };
  CHECK(refused("perm = [1, 1, 0], shape = [3, 4], split = [2, 3, 2]") ==
        "node 'r' (rearrange), attribute 'perm': expected a permutation of [0,1,2], got [1,1,0]");
  CHECK(refused("perm = [1, 2, 0], shape = [3, 4], split = [2, 3, 3]") ==
        "node 'r' (rearrange), attribute 'split': expected 12 elements, as [2,6] has, got [2,3,3]");
  CHECK(refused("perm = [1, 2, 0], shape = [3, 5], split = [2, 3, 2]") ==
        "node 'r' (rearrange), attribute 'shape': expected 12 elements, as [2,6] has, got [3,5]");
}

TEST_CASE("rearrange: does it hold as its three steps do, vectors and extents of 0 and 1 among the shapes?") {
  struct Case {
    Shape x, split, perm, y;
  };
  for (const auto& t : std::vector<Case>{{{6}, {2, 3}, {1, 0}, {6}},
                                         {{6}, {6}, {0}, {2, 3}},
                                         {{1, 1}, {1}, {0}, {}},
                                         {{}, {1, 1}, {1, 0}, {1}},
                                         {{1, 6}, {1, 2, 1, 3}, {3, 0, 2, 1}, {3, 1, 2}},
                                         {{0}, {0}, {0}, {0, 5}},
                                         {{0, 3}, {3, 0}, {1, 0}, {3, 0}},
                                         {{2, 0, 3}, {2, 3, 0}, {1, 2, 0}, {0}}}) {
    CAPTURE(fmt::format("{} to {}", fmt::join(t.x, ","), fmt::join(t.y, ",")));
    const auto graph = ir::parse_graph(fmt::format(
        "graph g (%x : f32[{}]) {{\n  %y = rearrange %x {{perm = [{}], shape = [{}], split = [{}]}} : f32[{}] "
        "from \"r\"\n  return %y\n}}",
        fmt::join(t.x, ","), fmt::join(t.perm, ", "), fmt::join(t.y, ", "), fmt::join(t.split, ", "),
        fmt::join(t.y, ",")));
    REQUIRE(ops::check(graph).empty());
    const auto X = sample(t.x);
    const auto under = [](const Tensor& of, const Shape& shape) {
      const Shape rank{static_cast<std::int64_t>(shape.size())};
      return run("Reshape", 14, {{"allowzero", std::int64_t{1}}}, {of, ints(rank, shape)});
    };
    const auto turned = run("Transpose", 13, {{"perm", t.perm}}, {under(X, t.split)});
    CHECK(ir::interpret(graph, {X}, ops::kernels_of).outputs.at(0) == under(turned, t.y));
  }
}

TEST_CASE("transpose: is every permutation of an odd shape right?") {
  const auto X = sample({2, 3, 5});
  Ints perm{0, 1, 2};
  do {
    Shape out;
    for (const auto d : perm) out.push_back(X.shape()[static_cast<std::size_t>(d)]);
    Reals y;
    each(out, [&](const Ints& o) {
      Ints i(3);
      for (std::size_t d = 0; d < 3; ++d) i[static_cast<std::size_t>(perm[d])] = o[d];
      y.push_back(at(X.to_doubles(), X.shape(), i));
    });
    check_equal(run("Transpose", 13, {{"perm", perm}}, {X}), out, y);
  } while (std::next_permutation(perm.begin(), perm.end()));
  CHECK(run("Transpose", 13, {}, {X}).shape() == Shape{5, 3, 2});
  CHECK(ir::is_data_movement(kernel(import("Transpose", 13, {}, {X}))));
  CHECK(refusal("Transpose", 13, {{"perm", Ints{0, 0, 1}}}, {X}) ==
        "node 'n' (transpose), attribute 'perm': expected each axis once, got 0 twice");
}

TEST_CASE("slice: do negative bounds, steps, ends beyond the extent and empty results come out right?") {
  const auto X = sample({7, 5});
  const auto x = X.to_doubles();
  struct Case {
    std::int64_t start, end, step;
    Ints rows;
  };
  for (const auto& t : std::vector<Case>{{0, 7, 1, {0, 1, 2, 3, 4, 5, 6}},
                                         {-3, most, 1, {4, 5, 6}},
                                         {1, -1, 2, {1, 3, 5}},
                                         {-1, -most, -3, {6, 3, 0}},
                                         {6, 0, -2, {6, 4, 2}},
                                         {3, 3, 1, {}},
                                         {5, 2, 1, {}},
                                         {9, 12, 1, {}},
                                         {100, -100, -5, {6, 1}},
                                         {2, 3, most, {2}}}) {
    CAPTURE(fmt::format("{}:{}:{}", t.start, t.end, t.step));
    Reals y;
    for (const auto r : t.rows)
      for (std::int64_t c = 0; c < 5; ++c) y.push_back(at(x, {7, 5}, {r, c}));
    check_equal(
        run("Slice", 13, {}, {X, ints({1}, {t.start}), ints({1}, {t.end}), ints({1}, {-2}), ints({1}, {t.step})}),
        {static_cast<std::int64_t>(t.rows.size()), 5}, y);
  }
  CHECK(run("Slice", 9, {{"starts", Ints{1, 0}}, {"ends", Ints{3, 2}}}, {X}).shape() == Shape{2, 2});
  CHECK(refusal("Slice", 13, {}, {X, ints({1}, {0}), ints({1}, {2}), ints({1}, {2})}) ==
        "node 'n' (slice), attribute 'axes': expected an axis in [-2, 1], got 2");
}

TEST_CASE("pad: does each mode fill what lies around, and do negative pads crop?") {
  const auto X = real({3}, {1, 2, 3});
  const auto pad = [&](const char* mode, const Ints& pads) {
    return run("Pad", 13, {{"mode", std::string(mode)}}, {X, ints({2}, pads), real({}, {9})});
  };
  check_equal(pad("constant", {2, 1}), {6}, {9, 9, 1, 2, 3, 9});
  check_equal(pad("reflect", {2, 1}), {6}, {3, 2, 1, 2, 3, 2});
  check_equal(pad("edge", {2, 1}), {6}, {1, 1, 1, 2, 3, 3});
  check_equal(run("Pad", 19, {{"mode", std::string("wrap")}}, {X, ints({2}, {2, 1})}), {6}, {2, 3, 1, 2, 3, 1});
  check_equal(pad("constant", {-1, 1}), {3}, {2, 3, 9});
  check_equal(run("Pad", 2, {{"pads", Ints{0, 1}}, {"value", 4.0}}, {X}), {4}, {1, 2, 3, 4});
  const auto axes = run("Pad", 18, {}, {real({1, 2}, {1, 2}), ints({2}, {1, 0}), Tensor{}, ints({1}, {-1})});
  check_equal(axes, {1, 3}, {0, 1, 2});
}

TEST_CASE("concat and split: are they each other's inverse on every axis, and may a part be empty?") {
  const auto X = sample({4, 5, 3});
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const auto extent = X.shape()[static_cast<std::size_t>(axis)];
    const auto parts = run_all("Split", 13, {{"axis", axis - 3}}, {X, ints({3}, {1, extent - 1, 0})}, 3);
    CHECK(parts[1].shape()[static_cast<std::size_t>(axis)] == extent - 1);
    CHECK(run("Concat", 13, {{"axis", axis}}, parts) == X);
    CHECK(run("Concat", 13, {{"axis", axis}}, {X}) == X);
  }
  const auto uneven = run_all("Split", 18, {{"num_outputs", std::int64_t{2}}, {"axis", std::int64_t{1}}}, {X}, 2);
  CHECK(uneven[0].shape() == Shape{4, 3, 3});
  CHECK(uneven[1].shape() == Shape{4, 2, 3});
  CHECK(refusal("Split", 13, {{"axis", std::int64_t{1}}}, {X}, 2) ==
        "node 'n' (split), input 'X' f32[4,5,3]: expected an extent that 2 outputs share equally, got 5");
  CHECK(refusal("Concat", 13, {{"axis", std::int64_t{0}}}, {X, sample({4, 4, 3})}) ==
        "node 'n' (concat), input 'inputs[1]' f32[4,4,3]: expected extent 5 on dimension 1, as the first has, got 4");
}

TEST_CASE("concat: which part of each input do the last rows need?") {
  const auto k = kernel(import("Concat", 13, {{"axis", std::int64_t{0}}}, {sample({4, 2}), sample({3, 2})}));
  CHECK(ir::is_empty(ir::needed(k, 0, {{4, 7}, {0, 2}})));
  CHECK(ir::needed(k, 1, {{4, 7}, {0, 2}}) == ir::whole({3, 2}));
}

TEST_CASE("tile and expand: what is repeated?") {
  const auto X = real({1, 2}, {1, 2});
  check_equal(run("Tile", 13, {}, {X, ints({2}, {2, 2})}), {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  check_equal(run("Expand", 13, {}, {X, ints({3}, {2, 3, 1})}), {2, 3, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
  check_equal(run("Expand", 13, {}, {X, ints({1}, {1})}), {1, 2}, {1, 2});
}

TEST_CASE("tile, expand and reshape: are extents beyond 2^31 exact, and products that no integer holds refused?") {
  const auto shape_of = [](const Node& n) { return n.finding ? Shape{} : n.graph.type(n.node.outputs[0]).shape; };
  const auto X = real({1, 2}, {1, 2});
  CHECK(shape_of(import("Tile", 13, {}, {X, ints({2}, {3'000'000'000, 1})})) == Shape{3'000'000'000, 2});
  CHECK(shape_of(import("Expand", 13, {}, {X, ints({2}, {3'000'000'000, 2})})) == Shape{3'000'000'000, 2});
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  CHECK(refusal("Tile", 13, {}, {X, ints({2}, {1, huge})}).find("expected extents that 64 bits hold") !=
        std::string::npos);
  CHECK(refusal("Expand", 13, {}, {X, ints({3}, {huge, 4, 2})}).find("elements, got") != std::string::npos);
  const Attributes zeros{{"allowzero", std::int64_t{1}}};
  CHECK(refusal("Reshape", 14, zeros, {real({0}, {}), ints({3}, {0, huge, 4})}).find("elements, as [0] has") !=
        std::string::npos);
}

TEST_CASE("depth and space: is each the other's inverse, and does CRD differ from DCR?") {
  const auto X = sample({2, 12, 3, 5});
  const auto x = X.to_doubles();
  for (const bool dcr : {true, false}) {
    Reals y;
    each({2, 3, 6, 10}, [&](const Ints& o) {
      const auto block = (o[2] % 2) * 2 + o[3] % 2;
      y.push_back(at(x, X.shape(), {o[0], dcr ? block * 3 + o[1] : o[1] * 4 + block, o[2] / 2, o[3] / 2}));
    });
    check_equal(
        run("DepthToSpace", 13, {{"blocksize", std::int64_t{2}}, {"mode", std::string(dcr ? "DCR" : "CRD")}}, {X}),
        {2, 3, 6, 10}, y);
  }
  const auto spread = run("DepthToSpace", 13, {{"blocksize", std::int64_t{2}}}, {X});
  CHECK(run("SpaceToDepth", 13, {{"blocksize", std::int64_t{2}}}, {spread}) == X);
}

TEST_CASE("trilu and reverse_sequence: what stays and what turns?") {
  const auto X = real({2, 3}, {1, 2, 3, 4, 5, 6});
  check_equal(run("Trilu", 14, {}, {X}), {2, 3}, {1, 2, 3, 0, 5, 6});
  check_equal(run("Trilu", 14, {{"upper", std::int64_t{0}}}, {X, ints({}, {-1})}), {2, 3}, {0, 0, 0, 4, 0, 0});
  check_equal(run("ReverseSequence", 10, {}, {real({3, 2}, {1, 2, 3, 4, 5, 6}), ints({2}, {3, 2})}), {3, 2},
              {5, 4, 3, 2, 1, 6});
}
