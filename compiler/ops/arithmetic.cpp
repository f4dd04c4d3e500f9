// Element-wise operators of two or more operands, with broadcasting: one row each.
#include <fmt/format.h>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

using ir::BinaryOp;

std::vector<TensorType> infer_broadcast(const Call& c) { return {{c.element(), broadcast_shape(c)}}; }
std::vector<TensorType> infer_comparison(const Call& c) { return {{ElementType::boolean, broadcast_shape(c)}}; }

OpDef binary(const std::string& name, const std::string& onnx, BinaryOp op, Types types, const std::string& summary,
             int since = 1) {
  const bool comparison = ir::binary_operators()[static_cast<std::size_t>(op)].kind == ir::OperatorKind::compare;
  return {.name = name,
          .summary = summary,
          .onnx = {{onnx, since, 0, [](OnnxNode& n) { n.legacy_broadcast(); }}},
          .inputs = {in("A", types), like("B")},
          .infer = comparison ? infer_comparison : infer_broadcast,
          .kernels = [op](const Call& c, Sequence& s) {
            elementwise(c, s, [op](const std::vector<Expr>& x) { return ir::binary(op, x[0], x[1]); });
          }};
}
const Registration binaries[] = {
    binary("add", "Add", BinaryOp::add, Types::numeric, "A + B"),
    binary("sub", "Sub", BinaryOp::sub, Types::numeric, "A - B"),
    binary("mul", "Mul", BinaryOp::mul, Types::numeric, "A * B"),
    binary("div", "Div", BinaryOp::div, Types::numeric, "A / B; integers: towards zero"),
    binary("equal", "Equal", BinaryOp::eq, Types::any, "A == B"),
    binary("less", "Less", BinaryOp::lt, Types::numeric, "A < B"),
    binary("less_or_equal", "LessOrEqual", BinaryOp::le, Types::numeric, "A <= B", 12),
    binary("greater", "Greater", BinaryOp::gt, Types::numeric, "A > B"),
    binary("greater_or_equal", "GreaterOrEqual", BinaryOp::ge, Types::numeric, "A >= B", 12),
    binary("and", "And", BinaryOp::bit_and, Types::boolean, "A and B"),
    binary("or", "Or", BinaryOp::bit_or, Types::boolean, "A or B"),
    binary("xor", "Xor", BinaryOp::bit_xor, Types::boolean, "exactly one of A and B"),
    binary("bitwise_and", "BitwiseAnd", BinaryOp::bit_and, Types::integer, "A and B, bit by bit", 18),
    binary("bitwise_or", "BitwiseOr", BinaryOp::bit_or, Types::integer, "A or B, bit by bit", 18),
    binary("bitwise_xor", "BitwiseXor", BinaryOp::bit_xor, Types::integer, "exactly one of A and B, bit by bit", 18),
};

/// Operators over any number of operands: a chain from the left, divided by their number for the mean.
OpDef chain(const std::string& name, const std::string& onnx, BinaryOp op, Types types, const std::string& summary,
            bool mean = false) {
  return {.name = name,
          .summary = summary,
          .onnx = {{onnx, 1}},
          .inputs = {many(in("inputs", types))},
          .infer = infer_broadcast,
          .kernels = [op, mean](const Call& c, Sequence& s) {
            elementwise_wide(c, s, [op, mean](const std::vector<Expr>& x) {
              Expr result = x[0];
              for (std::size_t i = 1; i < x.size(); ++i) result = ir::binary(op, result, x[i]);
              return mean && x.size() > 1 ? result / static_cast<double>(x.size()) : result;
            });
          }};
}
const Registration chains[] = {
    chain("min", "Min", BinaryOp::min, Types::numeric, "smallest of the inputs; NaN if one is NaN"),
    chain("max", "Max", BinaryOp::max, Types::numeric, "largest of the inputs; NaN if one is NaN"),
    chain("sum", "Sum", BinaryOp::add, Types::real, "sum of the inputs, from the left"),
    chain("mean", "Mean", BinaryOp::add, Types::real, "sum of the inputs, from the left, by their number", true),
};

OP({
    .name = "pow",
    .summary = "X to the Y, of the type of X",
    .onnx = {{"Pow", 1, 0, [](OnnxNode& n) { n.legacy_broadcast(); }}},
    .inputs = {in("X", Types::numeric), in("Y", Types::numeric)},
    .infer = infer_broadcast,
    .kernels =
        [](const Call& c, Sequence& s) {
          elementwise_wide(c, s, [](const std::vector<Expr>& x) {
            const bool real = is_float(x[0].type()) || is_float(x[1].type());
            const auto type = real ? ElementType::f32 : x[0].type();
            return ir::binary(BinaryOp::pow, ir::cast(type, x[0]), ir::cast(type, x[1]));
          });
        },
});

OP({
    .name = "mod",
    .summary = "remainder of A / B: sign of B, or sign of A with fmod",
    .onnx = {{"Mod", 10}},
    .inputs = {in("A", Types::numeric), like("B")},
    .attributes = {flag("fmod", false)},
    .infer =
        [](const Call& c) {
          if (is_float(c.element()) && !c.flag("fmod")) c.refuse("fmod", "1, since the operands are floats", "0");
          return infer_broadcast(c);
        },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto op = c.flag("fmod") ? BinaryOp::rem : BinaryOp::floor_mod;
          elementwise(c, s, [op](const std::vector<Expr>& x) { return ir::binary(op, x[0], x[1]); });
        },
});

OP({
    .name = "bit_shift",
    .summary = "A shifted by B bits to the left or right",
    .onnx = {{"BitShift", 11}},
    .inputs = {in("A", Types::integer), like("B")},
    .attributes = {text("direction", {"LEFT", "RIGHT"})},
    .infer = infer_broadcast,
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto op = c.text("direction") == "LEFT" ? BinaryOp::shift_left : BinaryOp::shift_right;
          elementwise(c, s, [op](const std::vector<Expr>& x) { return ir::binary(op, x[0], x[1]); });
        },
});

OP({
    .name = "prelu",
    .summary = "X < 0 ? slope * X : X",
    .onnx = {{"PRelu", 1, 0,
              [](OnnxNode& n) {
                // Before opset 7 a slope of one value per channel stood for all positions.
                if (n.opset() < 7 && n.has(1) && n.rank(1) == 1 && n.rank(0) > 2 && n.dim(1, 0) != 1) {
                  Shape wide{n.dim(1, 0)};
                  wide.insert(wide.end(), static_cast<std::size_t>(n.rank(0)) - 2, 1);
                  n.set_input(1, n.reshaped(n.node().inputs[1], wide));
                }
              }}},
    .inputs = {in("X", Types::numeric), like("slope")},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (broadcast_shape(c) != c.shape(0))
        c.refuse(1, "a shape that broadcasts to " + to_string(c.shape(0)), to_string(c.shape(1)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          elementwise(c, s, [](const std::vector<Expr>& x) {
            return ir::select(ir::binary(BinaryOp::lt, x[0], ir::constant(x[0].type(), 0)), x[1] * x[0], x[0]);
          });
        },
});

OP({
    .name = "where",
    .summary = "condition ? X : Y",
    .onnx = {{"Where", 9}},
    .inputs = {in("condition", Types::boolean), in("X"), in("Y")},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (c.element(2) != c.element(1))
        c.refuse(2, fmt::format("{}, as 'X' has", to_string(c.element(1))), std::string(to_string(c.element(2))));
      return {{c.element(1), broadcast_shape(c)}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          elementwise(c, s, [](const std::vector<Expr>& x) { return ir::select(x[0], x[1], x[2]); });
        },
});

}  // namespace
}  // namespace pimento::ops
