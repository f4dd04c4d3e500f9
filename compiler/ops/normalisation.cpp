// Normalisation by given statistics (batch), or by those of the input itself (instance, layer, group, response).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/reduced.hpp"
#include "compiler/ops/window.hpp"

namespace pimento::ops {
namespace {

Expr wide(const Expr& e) { return ir::cast(ElementType::f32, e); }
Expr rsqrt(const Expr& e) { return ir::unary(ir::UnaryOp::rsqrt, e); }

// --- batch -----------------------------------------------------------------------------------------------------------

void normalise_batch_norm(OnnxNode& n) {
  if (n.take_integer("training_mode", 0) != 0) n.refuse("training_mode", "0: only inference is compiled", "1");
  if (n.take_integer("spatial", 1) == 0) n.refuse("spatial", "1: statistics per channel", "0");
  n.drop("is_test");
  n.drop("momentum");
  n.keep_outputs(1, "only inference is compiled");
}

OP({
    .name = "batch_norm",
    .summary = "(X - mean) * scale / sqrt(var + epsilon) + B, per channel",
    .onnx = {{"BatchNormalization", 1, 0, normalise_batch_norm}},
    .inputs = {in("X", Types::real), in("scale", Types::real), in("B", Types::real), in("mean", Types::real),
               in("var", Types::real)},
    .attributes = {real("epsilon", 1e-5)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank_at_least(0, 1);
      const Shape expected{c.rank() > 1 ? c.dim(0, 1) : 1};
      for (int i = 1; i < 5; ++i)
        if (c.shape(i) != expected)
          c.refuse(i, "shape " + to_string(expected) + ", one value per channel of X", to_string(c.shape(i)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("batch_norm", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto channel = c.rank() > 1 ? at[1] : ir::index(0);
            const auto x = wide(k.read(s.input(0)).at(at));
            const auto scale = wide(k.read(s.input(1)).at({channel})), shift = wide(k.read(s.input(2)).at({channel}));
            const auto mean = wide(k.read(s.input(3)).at({channel})), var = wide(k.read(s.input(4)).at({channel}));
            const auto Y = k.write_to(s.output());
            k.write(Y, at, as(Y, (x - mean) * (scale * rsqrt(var + c.real("epsilon"))) + shift));
          });
        },
});

// --- by the input's own statistics -----------------------------------------------------------------------------------

struct Moments {
  Place mean, inverse;  ///< f32, of the kept shape; inverse = 1 / sqrt(variance + epsilon)
};
Moments moments(const Call& c, Sequence& s, const Reduced& r) {
  const auto name = c.op().name;
  const double count = static_cast<double>(r.count);
  const auto mean = s.temporary("mean", {ElementType::f32, r.kept_shape});
  s.kernel(name + "_mean", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto X = k.read(s.input(0), r.shape);
    k.write(k.write_to(mean), axes.target, k.sum(wide(X.at(axes.source))) / count);
  });
  const auto inverse = s.temporary("inverse", {ElementType::f32, r.kept_shape});
  s.kernel(name + "_inverse", [&](Formula& k) {
    const auto axes = r.axes(k);
    const auto X = k.read(s.input(0), r.shape), M = k.read(mean);
    const auto d = wide(X.at(axes.source)) - M.at(axes.target);
    k.write(k.write_to(inverse), axes.target, rsqrt(k.sum(d * d) / count + c.real("epsilon")));
  });
  return {mean, inverse};
}
/// Y = (X - mean) * inverse * scale(at) + shift(at)
using Coefficient = std::function<Expr(Formula&, const Axes&)>;
void apply(const Call& c, Sequence& s, const Reduced& r, const Moments& m, const Coefficient& scale,
           const Coefficient& shift) {
  s.kernel(c.op().name, [&](Formula& k) {
    const auto at = k.over(r.shape);
    const auto X = k.read(s.input(0), r.shape), mean = k.read(m.mean), inverse = k.read(m.inverse);
    auto y = (wide(X.at(at)) - r.reduced_at(mean, at)) * r.reduced_at(inverse, at);
    if (scale) y = y * wide(scale(k, at));
    if (shift) y = y + wide(shift(k, at));
    const auto Y = k.write_to(s.output(), r.shape);
    k.write(Y, at, as(Y, y));
  });
}
std::vector<std::int64_t> axes_from(std::int64_t first, int rank) {
  std::vector<std::int64_t> axes;
  for (auto d = first; d < rank; ++d) axes.push_back(d);
  return axes;
}
void check_per_channel(const Call& c) {
  c.require_rank_at_least(0, 3);
  for (const int i : {1, 2})
    if (c.shape(i) != Shape{c.dim(0, 1)})
      c.refuse(i, fmt::format("shape [{}], one value per channel of X", c.dim(0, 1)), to_string(c.shape(i)));
}

OP({
    .name = "instance_norm",
    .summary = "(X - mean) / sqrt(variance + epsilon) * scale + B, statistics of each channel of each sample",
    .onnx = {{"InstanceNormalization", 1}},
    .inputs = {in("X", Types::real), like("scale"), like("B")},
    .attributes = {real("epsilon", 1e-5)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_per_channel(c);
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced r(c, axes_from(2, c.rank()));
          const auto per_channel = [&](int input) {
            return [&s, input](Formula& k, const Axes& at) { return k.read(s.input(input)).at({at[1]}); };
          };
          apply(c, s, r, moments(c, s, r), per_channel(1), per_channel(2));
        },
});

OP({
    .name = "group_norm",
    .summary =
        "(X - mean) / sqrt(variance + epsilon) * scale + bias, statistics of each group of channels of each sample",
    .onnx =
        {{"GroupNormalization", 18, 0,
          [](OnnxNode& n) {
            n.drop("stash_type");
            if (n.opset() >= 21) return;
            // Before opset 21 scale and bias had one value per group.
            const auto groups = n.integer("num_groups"), each = n.dim(0, 1) / std::max<std::int64_t>(groups, 1);
            for (const int i : {1, 2}) {
              if (!n.constant(i))
                n.refuse(i, "a value known at compile time, to spread it over channels", "one that is computed");
              std::vector<double> spread;
              for (const auto v : n.constant(i)->to_doubles())
                spread.insert(spread.end(), static_cast<std::size_t>(each), v);
              const auto width = static_cast<std::int64_t>(spread.size());
              n.set_input(i, n.graph().add_constant(n.input_name(i), ir::Tensor::of({n.element(i), {width}}, spread)));
            }
          }}},
    .inputs = {in("X", Types::real), like("scale"), like("bias")},
    .attributes = {real("epsilon", 1e-5), integer("num_groups").at_least(1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_per_channel(c);
      if (c.dim(0, 1) % c.integer("num_groups") != 0)
        c.refuse(0, fmt::format("a multiple of {} channels", c.integer("num_groups")), std::to_string(c.dim(0, 1)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto groups = c.integer("num_groups"), each = c.dim(0, 1) / groups;
          const Reduced r(join({c.dim(0, 0), groups, each}, from_dimension(c.shape(), 2)), axes_from(2, c.rank() + 1));
          const auto per_channel = [&](int input) {
            return [&s, input, each](Formula& k, const Axes& at) {
              return k.read(s.input(input)).at({mixed(at[1], each, at[2])});
            };
          };
          apply(c, s, r, moments(c, s, r), per_channel(1), per_channel(2));
        },
});

OP({
    .name = "layer_norm",
    .summary = "(X - mean) / sqrt(variance + epsilon) * scale + B, statistics over the dimensions from axis on",
    .onnx = {{"LayerNormalization", 17, 0,
              [](OnnxNode& n) {
                n.put_axis("axis", -1, n.rank());
                n.drop("stash_type");
              }}},
    .inputs = {in("X", Types::real), like("scale"), maybe(like("B"))},
    .outputs = {"Y", "Mean?", "InvStdDev?"},
    .attributes = {integer("axis").at_least(0), real("epsilon", 1e-5)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto axis = c.axis("axis", c.rank());
      const auto inner = from_dimension(c.shape(), static_cast<std::size_t>(axis));
      for (const int i : {1, 2}) {
        if (!c.has(i)) continue;
        const auto& shape = c.shape(i);
        for (std::size_t d = 0; d < shape.size(); ++d)
          if (shape.size() > c.shape().size() ||
              (shape[d] != 1 && shape[d] != c.shape()[c.shape().size() - shape.size() + d]))
            c.refuse(i, "a shape that broadcasts to " + to_string(inner), to_string(shape));
      }
      const TensorType statistic{ElementType::f32, Reduced(c, axes_from(axis, c.rank())).kept_shape};
      return {c.type(0), statistic, statistic};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced r(c, axes_from(c.integer("axis"), c.rank()));
          const auto m = moments(c, s, r);
          const auto broadcast = [&](int input) {
            return [&s, input](Formula& k, const Axes& at) { return aligned(k.read(s.input(input)), at); };
          };
          apply(c, s, r, m, broadcast(1), c.has(2) ? Coefficient(broadcast(2)) : Coefficient{});
          for (const int i : {1, 2}) {
            if (!c.wants(i)) continue;
            s.kernel(i == 1 ? "layer_norm_mean_out" : "layer_norm_inverse_out", [&](Formula& k) {
              const auto at = k.over(r.kept_shape);
              const auto from = k.read(i == 1 ? m.mean : m.inverse);
              k.write(k.write_to(s.output(i)), at, from.at(at));
            });
          }
        },
});

OP({
    .name = "mean_variance_norm",
    .summary = "(X - mean) / (sqrt(variance) + 1e-9) over the axes",
    .onnx = {{"MeanVarianceNormalization", 9, 0,
              [](OnnxNode& n) {
                n.put("axes", n.positive_axes(n.take_integers("axes").value_or(Shape{0, 2, 3}), n.rank(), "axes"));
              }}},
    .inputs = {in("X", Types::real)},
    .attributes = {integers("axes").at_least(0), real("epsilon", 0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const Reduced checked(c, c.integers("axes"));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const Reduced r(c, c.integers("axes"));
          const double count = static_cast<double>(r.count);
          const auto mean = s.temporary("mean", {ElementType::f32, r.kept_shape});
          const auto deviation = s.temporary("deviation", {ElementType::f32, r.kept_shape});
          s.kernel("mean_variance_norm_mean", [&](Formula& k) {
            const auto axes = r.axes(k);
            const auto X = k.read(s.input(0));
            k.write(k.write_to(mean), axes.target, k.sum(wide(X.at(axes.source))) / count);
          });
          s.kernel("mean_variance_norm_deviation", [&](Formula& k) {
            const auto axes = r.axes(k);
            const auto X = k.read(s.input(0)), M = k.read(mean);
            const auto d = wide(X.at(axes.source)) - M.at(axes.target);
            k.write(k.write_to(deviation), axes.target, ir::unary(ir::UnaryOp::sqrt, k.sum(d * d) / count));
          });
          s.kernel("mean_variance_norm", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto X = k.read(s.input(0)), M = k.read(mean), D = k.read(deviation);
            const auto Y = k.write_to(s.output());
            k.write(Y, at, as(Y, (wide(X.at(at)) - r.reduced_at(M, at)) / (r.reduced_at(D, at) + 1e-9)));
          });
        },
});

// --- local response --------------------------------------------------------------------------------------------------

OP({
    .name = "lrn",
    .summary = "X / (bias + alpha / size * sum of X^2 over the `size` channels around) ^ beta",
    .onnx = {{"LRN", 1}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 0.0001), real("beta", 0.75), real("bias", 1), integer("size").at_least(1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank_at_least(0, 2);
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto size = c.integer("size");
          s.kernel("lrn", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto i = k.reduction("i", size);
            auto around = at;
            around[1] = shifted(at[1] + i, -((size - 1) / 2));  // the odd one of an even size lies above
            const auto X = k.read(s.input(0));
            const auto x = wide(X.at(around, 0.0));
            const auto sum = k.sum(x * x);
            const auto base = sum * (c.real("alpha") / static_cast<double>(size)) + c.real("bias");
            const auto Y = k.write_to(s.output());
            k.write(Y, at,
                    as(Y, wide(X.at(at)) /
                              ir::binary(ir::BinaryOp::pow, base, ir::constant(ElementType::f32, c.real("beta")))));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
