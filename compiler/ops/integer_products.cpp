// Convolutions and matrix products of 8-bit integers with zero points: the sum as i32, or requantised to 8 bits as
// saturate(round(sum * x_scale * w_scale / y_scale) + y_zero). Scales and zero points are known at compile time.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/products.hpp"
#include "compiler/ops/quantised.hpp"

namespace pimento::ops {

Expr zero_of(const std::vector<std::int64_t>& zeros, const Expr& channel) {
  if (std::all_of(zeros.begin(), zeros.end(), [](std::int64_t z) { return z == 0; })) return {};
  return zeros.size() == 1 ? ir::index(zeros.front()) : by_table(zeros, channel);
}

namespace {

std::int64_t one_zero(OnnxNode& n, int input) {
  const auto zero = n.known_integers(input);
  if (!zero) return 0;
  if (std::adjacent_find(zero->begin(), zero->end(), std::not_equal_to<>()) != zero->end())
    n.refuse(input, "one zero point for the whole operand", to_string(*zero));
  return zero->empty() ? 0 : zero->front();
}
std::vector<std::int64_t> zeros(OnnxNode& n, int input) { return n.known_integers(input).value_or(Shape{0}); }
double one_scale(OnnxNode& n, int input) {
  const auto scale = n.known_reals(input);
  if (!scale || scale->size() != 1) n.refuse(input, "one scale for the whole operand", "none or several");
  return scale->front();
}

void normalise_integer(OnnxNode& n) {
  n.put("left_zero", one_zero(n, 2));
  n.put("right_zero", zeros(n, 3));
  n.keep_inputs(2);
}
/// Inputs x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero (, B) become x, w (, B).
void normalise_requantised(OnnxNode& n) {
  if (n.inputs() < 8) n.refuse("8 inputs or more", std::to_string(n.inputs()));
  n.put("left_zero", one_zero(n, 2));
  n.put("right_zero", zeros(n, 5));
  n.put("result_zero", one_zero(n, 7));
  if (!n.has(7)) n.refuse(7, "a zero point, which gives the result's type", "none");
  n.put("type", std::string(to_string(n.element(7))));
  const double x = one_scale(n, 1), y = one_scale(n, 6);
  auto multipliers = n.known_reals(4).value_or(std::vector<double>{});
  for (auto& w : multipliers)  // in f32, in this order, as the reference does
    w = static_cast<float>(static_cast<float>(x) * static_cast<float>(w)) / static_cast<float>(y);
  n.put("multiplier", multipliers);
  std::vector<ir::ValueId> inputs{n.node().inputs[0], n.node().inputs[3]};
  if (n.has(8)) inputs.push_back(n.node().inputs[8]);
  n.node().inputs = inputs;
}

std::vector<AttributeSpec> with_zeros(std::vector<AttributeSpec> specs, bool requantised) {
  specs.push_back(integer("left_zero", 0));
  specs.push_back(integers("right_zero"));
  if (!requantised) return specs;
  specs.push_back(reals("multiplier"));
  specs.push_back(integer("result_zero", 0));
  specs.push_back(text("type", {"u8", "i8"}));
  return specs;
}
std::vector<AttributeSpec> with_group(std::vector<AttributeSpec> specs) {
  specs.push_back(integer("group", 1).at_least(1));
  return specs;
}

void check_bytes(const Call& c, std::int64_t channels) {
  for (const int input : {0, 1})
    if (size_of(c.element(input)) != 1 || c.element(input) == ElementType::boolean)
      c.refuse(input, "u8 or i8", std::string(to_string(c.element(input))));
  const auto fits = [&](std::size_t size) { return size == 1 || static_cast<std::int64_t>(size) == channels; };
  if (!fits(c.integers("right_zero").size()))
    c.refuse("right_zero", fmt::format("1 or {} values", channels), std::to_string(c.integers("right_zero").size()));
  if (c.given("multiplier") && !fits(c.reals("multiplier").size()))
    c.refuse("multiplier", fmt::format("1 or {} values", channels), std::to_string(c.reals("multiplier").size()));
  if (c.has(2) && (c.shape(2) != Shape{channels} || c.element(2) != ElementType::i32))
    c.refuse(2, fmt::format("i32[{}]", channels), ir::to_string(c.type(2)));
}
std::int64_t columns(const Call& c) { return c.rank(1) < 2 ? 1 : c.shape(1).back(); }

ProductForm integer_form(const Call& c) {
  return {.left_zero = c.integer("left_zero"), .right_zero = c.integers("right_zero")};
}
ProductForm requantised_form(const Call& c) {
  auto form = integer_form(c);
  form.bias = c.has(2) ? 2 : -1;
  form.finish = [&c](const Expr& sum, const Expr& channel) {
    const auto& multipliers = c.reals("multiplier");
    const auto factor =
        multipliers.size() == 1 ? ir::constant(ElementType::f32, multipliers.front()) : by_table(multipliers, channel);
    const auto q = round_half_even(ir::cast(ElementType::f32, sum) * factor);
    return saturated(q + static_cast<double>(c.integer("result_zero")), *parse_element_type(c.text("type")));
  };
  return form;
}

OP({.name = "conv_integer",
    .summary = "convolution of (x - x_zero) and (w - w_zero), in i32",
    .onnx = {{"ConvInteger", 10, 0,
              [](OnnxNode& n) {
                normalise_convolution(n);
                normalise_integer(n);
              }}},
    .inputs = {in("x", Types::integer), in("w", Types::integer)},
    .attributes = with_zeros(with_group(window_attributes()), false),
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_bytes(c, c.dim(1, 0));
      return {{ElementType::i32, convolution_shape(c)}};
    },
    .kernels = [](const Call& c, Sequence& s) { convolution(c, s, integer_form(c)); }});
OP({.name = "qlinear_conv",
    .summary = "convolution of (x - x_zero) and (w - w_zero), + B, requantised",
    .onnx = {{"QLinearConv", 10, 0,
              [](OnnxNode& n) {
                normalise_requantised(n);
                normalise_convolution(n);
              }}},
    .inputs = {in("x", Types::integer), in("w", Types::integer), maybe(in("B", Types::integer))},
    .attributes = with_zeros(with_group(window_attributes()), true),
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_bytes(c, c.dim(1, 0));
      return {{*parse_element_type(c.text("type")), convolution_shape(c)}};
    },
    .kernels = [](const Call& c, Sequence& s) { convolution(c, s, requantised_form(c)); }});
OP({.name = "matmul_integer",
    .summary = "matrix product of (A - a_zero) and (B - b_zero), in i32",
    .onnx = {{"MatMulInteger", 10, 0, normalise_integer}},
    .inputs = {in("A", Types::integer), in("B", Types::integer)},
    .attributes = with_zeros({}, false),
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_bytes(c, columns(c));
      return {{ElementType::i32, matrix_product_shape(c)}};
    },
    .kernels = [](const Call& c, Sequence& s) { matrix_product(c, s, integer_form(c)); }});
OP({.name = "qlinear_matmul",
    .summary = "matrix product of (A - a_zero) and (B - b_zero), requantised",
    .onnx = {{"QLinearMatMul", 10, 0, normalise_requantised}},
    .inputs = {in("A", Types::integer), in("B", Types::integer)},
    .attributes = with_zeros({}, true),
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_bytes(c, columns(c));
      return {{*parse_element_type(c.text("type")), matrix_product_shape(c)}};
    },
    .kernels = [](const Call& c, Sequence& s) { matrix_product(c, s, requantised_form(c)); }});

}  // namespace
}  // namespace pimento::ops
