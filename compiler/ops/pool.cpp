// Pooling: a window's maximum, mean or p-norm. What lies outside takes part in none of them.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/window.hpp"

namespace pimento::ops {
namespace {

std::vector<AttributeSpec> with_window(std::vector<AttributeSpec> more) {
  auto specs = window_attributes();
  specs.insert(specs.begin(), integers("kernel_shape").at_least(1));
  for (auto& spec : more) specs.push_back(std::move(spec));
  return specs;
}
void normalise_pool(OnnxNode& n) {
  const auto kernel = n.take_integers("kernel_shape");
  if (!kernel) n.refuse("kernel_shape", "one extent per spatial dimension", "none");
  normalise_window(n, *kernel);
  n.put("kernel_shape", *kernel);
}
Window window_of(const Call& c) { return {c, c.integers("kernel_shape"), c.flag("ceil_mode")}; }
TensorType pooled(const Call& c) {
  const auto w = window_of(c);
  for (std::size_t d = 0; d < w.rank(); ++d)
    require_table(c, static_cast<double>(w.output[d]) * static_cast<double>(w.kernel[d]));
  return {c.element(), join({c.dim(0, 0), c.dim(0, 1)}, w.output)};
}

// --- maximum ---------------------------------------------------------------------------------------------------------

std::vector<TensorType> infer_max_pool(const Call& c) {
  auto type = pooled(c);
  return {type, {ElementType::i64, type.shape}};
}

/// Row-major (or column-major) position in the whole of X of the element that a tap meets, kept inside X.
Expr flat_position(const Call& c, const Window& w, const Expr& n, const Expr& channel, Axes at) {
  for (std::size_t d = 0; d < at.size(); ++d) at[d] = ir::min(ir::max(at[d], ir::index(0)), ir::index(w.input[d] - 1));
  Expr result = mixed(n, c.dim(0, 1), channel);
  std::int64_t plane = 1;
  for (const auto extent : w.input) plane *= extent;
  result = scaled(result, plane);
  std::int64_t stride = c.flag("storage_order") ? 1 : plane;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (!c.flag("storage_order")) stride /= w.input[d];
    result = result + scaled(at[d], stride);
    if (c.flag("storage_order")) stride *= w.input[d];
  }
  return result;
}

void max_pool_kernels(const Call& c, Sequence& s) {
  const auto w = window_of(c);
  s.kernel("max_pool", [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0)), channel = k.parallel("c", c.dim(0, 1));
    const auto y = k.parallel_axes("y", w.output);
    const auto ky = k.reduction_axes("k", w.kernel);
    const auto at = w.source(y, ky);
    const auto X = k.read(s.input(0));
    const auto in = X.at(join({n, channel}, at), lowest(X.type().type));
    const auto to = join({n, channel}, y);
    if (!c.wants(1)) {
      k.write(k.write_to(s.output(0)), to, k.maximum(in));
      return;
    }
    const auto [best, position] = k.arg_best(ir::BinaryOp::gt, in, flat_position(c, w, n, channel, at));
    if (c.wants(0)) k.write(k.write_to(s.output(0)), to, best);
    k.write(k.write_to(s.output(1)), to, position);
  });
}

OP({
    .name = "max_pool",
    .summary = "largest element of each window; Indices: its position in X",
    .onnx = {{"MaxPool", 1, 0, normalise_pool}},
    .inputs = {in("X", Types::numeric)},
    .outputs = {"Y", "Indices?"},
    .attributes = with_window({flag("ceil_mode", false), flag("storage_order", false)}),
    .infer = infer_max_pool,
    .kernels = max_pool_kernels,
});

// --- mean ------------------------------------------------------------------------------------------------------------

/// Number of elements in the window at `y`: a number where it is the same everywhere, else tables by position.
Expr window_count(const Window& w, const Axes& y, bool count_padding) {
  double fixed = 1;
  Expr varying;
  for (std::size_t d = 0; d < w.rank(); ++d) {
    const auto taps = w.taps(d, count_padding);
    if (std::equal(taps.begin() + 1, taps.end(), taps.begin())) {
      fixed *= static_cast<double>(taps.front());
    } else {
      const auto count = by_table(std::vector<double>(taps.begin(), taps.end()), y[d]);
      varying = varying ? varying * count : count;
    }
  }
  const auto factor = ir::constant(ElementType::f32, fixed);
  if (!varying) return factor;
  return fixed == 1 ? varying : varying * factor;
}

void average_pool_kernels(const Call& c, Sequence& s) {
  const auto w = window_of(c);
  s.kernel("average_pool", [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0)), channel = k.parallel("c", c.dim(0, 1));
    const auto y = k.parallel_axes("y", w.output);
    const auto ky = k.reduction_axes("k", w.kernel);
    const auto X = k.read(s.input(0));
    const auto sum = k.sum(ir::cast(ElementType::f32, X.at(join({n, channel}, w.source(y, ky)), 0.0)));
    const auto Y = k.write_to(s.output());
    k.write(Y, join({n, channel}, y), as(Y, sum / window_count(w, y, c.flag("count_include_pad"))));
  });
}

OP({
    .name = "average_pool",
    .summary = "mean of each window over its elements inside X (with count_include_pad: inside the padding)",
    .onnx = {{"AveragePool", 1, 0, normalise_pool}},
    .inputs = {in("X", Types::real)},
    .attributes = with_window({flag("ceil_mode", false), flag("count_include_pad", false)}),
    .infer = [](const Call& c) { return std::vector{pooled(c)}; },
    .kernels = average_pool_kernels,
});

// --- p-norm ----------------------------------------------------------------------------------------------------------

void lp_pool_kernels(const Call& c, Sequence& s) {
  const auto w = window_of(c);
  const auto p = static_cast<double>(c.integer("p"));
  s.kernel("lp_pool", [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0)), channel = k.parallel("c", c.dim(0, 1));
    const auto y = k.parallel_axes("y", w.output);
    const auto ky = k.reduction_axes("k", w.kernel);
    const auto X = k.read(s.input(0));
    const auto size =
        ir::unary(ir::UnaryOp::abs, ir::cast(ElementType::f32, X.at(join({n, channel}, w.source(y, ky)), 0.0)));
    const auto power = [](const Expr& e, double by) {
      return ir::binary(ir::BinaryOp::pow, e, ir::constant(ElementType::f32, by));
    };
    const auto sum = k.sum(p == 1 ? size : p == 2 ? size * size : power(size, p));
    const auto Y = k.write_to(s.output());
    const auto norm = p == 1 ? sum : p == 2 ? ir::unary(ir::UnaryOp::sqrt, sum) : power(sum, 1 / p);
    k.write(Y, join({n, channel}, y), as(Y, norm));
  });
}

OP({
    .name = "lp_pool",
    .summary = "p-norm of each window",
    .onnx = {{"LpPool", 2, 0, normalise_pool}},
    .inputs = {in("X", Types::real)},
    .attributes = with_window({flag("ceil_mode", false), integer("p", 2).at_least(1)}),
    .infer = [](const Call& c) { return std::vector{pooled(c)}; },
    .kernels = lp_pool_kernels,
});

}  // namespace
}  // namespace pimento::ops
