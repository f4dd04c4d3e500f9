#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
/// exp(x - max) / sum over the dimensions that `over` marks, in f64.
Reals softmax(const Tensor& X, const std::vector<bool>& over, bool logarithm) {
  const auto x = X.to_doubles();
  const auto group = [&](const Ints& i) {
    auto key = i;
    for (std::size_t d = 0; d < key.size(); ++d)
      if (over[d]) key[d] = 0;
    return key;
  };
  Reals y;
  each(X.shape(), [&](const Ints& o) {
    double sum = 0;
    each(X.shape(), [&](const Ints& i) {
      if (group(i) == group(o)) sum += std::exp(at(x, X.shape(), i) - at(x, X.shape(), o));
    });
    y.push_back(logarithm ? -std::log(sum) : 1 / sum);
  });
  return y;
}
}  // namespace

TEST_CASE("softmax: is opset 13 over one axis, and earlier over all from the axis on?") {
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{2, 3, 5}, Shape{7}}) {
    const auto X = sample(shape);
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
      std::vector<bool> one(shape.size(), false), rest(shape.size(), false);
      one[static_cast<std::size_t>(axis)] = true;
      for (auto d = static_cast<std::size_t>(axis); d < shape.size(); ++d) rest[d] = true;
      check_close(run("Softmax", 13, {{"axis", axis - static_cast<std::int64_t>(shape.size())}}, {X}), shape,
                  softmax(X, one, false));
      check_close(run("Softmax", 11, {{"axis", axis}}, {X}), shape, softmax(X, rest, false));
      check_close(run("LogSoftmax", 13, {{"axis", axis}}, {X}), shape, softmax(X, one, true));
      check_close(run("LogSoftmax", 11, {{"axis", axis}}, {X}), shape, softmax(X, rest, true));
    }
  }
}

TEST_CASE("softmax: do large logits stay finite, and is it a small graph of kernels?") {
  check_close(run("Softmax", 13, {}, {real({3}, {10000, 10000, -10000})}), {3}, {0.5, 0.5, 0});
  check_close(run("LogSoftmax", 13, {}, {real({2}, {10000, 9999})}), {2},
              {-std::log1p(std::exp(-1.0)), -1 - std::log1p(std::exp(-1.0))});
  const auto n = import("Softmax", 13, {}, {sample({2, 3})});
  CHECK(ops::kernels_of(n.graph, n.node).calls.size() == 4);
}

TEST_CASE("hardmax: does the first of equals win?") {
  check_equal(run("Hardmax", 13, {}, {real({2, 3}, {1, 3, 3, -1, -2, -3})}), {2, 3}, {0, 1, 0, 1, 0, 0});
  check_equal(run("Hardmax", 11, {{"axis", std::int64_t{0}}}, {real({2, 2}, {1, 4, 5, 3})}), {2, 2}, {0, 0, 1, 0});
}
