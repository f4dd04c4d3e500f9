#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
/// (x - mean) / sqrt(variance + epsilon) over the groups that `key` makes, in f64.
Reals standardised(const Tensor& X, double epsilon, const std::function<Ints(const Ints&)>& key) {
  const auto x = X.to_doubles();
  Reals y;
  each(X.shape(), [&](const Ints& o) {
    double sum = 0, squares = 0, count = 0;
    each(X.shape(), [&](const Ints& i) {
      if (key(i) == key(o)) sum += at(x, X.shape(), i), count += 1;
    });
    each(X.shape(), [&](const Ints& i) {
      if (key(i) == key(o)) squares += std::pow(at(x, X.shape(), i) - sum / count, 2);
    });
    y.push_back((at(x, X.shape(), o) - sum / count) / std::sqrt(squares / count + epsilon));
  });
  return y;
}
Reals scaled(const Tensor& X, Reals y, const std::function<double(const Ints&)>& scale,
             const std::function<double(const Ints&)>& shift) {
  std::size_t n = 0;
  each(X.shape(), [&](const Ints& i) {
    y[n] = y[n] * scale(i) + shift(i);
    ++n;
  });
  return y;
}
}  // namespace

TEST_CASE("batch_norm: are the statistics taken per channel, element by element?") {
  for (const Shape& shape : {Shape{1, 3, 1, 1}, Shape{2, 3, 5, 7}, Shape{2, 3}, Shape{2, 3, 7}}) {
    const auto X = sample(shape), scale = sample({3}, 2), bias = sample({3}, 3), mean = sample({3}, 4);
    const auto var = real({3}, {0.5, 1, 2});
    const auto x = X.to_doubles(), s = scale.to_doubles(), b = bias.to_doubles(), m = mean.to_doubles(),
               v = var.to_doubles();
    Reals y;
    each(shape, [&](const Ints& i) {
      const auto c = static_cast<std::size_t>(i[1]);
      y.push_back((at(x, shape, i) - m[c]) * s[c] / std::sqrt(v[c] + 1e-3) + b[c]);
    });
    for (const int opset : {6, 9, 15})
      check_close(run("BatchNormalization", opset, {{"epsilon", 1e-3}}, {X, scale, bias, mean, var}), shape, y);
    CHECK(ir::is_elementwise(kernel(import("BatchNormalization", 15, {}, {X, scale, bias, mean, var}))));
  }
  const auto X = sample({1, 3, 2}), p = sample({3}), q = sample({2});
  CHECK(refusal("BatchNormalization", 15, {{"training_mode", std::int64_t{1}}}, {X, p, p, p, p}) ==
        "node 'n' (batch_norm), attribute 'training_mode': expected 0: only inference is compiled, got 1");
  CHECK(refusal("BatchNormalization", 15, {}, {X, p, p, p, q}) ==
        "node 'n' (batch_norm), input 'var' f32[2]: expected shape [3], one value per channel of X, got [2]");
}

TEST_CASE("instance_norm and group_norm: over which elements are the statistics taken?") {
  const auto X = sample({2, 4, 3, 5}), scale = sample({4}, 2), bias = sample({4}, 3);
  const auto s = scale.to_doubles(), b = bias.to_doubles();
  const auto by = [](const Reals& v) { return [&v](const Ints& i) { return v[static_cast<std::size_t>(i[1])]; }; };
  const auto instance = scaled(X, standardised(X, 1e-5, [](const Ints& i) { return Ints{i[0], i[1]}; }), by(s), by(b));
  check_close(run("InstanceNormalization", 13, {}, {X, scale, bias}), X.shape(), instance);
  const auto group = scaled(X, standardised(X, 1e-5, [](const Ints& i) { return Ints{i[0], i[1] / 2}; }), by(s), by(b));
  check_close(run("GroupNormalization", 21, {{"num_groups", std::int64_t{2}}}, {X, scale, bias}), X.shape(), group);
  const Reals spread{0.5, 0.5, 2, 2}, none{0, 0, 0, 0};
  const auto old = scaled(X,
                          standardised(X, 1e-5,
                                       [](const Ints& i) {
                                         return Ints{i[0], i[1] / 2};
                                       }),
                          by(spread), by(none));
  check_close(
      run("GroupNormalization", 18, {{"num_groups", std::int64_t{2}}}, {X, real({2}, {0.5, 2}), real({2}, {0, 0})}),
      X.shape(), old);
}

TEST_CASE("layer_norm: does every axis work, with and without bias, and are the statistics given out?") {
  const auto X = sample({2, 3, 5});
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const Shape inner(X.shape().begin() + axis, X.shape().end());
    const auto scale = sample(inner, 2), bias = sample(inner, 3);
    const auto by = [&](const Tensor& T) {
      return [&T, axis](const Ints& i) { return at(T.to_doubles(), T.shape(), Ints(i.begin() + axis, i.end())); };
    };
    const auto key = [axis](const Ints& i) { return Ints(i.begin(), i.begin() + axis); };
    const auto zero = [](const Ints&) { return 0.0; };
    check_close(run("LayerNormalization", 17, {{"axis", axis - 3}}, {X, scale, bias}), X.shape(),
                scaled(X, standardised(X, 1e-5, key), by(scale), by(bias)));
    check_close(run("LayerNormalization", 17, {{"axis", axis}}, {X, scale}), X.shape(),
                scaled(X, standardised(X, 1e-5, key), by(scale), zero));
  }
  const auto outputs =
      run_all("LayerNormalization", 17, {{"epsilon", 0.0}}, {real({1, 2}, {1, 3}), real({2}, {1, 1})}, 3);
  check_close(outputs[0], {1, 2}, {-1, 1});
  check_close(outputs[1], {1, 1}, {2});
  check_close(outputs[2], {1, 1}, {1});
}

TEST_CASE("lrn: are the channels around summed, the odd one of an even size above?") {
  const auto X = sample({2, 7, 3});
  const auto x = X.to_doubles();
  for (const std::int64_t size : {1, 2, 3, 4, 9}) {
    Reals y;
    each(X.shape(), [&](const Ints& o) {
      double sum = 0;
      for (auto c = o[1] - (size - 1) / 2; c <= o[1] + size / 2; ++c)
        sum += std::pow(at(x, X.shape(), {o[0], c, o[2]}), 2);
      y.push_back(at(x, X.shape(), o) / std::pow(2 + 0.5 / static_cast<double>(size) * sum, 0.6));
    });
    check_close(run("LRN", 13, {{"size", size}, {"alpha", 0.5}, {"beta", 0.6}, {"bias", 2.0}}, {X}), X.shape(), y);
  }
}

TEST_CASE("mean_variance_norm: are its default axes all but the channel?") {
  const auto X = sample({2, 3, 2, 2});
  check_close(run("MeanVarianceNormalization", 13, {}, {X}), X.shape(),
              standardised(X, 0, [](const Ints& i) { return Ints{i[1]}; }));
}
