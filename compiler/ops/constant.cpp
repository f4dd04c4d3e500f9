// Values that are known at compile time, and tensors made from a formula alone.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

ir::Tensor real_tensor(const std::vector<double>& values, Shape shape) {
  return ir::Tensor::of({ElementType::f32, std::move(shape)}, values);
}
ir::Tensor integer_tensor(const std::vector<std::int64_t>& values, Shape shape) {
  return ir::Tensor::of_integers({ElementType::i64, std::move(shape)}, values);
}

void normalise_constant(OnnxNode& n) {
  std::optional<ir::Tensor> content = n.take_tensor("value");
  if (n.given("value_float")) content = real_tensor({n.take_real("value_float", 0)}, {});
  if (n.given("value_int")) content = integer_tensor({n.take_integer("value_int", 0)}, {});
  if (const auto list = n.take_reals("value_floats"))
    content = real_tensor(*list, {static_cast<std::int64_t>(list->size())});
  if (const auto list = n.take_integers("value_ints"))
    content = integer_tensor(*list, {static_cast<std::int64_t>(list->size())});
  if (!content) n.refuse("a dense value of numbers", "a sparse one, strings, or none");
  n.define(0, *content);
  n.dissolve();
}

OP({
    .name = "constant",
    .summary = "becomes a constant of the graph",
    .onnx = {{"Constant", 1, 0, normalise_constant}},
    .inputs = {},
    .infer = [](const Call& c) -> std::vector<TensorType> { c.refuse("a value of the graph", "a node"); },
});

void normalise_shape(OnnxNode& n) {
  const std::int64_t rank = n.rank();
  const auto clamp = [&](std::int64_t at) {
    return std::min(std::max<std::int64_t>(at < 0 ? at + rank : at, 0), rank);
  };
  const auto start = clamp(n.take_integer("start", 0));
  const auto end = std::max(start, clamp(n.take_integer("end", rank)));
  const Shape part(n.shape().begin() + start, n.shape().begin() + end);
  n.define(0, integer_tensor(part, {end - start}));
  n.dissolve();
}

OP({
    .name = "shape",
    .summary = "the extents of X; becomes a constant, since shapes are static",
    .onnx = {{"Shape", 1, 0, normalise_shape},
             {"Size", 1, 0,
              [](OnnxNode& n) {
                n.define(0, integer_tensor({n.type(0).elements()}, {}));
                n.dissolve();
              }}},
    .inputs = {in("X")},
    .infer = [](const Call& c) -> std::vector<TensorType> { c.refuse("a value of the graph", "a node"); },
});

// --- fill ------------------------------------------------------------------------------------------------------------

void normalise_constant_of_shape(OnnxNode& n) {
  const auto shape = n.known_integers(0);
  if (!shape) n.refuse("input 'input'", "none");
  n.put("shape", *shape);
  auto value = n.take_tensor("value").value_or(real_tensor({0}, {1}));
  if (value.elements() != 1) n.refuse("value", "one element", to_string(value.shape()));
  n.put("value", value.reshaped({}));
  n.keep_inputs(0);
}

OP({
    .name = "fill",
    .summary = "one value everywhere",
    .onnx = {{"ConstantOfShape", 9, 0, normalise_constant_of_shape}},
    .inputs = {},
    .attributes = {integers("shape").at_least(0), tensor("value")},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      return {{c.tensor("value").element_type(), c.integers("shape")}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("fill", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            k.write(k.write_to(s.output()), at, ir::Const::make(c.tensor("value").at(0)));
          });
        },
});

// --- range -----------------------------------------------------------------------------------------------------------

void normalise_range(OnnxNode& n) {
  const auto type = n.element(0);
  for (const int input : {0, 1, 2}) {
    if (!n.constant(input)) n.refuse(input, "a value known at compile time", "one that is computed");
    if (n.constant(input)->elements() != 1) n.refuse(input, "one element", to_string(n.shape(input)));
  }
  std::int64_t count = 0;
  if (is_float(type)) {
    const auto start = n.known_reals(0)->front(), limit = n.known_reals(1)->front(), delta = n.known_reals(2)->front();
    if (delta == 0) n.refuse(2, "a step other than 0", "0");
    const double steps = std::ceil((limit - start) / delta);
    if (!(std::fabs(steps) < 1e12)) n.refuse(1, "fewer than 1e12 steps", fmt::format("{}", steps));
    count = static_cast<std::int64_t>(steps);
  } else {
    const auto known = [&](int input) { return n.constant(input)->to_integers().front(); };
    const std::int64_t start = known(0), limit = known(1), delta = known(2);
    if (delta == 0) n.refuse(2, "a step other than 0", "0");
    std::int64_t span = 0;
    if (__builtin_sub_overflow(limit, start, &span) ||
        (span == std::numeric_limits<std::int64_t>::min() && delta == -1))
      n.refuse(1, "a limit within 2^63 of the start", std::to_string(limit));
    count = span / delta + (span % delta != 0 && (span < 0) == (delta < 0) ? 1 : 0);
  }
  n.put("start", n.constant(0)->reshaped({}));
  n.put("delta", n.constant(2)->reshaped({}));
  n.put("count", std::max<std::int64_t>(count, 0));
  n.keep_inputs(0);
}

OP({
    .name = "range",
    .summary = "start + i * delta for i below count",
    .onnx = {{"Range", 11, 0, normalise_range}},
    .inputs = {},
    .attributes = {tensor("start"), tensor("delta"), integer("count").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      return {{c.tensor("start").element_type(), {c.integer("count")}}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("range", [&](Formula& k) {
            const auto i = k.parallel("i", c.integer("count"));
            const auto start = ir::Const::make(c.tensor("start").at(0)),
                       delta = ir::Const::make(c.tensor("delta").at(0));
            k.write(k.write_to(s.output()), {i}, start + ir::cast(start.type(), i) * delta);
          });
        },
});

// --- eye_like --------------------------------------------------------------------------------------------------------

OP({
    .name = "eye_like",
    .summary = "1 on the k-th diagonal, 0 elsewhere",
    .onnx = {{"EyeLike", 9, 0,
              [](OnnxNode& n) {
                n.require_rank(0, 2);
                const auto number = n.take_integer("dtype", 0);
                const auto type = number == 0 ? std::optional(n.element()) : element_type_of_onnx(number);
                if (!type)
                  n.refuse("dtype", "a float, integer or bool type", fmt::format("ONNX type number {}", number));
                n.put("type", std::string(to_string(*type)));
                n.put("shape", n.shape());
                n.keep_inputs(0);
              }}},
    .inputs = {},
    .attributes = {integers("shape").at_least(0), text("type", {}), integer("k", 0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto type = parse_element_type(c.text("type"));
      if (!type) c.refuse("type", "an element type", "'" + c.text("type") + "'");
      if (c.integers("shape").size() != 2) c.refuse("shape", "2 extents", to_string(c.integers("shape")));
      return {{*type, c.integers("shape")}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("eye_like", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            const auto Y = k.write_to(s.output());
            k.write(Y, at, as(Y, ir::binary(ir::BinaryOp::eq, at[1], shifted(at[0], c.integer("k")))));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
