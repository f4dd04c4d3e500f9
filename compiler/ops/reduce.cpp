// Reductions over listed axes, and the position of the best element.
#include <fmt/format.h>

#include "compiler/ops/reduced.hpp"

namespace pimento::ops {
namespace {

using ir::UnaryOp;

/// No axes mean all of them, unless `noop_with_empty_axes` says none.
void normalise_reduce(OnnxNode& n) {
  const auto written = n.integers_from("axes", 1);
  const bool none = n.take_integer("noop_with_empty_axes", 0) != 0;
  std::vector<std::int64_t> axes;
  if (written && !written->empty()) {
    axes = n.rank() == 0 ? std::vector<std::int64_t>{} : n.positive_axes(*written, n.rank(), "axes");
    std::sort(axes.begin(), axes.end());
  } else if (!none) {
    for (int d = 0; d < n.rank(); ++d) axes.push_back(d);
  }
  n.put("axes", axes);
  n.put("keep_dims", n.take_integer("keepdims", 1));
  n.keep_inputs(1);
}

std::vector<TensorType> infer_reduce(const Call& c) {
  const Reduced r(c, c.integers("axes"));
  return {{c.element(), c.flag("keep_dims") ? r.kept_shape : r.squeezed}};
}

/// What is accumulated of each element, how, and what becomes of the result; values are f32 for floats.
struct Reduction {
  std::string name, onnx;
  Types types;
  std::string summary;
  Expr (*take)(const Expr& x) = nullptr;
  ir::Combiner combiner = ir::Combiner::add;
  Expr (*finish)(const Expr& sum, double count) = nullptr;
};

Expr widened(const Expr& x) { return ir::cast(accumulator_type(x.type()), x); }

OpDef reduction(const Reduction& r) {
  return {.name = r.name,
          .summary = r.summary,
          .onnx = {{r.onnx, 1, 0, normalise_reduce}},
          .inputs = {in("X", r.types)},
          .attributes = {integers("axes").at_least(0), flag("keep_dims", true)},
          .infer = infer_reduce,
          .kernels = [r](const Call& c, Sequence& s) {
            const Reduced over(c, c.integers("axes"));
            s.kernel(r.name, [&](Formula& k) {
              const auto axes = over.axes(k);
              const auto x = k.read(s.input(0)).at(axes.source);
              const bool order = r.combiner == ir::Combiner::max || r.combiner == ir::Combiner::min;
              const auto body = order ? x : widened(x);
              auto value = k.accumulate(r.combiner, r.take ? r.take(body) : body);
              if (r.finish) value = r.finish(value, static_cast<double>(over.count));
              const auto Y = k.write_to(s.output(), over.kept_shape);
              k.write(Y, axes.target, as(Y, value));
            });
          }};
}

Expr square(const Expr& x) { return x * x; }
Expr magnitude(const Expr& x) { return ir::unary(UnaryOp::abs, x); }
Expr root(const Expr& sum, double) { return ir::unary(UnaryOp::sqrt, ir::cast(ElementType::f32, sum)); }
Expr logarithm(const Expr& sum, double) { return ir::unary(UnaryOp::log, sum); }
Expr average(const Expr& sum, double count) { return sum / count; }

const Registration reductions[] = {
    reduction({.name = "reduce_sum", .onnx = "ReduceSum", .types = Types::numeric, .summary = "sum over the axes"}),
    reduction({.name = "reduce_mean",
               .onnx = "ReduceMean",
               .types = Types::numeric,
               .summary = "mean over the axes; integers: towards zero",
               .finish = average}),
    reduction({.name = "reduce_max",
               .onnx = "ReduceMax",
               .types = Types::any,
               .summary = "largest element over the axes",
               .combiner = ir::Combiner::max}),
    reduction({.name = "reduce_min",
               .onnx = "ReduceMin",
               .types = Types::any,
               .summary = "smallest element over the axes",
               .combiner = ir::Combiner::min}),
    reduction({.name = "reduce_prod",
               .onnx = "ReduceProd",
               .types = Types::numeric,
               .summary = "product over the axes",
               .combiner = ir::Combiner::mul}),
    reduction({.name = "reduce_l1",
               .onnx = "ReduceL1",
               .types = Types::numeric,
               .summary = "sum of |x| over the axes",
               .take = magnitude}),
    reduction({.name = "reduce_l2",
               .onnx = "ReduceL2",
               .types = Types::numeric,
               .summary = "square root of the sum of x^2 over the axes",
               .take = square,
               .finish = root}),
    reduction({.name = "reduce_sum_square",
               .onnx = "ReduceSumSquare",
               .types = Types::numeric,
               .summary = "sum of x^2 over the axes",
               .take = square}),
    reduction({.name = "reduce_log_sum",
               .onnx = "ReduceLogSum",
               .types = Types::real,
               .summary = "log of the sum over the axes",
               .finish = logarithm}),
};

OP({
    .name = "reduce_log_sum_exp",
    .summary = "max(x) + log(sum(exp(x - max(x)))) over the axes",
    .onnx = {{"ReduceLogSumExp", 1, 0, normalise_reduce}},
    .inputs = {in("X", Types::real)},
    .attributes = {integers("axes").at_least(0), flag("keep_dims", true)},
    .infer = infer_reduce,
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced over(c, c.integers("axes"));
          const auto M = s.temporary("m", {ElementType::f32, over.kept_shape});
          s.kernel("reduce_log_sum_exp_max", [&](Formula& k) {
            const auto axes = over.axes(k);
            // An infinite maximum would make x - max NaN; 0 gives the same sum without it.
            const auto m = k.maximum(widened(k.read(s.input(0)).at(axes.source)));
            const auto finite = ir::binary(ir::BinaryOp::lt, ir::unary(UnaryOp::abs, m),
                                           ir::constant(ElementType::f32, highest(ElementType::f32)));
            k.write(k.write_to(M), axes.target, ir::select(finite, m, ir::constant(ElementType::f32, 0)));
          });
          s.kernel("reduce_log_sum_exp", [&](Formula& k) {
            const auto axes = over.axes(k);
            const auto X = k.read(s.input(0)), m = k.read(M);
            const auto sum = k.sum(ir::unary(UnaryOp::exp, widened(X.at(axes.source)) - m.at(axes.target)));
            const auto Y = k.write_to(s.output(), over.kept_shape);
            k.write(Y, axes.target, as(Y, m.at(axes.target) + ir::unary(UnaryOp::log, sum)));
          });
        },
});

// --- global pooling --------------------------------------------------------------------------------------------------

std::vector<std::int64_t> spatial(const Call& c) {
  std::vector<std::int64_t> axes;
  for (int d = 2; d < c.rank(); ++d) axes.push_back(d);
  return axes;
}
std::vector<TensorType> infer_global(const Call& c) {
  c.require_rank_at_least(0, 3);
  return {{c.element(), Reduced(c, spatial(c)).kept_shape}};
}
Expr power(const Expr& e, double by) { return ir::binary(ir::BinaryOp::pow, e, ir::constant(e.type(), by)); }

OP({
    .name = "global_average_pool",
    .summary = "mean of each channel of each sample",
    .onnx = {{"GlobalAveragePool", 1}},
    .inputs = {in("X", Types::real)},
    .infer = infer_global,
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced over(c, spatial(c));
          s.kernel("global_average_pool", [&](Formula& k) {
            const auto axes = over.axes(k);
            const auto sum = k.sum(widened(k.read(s.input(0)).at(axes.source)));
            const auto Y = k.write_to(s.output());
            k.write(Y, axes.target, as(Y, sum / static_cast<double>(over.count)));
          });
        },
});
OP({
    .name = "global_max_pool",
    .summary = "largest element of each channel of each sample",
    .onnx = {{"GlobalMaxPool", 1}},
    .inputs = {in("X", Types::numeric)},
    .infer = infer_global,
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced over(c, spatial(c));
          s.kernel("global_max_pool", [&](Formula& k) {
            const auto axes = over.axes(k);
            const auto best = k.maximum(k.read(s.input(0)).at(axes.source));
            k.write(k.write_to(s.output()), axes.target, best);
          });
        },
});
OP({
    .name = "global_lp_pool",
    .summary = "p-norm of each channel of each sample",
    .onnx = {{"GlobalLpPool", 2}},
    .inputs = {in("X", Types::real)},
    .attributes = {integer("p", 2).at_least(1)},
    .infer = infer_global,
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced over(c, spatial(c));
          const auto p = static_cast<double>(c.integer("p"));
          s.kernel("global_lp_pool", [&](Formula& k) {
            const auto axes = over.axes(k);
            const auto size = magnitude(widened(k.read(s.input(0)).at(axes.source)));
            const auto sum = k.sum(p == 1 ? size : p == 2 ? size * size : power(size, p));
            const auto Y = k.write_to(s.output());
            k.write(Y, axes.target, as(Y, p == 1 ? sum : p == 2 ? root(sum, 0) : power(sum, 1 / p)));
          });
        },
});

OP({
    .name = "lp_normalization",
    .summary = "X / (p-norm of X along the axis); 0 where the norm is 0",
    .onnx = {{"LpNormalization", 1, 0, [](OnnxNode& n) { n.put_axis("axis", -1, n.rank()); }}},
    .inputs = {in("X", Types::real)},
    .attributes = {integer("axis").at_least(0), integer("p", 2).at_least(1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.axis("axis", c.rank());
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced over(c, {c.integer("axis")});
          const bool first = c.integer("p") == 1;
          const auto N = s.temporary("norm", {ElementType::f32, over.kept_shape});
          s.kernel("lp_normalization_norm", [&](Formula& k) {
            const auto axes = over.axes(k);
            const auto size = magnitude(widened(k.read(s.input(0)).at(axes.source)));
            const auto sum = k.sum(first ? size : size * size);
            k.write(k.write_to(N), axes.target, first ? sum : root(sum, 0));
          });
          s.kernel("lp_normalization", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto X = k.read(s.input(0)), norm = k.read(N);
            const auto n = over.reduced_at(norm, at), zero = ir::constant(ElementType::f32, 0);
            const auto Y = k.write_to(s.output());
            k.write(Y, at, as(Y, ir::select(ir::binary(ir::BinaryOp::eq, n, zero), zero, widened(X.at(at)) / n)));
          });
        },
});

// --- position of the best element ------------------------------------------------------------------------------------

OpDef arg_best(const std::string& name, const std::string& onnx, ir::BinaryOp better, const std::string& summary) {
  return {.name = name,
          .summary = summary,
          .onnx = {{onnx, 1, 0,
                    [](OnnxNode& n) {
                      n.put_axis("axis", 0, n.rank());
                      n.put("keep_dims", n.take_integer("keepdims", 1));
                      n.put("last", n.take_integer("select_last_index", 0));
                    }}},
          .inputs = {in("X", Types::numeric)},
          .attributes = {integer("axis").at_least(0), flag("keep_dims", true), flag("last", false)},
          .infer = [](const Call& c) -> std::vector<TensorType> {
            const auto axis = c.axis("axis", c.rank());
            if (c.dim(0, axis) == 0) c.refuse(0, "elements along the axis", "none");
            const Reduced over(c, {axis});
            return {{ElementType::i64, c.flag("keep_dims") ? over.kept_shape : over.squeezed}};
          },
          .kernels =
              [name, better](const Call& c, Sequence& s) {
                const Reduced over(c, {c.integer("axis")});
                s.kernel(name, [&](Formula& k) {
                  const auto axes = over.axes(k);
                  const auto x = k.read(s.input(0)).at(axes.source);
                  const auto best = k.arg_best(better, x, over.position(axes.source), c.flag("last"));
                  k.write(k.write_to(s.output(), over.kept_shape), axes.target, best.second);
                });
              }};
}
const Registration positions[] = {
    arg_best("arg_max", "ArgMax", ir::BinaryOp::gt,
             "position of the largest element along the axis, the first or the last of them"),
    arg_best("arg_min", "ArgMin", ir::BinaryOp::lt,
             "position of the smallest element along the axis, the first or the last of them"),
};

}  // namespace
}  // namespace pimento::ops
