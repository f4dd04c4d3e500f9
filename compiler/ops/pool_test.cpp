#include <limits>

#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {

struct Case {
  Shape in, kernel;
  Ints strides, dilations, pads;
  bool ceil;
};
const std::vector<Case> cases{
    {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},    // one
    {{7, 5}, {3, 2}, {1, 1}, {1, 1}, {1, 0, 1, 1}, false},    // primes, uneven padding
    {{11, 13}, {2, 3}, {3, 5}, {1, 1}, {0, 0, 0, 0}, false},  // stride over kernel
    {{6, 6}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}, true},     // the last window is cut
    {{5, 5}, {2, 2}, {3, 3}, {1, 1}, {0, 0, 1, 1}, true},     // a window that would start beyond is left out
    {{7, 6}, {2, 3}, {2, 1}, {3, 2}, {1, 2, 2, 1}, false},    // dilation
    {{9}, {4}, {3}, {1}, {2, 1}, true},                       // one dimension
    {{4, 3, 5}, {2, 2, 3}, {2, 1, 2}, {1, 1, 1}, {1, 0, 1, 0, 1, 0}, false},
};
Shape out_of(const Case& t) {
  Shape out{2, 3};
  const auto rank = t.in.size();
  for (std::size_t d = 0; d < rank; ++d) {
    // A window counts when it starts inside the input or its leading padding, and (without ceil) ends in the padding.
    std::int64_t steps = 0;
    for (std::int64_t y = 0; y * t.strides[d] < t.in[d] + t.pads[d] + t.pads[rank + d]; ++y) {
      const auto last = y * t.strides[d] + (t.kernel[d] - 1) * t.dilations[d];
      const bool whole = last < t.in[d] + t.pads[d] + t.pads[rank + d];
      const bool previous_whole = y == 0 || last - t.strides[d] < t.in[d] + t.pads[d] + t.pads[rank + d] - 1;
      if (whole || (t.ceil && previous_whole && y * t.strides[d] < t.in[d] + t.pads[d])) ++steps;
    }
    out.push_back(steps);
  }
  return out;
}
/// Calls f with the value and the coordinates of every tap that lies inside; returns the taps inside the padding.
std::int64_t window(const Case& t, const Ints& o, const std::function<void(const Ints&)>& f) {
  const auto rank = t.in.size();
  std::int64_t padded = 0;
  each(t.kernel, [&](const Ints& k) {
    Ints i{o[0], o[1]};
    bool inside = true, in_padding = true;
    for (std::size_t d = 0; d < rank; ++d) {
      i.push_back(o[2 + d] * t.strides[d] + k[d] * t.dilations[d] - t.pads[d]);
      inside = inside && i.back() >= 0 && i.back() < t.in[d];
      in_padding = in_padding && i.back() < t.in[d] + t.pads[rank + d];
    }
    padded += in_padding ? 1 : 0;
    if (inside) f(i);
  });
  return padded;
}
ir::Attributes attributes(const Case& t) {
  return {{"kernel_shape", t.kernel},
          {"strides", t.strides},
          {"dilations", t.dilations},
          {"pads", t.pads},
          {"ceil_mode", std::int64_t{t.ceil}}};
}
Shape shape_of(const Case& t) {
  Shape shape{2, 3};
  shape.insert(shape.end(), t.in.begin(), t.in.end());
  return shape;
}

}  // namespace

TEST_CASE("max_pool: does it equal a loop over each window, and do its indices point at the maximum?") {
  for (const auto& t : cases) {
    CAPTURE(fmt::format("in {} kernel {}", fmt::join(t.in, "x"), fmt::join(t.kernel, "x")));
    const auto X = sample(shape_of(t));
    const auto x = X.to_doubles();
    Reals best, position;
    each(out_of(t), [&](const Ints& o) {
      double value = -std::numeric_limits<double>::infinity(), where = -1;
      window(t, o, [&](const Ints& i) {
        if (!(at(x, X.shape(), i) > value)) return;
        value = at(x, X.shape(), i);
        where = 0;
        for (std::size_t d = 0; d < i.size(); ++d)
          where = where * static_cast<double>(X.shape()[d]) + static_cast<double>(i[d]);
      });
      best.push_back(value);
      position.push_back(where);
    });
    const auto got = run_all("MaxPool", 12, attributes(t), {X}, 2);
    check_equal(got[0], out_of(t), best);
    check_equal(got[1], out_of(t), position);
    check_equal(run("MaxPool", 12, attributes(t), {X}), out_of(t), best);
  }
}

TEST_CASE("average_pool: is the sum divided by the elements that are really there?") {
  for (const bool padding_counts : {false, true}) {
    for (const auto& t : cases) {
      CAPTURE(fmt::format("in {} kernel {} padding counts {}", fmt::join(t.in, "x"), fmt::join(t.kernel, "x"),
                          padding_counts));
      const auto X = sample(shape_of(t));
      const auto x = X.to_doubles();
      Reals mean;
      each(out_of(t), [&](const Ints& o) {
        double sum = 0, count = 0;
        const auto padded = window(t, o, [&](const Ints& i) {
          sum += at(x, X.shape(), i);
          count += 1;
        });
        mean.push_back(sum / (padding_counts ? static_cast<double>(padded) : count));
      });
      auto a = attributes(t);
      a["count_include_pad"] = std::int64_t{padding_counts};
      check_close(run("AveragePool", 19, a, {X}), out_of(t), mean, 1e-6);
    }
  }
}

TEST_CASE("lp_pool: does it give each window's norm?") {
  const auto& t = cases[1];
  const auto X = sample(shape_of(t));
  const auto x = X.to_doubles();
  for (const std::int64_t p : {1, 2, 3}) {
    Reals norm;
    each(out_of(t), [&](const Ints& o) {
      double sum = 0;
      window(t, o, [&](const Ints& i) { sum += std::pow(std::fabs(at(x, X.shape(), i)), static_cast<double>(p)); });
      norm.push_back(std::pow(sum, 1.0 / static_cast<double>(p)));
    });
    auto a = attributes(t);
    a["p"] = p;
    check_close(run("LpPool", 18, a, {X}), out_of(t), norm);
  }
}

TEST_CASE("max_pool: what is a column-major position, and what of 8-bit integers?") {
  const auto X = Tensor::of({ElementType::u8, {1, 1, 2, 3}}, {0, 0, 0, 0, 0, 9});  // row 1, column 2
  const ir::Attributes a{{"kernel_shape", Ints{2, 3}}, {"storage_order", std::int64_t{1}}};
  const auto got = run_all("MaxPool", 12, a, {X}, 2);
  check_equal(got[0], {1, 1, 1, 1}, {9});
  check_equal(got[1], {1, 1, 1, 1}, {2 * 2 + 1});
}

TEST_CASE("pool: what is said of a missing kernel, of pads too short, and of a window larger than the input?") {
  const auto X = sample({1, 1, 4, 4});
  CHECK(refusal("MaxPool", 12, {}, {X}) ==
        "node 'n' (max_pool), attribute 'kernel_shape': expected one extent per spatial dimension, got none");
  CHECK(refusal("MaxPool", 12, {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1}}}, {X}) ==
        "node 'n' (max_pool), attribute 'pads': expected 4 values, got [1,1]");
  CHECK(refusal("AveragePool", 12, {{"kernel_shape", Ints{5, 2}}}, {X}) ==
        "node 'n' (average_pool), input 'X' f32[1,1,4,4]: expected extent 5 or more with padding on spatial dimension "
        "0, got 4");
}

TEST_CASE("global pooling: does it take in every position of a channel?") {
  const auto X = real({1, 2, 2, 2}, {1, 2, 3, 6, -1, -2, -3, -4});
  check_equal(run("GlobalAveragePool", 11, {}, {X}), {1, 2, 1, 1}, {3, -2.5});
  check_equal(run("GlobalMaxPool", 11, {}, {X}), {1, 2, 1, 1}, {6, -1});
  check_close(run("GlobalLpPool", 11, {{"p", std::int64_t{1}}}, {X}), {1, 2, 1, 1}, {12, 10});
}
