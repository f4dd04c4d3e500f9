// Softmax and its kin: m = max(x); e = exp(x - m); y = e / sum(e), over the listed axes.
#include <algorithm>

#include "compiler/ops/reduced.hpp"

namespace pimento::ops {
namespace {

void normalise_softmax(OnnxNode& n) {
  const bool flattens = n.opset() < 13;  // then X is seen as a matrix, split before `axis`
  const auto axis = n.positive_axis(n.take_integer("axis", flattens ? 1 : -1), std::max(n.rank(), 1), "axis");
  Shape axes{axis};
  if (flattens)
    for (auto next = axis + 1; next < n.rank(); ++next) axes.push_back(next);
  n.put("axes", axes);
}

Expr exp_of(const Expr& e) { return ir::unary(ir::UnaryOp::exp, e); }
Expr wide(const Expr& e) { return ir::cast(ElementType::f32, e); }

/// Largest element over the axes.
Place largest(const Call& c, Sequence& s, const Reduced& r) {
  const auto M = s.temporary("m", {c.element(), r.kept_shape});
  s.kernel(c.op().name + "_max", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto in = k.read(s.input(0)).at(axes.source);
    k.write(k.write_to(M), axes.target, k.maximum(in));
  });
  return M;
}

void softmax_kernels(const Call& c, Sequence& s) {
  const Reduced r(c, c.integers("axes"));
  const auto M = largest(c, s, r);
  const auto E = s.temporary("e", {ElementType::f32, c.shape()});
  s.kernel("softmax_exp", [&](Formula& k) {
    const auto at = k.over(c.shape());
    const auto X = k.read(s.input(0)), m = k.read(M);
    k.write(k.write_to(E), at, exp_of(wide(X.at(at)) - wide(r.reduced_at(m, at))));
  });
  const auto S = s.temporary("s", {ElementType::f32, r.kept_shape});
  s.kernel("softmax_sum", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto e = k.read(E).at(axes.source);
    k.write(k.write_to(S), axes.target, k.sum(e));
  });
  s.kernel("softmax_divide", [&](Formula& k) {
    const auto at = k.over(c.shape());
    const auto e = k.read(E), sum = k.read(S);
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, e.at(at) / r.reduced_at(sum, at)));
  });
}

void log_softmax_kernels(const Call& c, Sequence& s) {
  const Reduced r(c, c.integers("axes"));
  const auto M = largest(c, s, r);
  const auto S = s.temporary("s", {ElementType::f32, r.kept_shape});
  s.kernel("log_softmax_sum", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto X = k.read(s.input(0)), m = k.read(M);
    const auto sum = k.sum(exp_of(wide(X.at(axes.source)) - wide(m.at(axes.target))));
    k.write(k.write_to(S), axes.target, ir::unary(ir::UnaryOp::log, sum));
  });
  s.kernel("log_softmax_subtract", [&](Formula& k) {
    const auto at = k.over(c.shape());
    const auto X = k.read(s.input(0)), m = k.read(M), sum = k.read(S);
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, wide(X.at(at)) - wide(r.reduced_at(m, at)) - r.reduced_at(sum, at)));
  });
}

/// 1 at the first largest element over the axes, 0 elsewhere.
void hardmax_kernels(const Call& c, Sequence& s) {
  const Reduced r(c, c.integers("axes"));
  const auto P = s.temporary("p", {ElementType::i64, r.kept_shape});
  s.kernel("hardmax_position", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto in = k.read(s.input(0)).at(axes.source);
    const auto best = k.arg_best(ir::BinaryOp::gt, in, r.position(axes.source));
    k.write(k.write_to(P), axes.target, best.second);
  });
  s.kernel("hardmax", [&](Formula& k) {
    const auto at = k.over(c.shape());
    const auto p = k.read(P);
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, ir::binary(ir::BinaryOp::eq, r.reduced_at(p, at), r.position(at))));
  });
}

std::vector<TensorType> infer_over_axes(const Call& c) {
  const Reduced checked(c, c.integers("axes"));
  return {c.type(0)};
}

OP({.name = "softmax",
    .summary = "exp(x - max(x)) / sum(exp(x - max(x))) over the axes",
    .onnx = {{"Softmax", 1, 0, normalise_softmax}},
    .inputs = {in("X", Types::real)},
    .attributes = {integers("axes").at_least(0)},
    .infer = infer_over_axes,
    .kernels = softmax_kernels});
OP({.name = "log_softmax",
    .summary = "x - max(x) - log(sum(exp(x - max(x)))) over the axes",
    .onnx = {{"LogSoftmax", 1, 0, normalise_softmax}},
    .inputs = {in("X", Types::real)},
    .attributes = {integers("axes").at_least(0)},
    .infer = infer_over_axes,
    .kernels = log_softmax_kernels});
OP({.name = "hardmax",
    .summary = "1 at the first largest element over the axes, 0 elsewhere",
    .onnx = {{"Hardmax", 1, 0, normalise_softmax}},
    .inputs = {in("X", Types::real)},
    .attributes = {integers("axes").at_least(0)},
    .infer = infer_over_axes,
    .kernels = hardmax_kernels});

}  // namespace
}  // namespace pimento::ops
