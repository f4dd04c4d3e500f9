#pragma once
// A graph of as many nodes as an exported Swin transformer has, of its kinds: windows cut out of an image of tokens and
// put back, rolled by half a window in every second block; layer norm and GELU in pieces. Small extents, so that what
// is measured is the number of nodes.
#include "models/zoo/builder.hpp"

namespace pimento::bench {

inline ir::Graph swin_like(std::int64_t blocks) {
  using Integers = std::vector<std::int64_t>;
  constexpr std::int64_t side = 8, window = 4, width = 32, heads = 2, tokens = side * side;
  constexpr std::int64_t windows = tokens / (window * window), in_window = window * window;
  zoo::Builder b("swin_like", 1);
  const auto constant = [&](const std::string& name, double value) {
    return b.constant(name, ir::Tensor::of({ElementType::f32, {}}, {value}));
  };
  const auto list = [&](const std::string& name, const Integers& values) {
    return b.constant(name,
                      ir::Tensor::of_integers({ElementType::i64, {static_cast<std::int64_t>(values.size())}}, values));
  };
  const auto reshape = [&](const std::string& name, ir::ValueId x, const Integers& shape) {
    return b.op("Reshape", name, {x, list(name + ".shape", shape)});
  };
  const auto transpose = [&](const std::string& name, ir::ValueId x, const Integers& order) {
    return b.op("Transpose", name, {x}, {{"perm", order}});
  };
  const auto norm = [&](const std::string& name, ir::ValueId x) {
    const ir::Attributes last{{"axes", Integers{-1}}};
    const auto centred = b.op("Sub", name + ".centred", {x, b.op("ReduceMean", name + ".mean", {x}, last)});
    const auto squares = b.op("Mul", name + ".squares", {centred, centred});
    const auto stable = b.op("Add", name + ".stable",
                             {b.op("ReduceMean", name + ".variance", {squares}, last), constant(name + ".eps", 1e-5)});
    const auto normal = b.op("Div", name + ".normal", {centred, b.op("Sqrt", name + ".deviation", {stable})});
    return b.op("Add", name,
                {b.op("Mul", name + ".scaled", {normal, b.weights(name + ".weight", {width}, 1.0F)}),
                 b.weights(name + ".bias", {width}, 0.1F)});
  };
  const auto dense = [&](const std::string& name, ir::ValueId x, std::int64_t features) {
    const auto w = b.weights(name + ".weight", {b.shape(x).back(), features}, 0.17F);
    return b.op("Add", name, {b.op("MatMul", name + ".product", {x, w}), b.weights(name + ".bias", {features}, 0.05F)});
  };
  /// Along one axis: what lies before `at` comes behind the rest.
  const auto roll = [&](const std::string& name, ir::ValueId x, std::int64_t axis, std::int64_t at) {
    const auto part = [&](const std::string& which, std::int64_t from, std::int64_t to) {
      return b.op("Slice", name + which,
                  {x, list(name + which + ".from", {from}), list(name + which + ".to", {to}),
                   list(name + which + ".axes", {axis})});
    };
    return b.op("Concat", name, {part(".tail", at, side), part(".head", 0, at)}, {{"axis", axis}});
  };
  const auto split_heads = [&](const std::string& name, ir::ValueId x, const Integers& order) {
    return transpose(name, reshape(name + ".split", x, {windows, in_window, heads, width / heads}), order);
  };

  auto x = b.input("tokens", {1, tokens, width});
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::string n = "block" + std::to_string(i) + ".";
    const bool rolled = i % 2 == 1;
    auto h = reshape(n + "image", norm(n + "norm1", x), {1, side, side, width});
    if (rolled) h = roll(n + "roll2", roll(n + "roll1", h, 1, window / 2), 2, window / 2);
    h = reshape(n + "cut", h, {1, side / window, window, side / window, window, width});
    h = reshape(n + "windows", transpose(n + "swap", h, {0, 1, 3, 2, 4, 5}), {windows, in_window, width});
    const auto q = split_heads(n + "q", dense(n + "query", h, width), {0, 2, 1, 3});
    const auto k = split_heads(n + "k", dense(n + "key", h, width), {0, 2, 3, 1});
    const auto v = split_heads(n + "v", dense(n + "value", h, width), {0, 2, 1, 3});
    auto s = b.op("Mul", n + "scores", {b.op("MatMul", n + "qk", {q, k}), constant(n + "scale", 0.25)});
    s = b.op("Add", n + "biased", {s, b.weights(n + "positions", {1, heads, in_window, in_window}, 0.1F)});
    s = b.op("Softmax", n + "softmax", {s}, {{"axis", std::int64_t{-1}}});
    h = transpose(n + "joined", b.op("MatMul", n + "mixed", {s, v}), {0, 2, 1, 3});
    h = dense(n + "projection", reshape(n + "merged", h, {windows, in_window, width}), width);
    h = reshape(n + "uncut", h, {1, side / window, side / window, window, window, width});
    h = reshape(n + "whole", transpose(n + "swap_back", h, {0, 1, 3, 2, 4, 5}), {1, side, side, width});
    if (rolled) h = roll(n + "unroll2", roll(n + "unroll1", h, 1, side - window / 2), 2, side - window / 2);
    x = b.op("Add", n + "residual1", {x, reshape(n + "tokens", h, {1, tokens, width})});
    h = dense(n + "fc1", norm(n + "norm2", x), 2 * width);
    const auto e = b.op("Erf", n + "erf", {b.op("Div", n + "rooted", {h, constant(n + "root", 1.4142135)})});
    h = b.op("Mul", n + "gated", {h, b.op("Add", n + "gate", {e, constant(n + "one", 1)})});
    h = b.op("Mul", n + "gelu", {h, constant(n + "half", 0.5)});
    x = b.op("Add", n + "residual2", {x, dense(n + "fc2", h, width)});
  }
  b.output(x);
  return b.finish().graph;
}

}  // namespace pimento::bench
