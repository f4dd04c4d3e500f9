// Conversion between floats and integers with a scale and a zero point: q = saturate(round(x / scale) + zero).
#include <fmt/format.h>

#include "compiler/ops/define.hpp"
#include "compiler/ops/quantised.hpp"

namespace pimento::ops {

Expr saturated(const Expr& value, ElementType type) {
  // The conversion truncates and saturates; the value is a whole number by now.
  return ir::cast(type, value);
}
Expr round_half_even(const Expr& value) { return ir::unary(ir::UnaryOp::round, value); }

Expr per_axis(const Formula::Operand& t, const Axes& at, std::int64_t axis) {
  const auto& shape = t.type().shape;
  if (ir::element_count(shape) == 1) return t.at(Axes(shape.size(), ir::index(0)));
  return t.at({at[static_cast<std::size_t>(axis)]});
}

void check_parameter(const Call& c, int input, std::int64_t axis, std::int64_t extent) {
  if (!c.has(input) || ir::element_count(c.shape(input)) == 1) return;
  if (c.shape(input) != Shape{extent})
    c.refuse(input, fmt::format("one element, or shape [{}], the extent of dimension {}", extent, axis),
             to_string(c.shape(input)));
}

namespace {

/// The axis of per-axis parameters; it is not looked at when there is one scale for all.
void normalise_axis(OnnxNode& n) {
  const auto axis = n.take_integer("axis", 1);
  if (n.take_integer("block_size", 0) != 0) n.refuse("block_size", "0: scales per tensor or per axis", "blocks");
  n.drop("saturate");
  n.put("axis", n.has(1) && n.type(1).elements() != 1 ? n.positive_axis(axis, n.rank(), "axis") : 0);
}
void normalise_quantize(OnnxNode& n) {
  normalise_axis(n);
  const auto number = n.take_integer("output_dtype", 0);
  const auto written = number == 0 ? std::optional(ElementType::u8) : element_type_of_onnx(number);
  if (!written) n.refuse("output_dtype", "an integer type", fmt::format("ONNX type number {}", number));
  n.put("type", std::string(to_string(n.has(2) ? n.element(2) : *written)));
}

void check_parameters(const Call& c) {
  const auto axis = c.integer("axis");
  const bool per_tensor = ir::element_count(c.shape(1)) == 1;
  if (!per_tensor) c.axis("axis", c.rank());
  const auto extent = per_tensor ? 1 : c.dim(0, static_cast<int>(axis));
  for (const int input : {1, 2}) check_parameter(c, input, axis, extent);
}

OP({
    .name = "quantize_linear",
    .summary = "saturate(round(x / scale) + zero_point), rounded half to even",
    .onnx = {{"QuantizeLinear", 10, 0, normalise_quantize}},
    .inputs = {in("x", Types::numeric), in("scale", Types::real), maybe(in("zero_point", Types::integer))},
    .attributes = {integer("axis", 0).at_least(0), text("type", {"u8", "i8", "u16", "i16"})},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_parameters(c);
      const auto type = *parse_element_type(c.text("type"));
      if (c.has(2) && c.element(2) != type) c.refuse(2, c.text("type"), std::string(to_string(c.element(2))));
      return {{type, c.shape()}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("quantize_linear", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto wide = [](const Expr& e) { return ir::cast(ElementType::f32, e); };
            const auto x = wide(k.read(s.input(0)).at(at)),
                       scale = wide(per_axis(k.read(s.input(1)), at, c.integer("axis")));
            auto q = round_half_even(x / scale);
            if (c.has(2)) q = q + wide(per_axis(k.read(s.input(2)), at, c.integer("axis")));
            const auto Y = k.write_to(s.output());
            k.write(Y, at, saturated(q, Y.type().type));
          });
        },
});

OP({
    .name = "dequantize_linear",
    .summary = "(x - zero_point) * scale",
    .onnx = {{"DequantizeLinear", 10, 0, normalise_axis}},
    .inputs = {in("x", Types::integer), in("scale", Types::real), maybe(like("zero_point"))},
    .attributes = {integer("axis", 0).at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_parameters(c);
      return {{c.element(1), c.shape()}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("dequantize_linear", [&](Formula& k) {
            const auto at = k.over(c.shape());
            auto x = ir::cast(ElementType::i32, k.read(s.input(0)).at(at));
            const auto scale = ir::cast(ElementType::f32, per_axis(k.read(s.input(1)), at, c.integer("axis")));
            if (c.has(2)) x = x - ir::cast(ElementType::i32, per_axis(k.read(s.input(2)), at, c.integer("axis")));
            const auto Y = k.write_to(s.output());
            k.write(Y, at, as(Y, ir::cast(ElementType::f32, x) * scale));
          });
        },
});

// --- scale and zero point from the data ------------------------------------------------------------------------------

void dynamic_kernels(const Call& c, Sequence& s) {
  const auto wide = [](double v) { return ir::constant(ElementType::f32, v); };
  const Place low = s.temporary("low", {ElementType::f32, {}}), high = s.temporary("high", {ElementType::f32, {}});
  // The range holds 0, so that 0 is exact.
  const auto bound = [&](const Place& to, const char* name, ir::Combiner combiner,
                         Expr (*with_zero)(const Expr&, const Expr&)) {
    s.kernel(name, [&](Formula& k) {
      const auto i = k.reduction("i", c.type(0).elements());
      const auto x = k.accumulate(combiner, k.read(s.input(0), {c.type(0).elements()}).at({i}));
      k.write(k.write_to(to), {}, with_zero(x, ir::constant(ElementType::f32, 0)));
    });
  };
  bound(low, "dynamic_low", ir::Combiner::min, ir::min);
  bound(high, "dynamic_high", ir::Combiner::max, ir::max);
  const Place scale = c.wants(1) ? s.output(1) : s.temporary("scale", {ElementType::f32, {}});
  const Place zero = c.wants(2) ? s.output(2) : s.temporary("zero", {ElementType::u8, {}});
  s.kernel("dynamic_scale", [&](Formula& k) {
    const auto l = k.read(low).at({}), h = k.read(high).at({});
    k.write(k.write_to(scale), {}, (h - l) / 255.0);
  });
  s.kernel("dynamic_zero", [&](Formula& k) {
    const auto l = k.read(low).at({}), by = k.read(scale).at({});
    const auto point = ir::select(ir::binary(ir::BinaryOp::eq, by, wide(0)), wide(0), round_half_even(-l / by));
    k.write(k.write_to(zero), {}, saturated(point, ElementType::u8));
  });
  if (!c.wants(0)) return;
  s.kernel("dynamic_quantize_linear", [&](Formula& k) {
    const auto at = k.over(c.shape());
    const auto x = k.read(s.input(0)).at(at), by = k.read(scale).at({}), point = k.read(zero).at({});
    const auto q = ir::select(ir::binary(ir::BinaryOp::eq, by, wide(0)), wide(0), round_half_even(x / by));
    k.write(k.write_to(s.output()), at, saturated(q + ir::cast(ElementType::f32, point), ElementType::u8));
  });
}

OP({
    .name = "dynamic_quantize_linear",
    .summary = "x to u8 with the scale and zero point of its own range, which holds 0",
    .onnx = {{"DynamicQuantizeLinear", 11}},
    .inputs = {in("x", Types::real)},
    .outputs = {"y", "y_scale", "y_zero_point"},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (c.element() != ElementType::f32) c.refuse(0, "f32", std::string(to_string(c.element())));
      return {{ElementType::u8, c.shape()}, {ElementType::f32, {}}, {ElementType::u8, {}}};
    },
    .kernels = dynamic_kernels,
});

}  // namespace
}  // namespace pimento::ops
