// Element-wise operators of one operand that are a single scalar operator, and conversions.
#include <fmt/format.h>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

using ir::UnaryOp;

std::vector<TensorType> infer_test(const Call& c) { return {{ElementType::boolean, c.shape()}}; }

OpDef unary(const std::string& name, const std::string& onnx, int since, UnaryOp op, Types types) {
  const bool test = op == UnaryOp::is_nan || op == UnaryOp::is_inf;
  return {.name = name,
          .summary = std::string(ir::unary_operators()[static_cast<std::size_t>(op)].meaning),
          .onnx = {{onnx, since}},
          .inputs = {in("X", types)},
          .infer = test ? infer_test : same_as_input,
          .kernels = [op](const Call& c, Sequence& s) {
            elementwise(c, s, [op](const std::vector<Expr>& x) { return ir::unary(op, x[0]); });
          }};
}
const Registration unaries[] = {
    unary("relu", "Relu", 1, UnaryOp::relu, Types::numeric),
    unary("sigmoid", "Sigmoid", 1, UnaryOp::sigmoid, Types::real),
    unary("tanh", "Tanh", 1, UnaryOp::tanh, Types::real),
    unary("exp", "Exp", 1, UnaryOp::exp, Types::real),
    unary("log", "Log", 1, UnaryOp::log, Types::real),
    unary("sqrt", "Sqrt", 1, UnaryOp::sqrt, Types::real),
    unary("reciprocal", "Reciprocal", 1, UnaryOp::recip, Types::real),
    unary("erf", "Erf", 9, UnaryOp::erf, Types::real),
    unary("abs", "Abs", 1, UnaryOp::abs, Types::numeric),
    unary("neg", "Neg", 1, UnaryOp::neg, Types::numeric),
    unary("sign", "Sign", 9, UnaryOp::sign, Types::numeric),
    unary("floor", "Floor", 1, UnaryOp::floor, Types::real),
    unary("ceil", "Ceil", 1, UnaryOp::ceil, Types::real),
    unary("round", "Round", 11, UnaryOp::round, Types::real),
    unary("sin", "Sin", 7, UnaryOp::sin, Types::real),
    unary("cos", "Cos", 7, UnaryOp::cos, Types::real),
    unary("tan", "Tan", 7, UnaryOp::tan, Types::real),
    unary("asin", "Asin", 7, UnaryOp::asin, Types::real),
    unary("acos", "Acos", 7, UnaryOp::acos, Types::real),
    unary("atan", "Atan", 7, UnaryOp::atan, Types::real),
    unary("sinh", "Sinh", 9, UnaryOp::sinh, Types::real),
    unary("cosh", "Cosh", 9, UnaryOp::cosh, Types::real),
    unary("asinh", "Asinh", 9, UnaryOp::asinh, Types::real),
    unary("acosh", "Acosh", 9, UnaryOp::acosh, Types::real),
    unary("atanh", "Atanh", 9, UnaryOp::atanh, Types::real),
    unary("not", "Not", 1, UnaryOp::logical_not, Types::boolean),
    unary("bitwise_not", "BitwiseNot", 18, UnaryOp::logical_not, Types::integer),
    unary("is_nan", "IsNaN", 9, UnaryOp::is_nan, Types::real),
};

OP({
    .name = "is_inf",
    .summary = "X is plus or minus infinity, of the signs asked for",
    .onnx = {{"IsInf", 10}},
    .inputs = {in("X", Types::real)},
    .attributes = {flag("detect_negative", true), flag("detect_positive", true)},
    .infer = infer_test,
    .kernels =
        [](const Call& c, Sequence& s) {
          const bool negative = c.flag("detect_negative"), positive = c.flag("detect_positive");
          elementwise(c, s, [=](const std::vector<Expr>& x) {
            const auto infinite = ir::unary(UnaryOp::is_inf, x[0]);
            if (negative && positive) return infinite;
            const auto zero = ir::constant(x[0].type(), 0);
            if (!negative && !positive) return ir::constant(ElementType::boolean, 0);
            return ir::binary(ir::BinaryOp::bit_and, infinite,
                              ir::binary(negative ? ir::BinaryOp::lt : ir::BinaryOp::gt, x[0], zero));
          });
        },
});

OP({
    .name = "identity",
    .summary = "X",
    .onnx = {{"Identity", 1},
             {"Dropout", 1, 0,
              [](OnnxNode& n) {
                n.drop("is_test");
                n.drop("ratio");
                n.drop("seed");
                if (n.has(2)) {
                  const auto mode = n.known_integers(2);
                  const auto ratio = n.has(1) ? n.known_reals(1) : std::vector<double>{0.5};
                  if (mode->size() != 1 || ratio->size() != 1) n.refuse("one ratio and one mode", "none or several");
                  if (mode->front() != 0 && ratio->front() != 0)
                    n.refuse(2, "false: only inference is compiled", "true");
                }
                n.keep_inputs(1);
                if (n.wants(1))
                  n.define(1,
                           ir::Tensor::filled({n.opset() < 10 ? n.element() : ElementType::boolean, n.shape()},
                                              ir::Scalar::of(n.opset() < 10 ? n.element() : ElementType::boolean, 1)));
                n.node().outputs.resize(1);
                n.node().op = "identity";
              }}},
    .inputs = {in("X")},
    .infer = same_as_input,
    .kernels = [](const Call& c, Sequence& s) { elementwise(c, s, [](const std::vector<Expr>& x) { return x[0]; }); },
});

// --- conversion ------------------------------------------------------------------------------------------------------

std::string type_text(OnnxNode& n, std::int64_t number) {
  const auto type = element_type_of_onnx(number);
  if (!type) n.refuse("to", "a float, integer or bool type", fmt::format("ONNX type number {}", number));
  return std::string(to_string(*type));
}
void normalise_cast(OnnxNode& n) {
  n.drop("saturate");  // speaks of 8-bit floats only, which are refused
  if (n.opset() < 6) {
    static const std::vector<std::string> names{"UNDEFINED", "FLOAT",  "UINT8",  "INT8",   "UINT16",
                                                "INT16",     "INT32",  "INT64",  "STRING", "BOOL",
                                                "FLOAT16",   "DOUBLE", "UINT32", "UINT64"};
    const auto written = n.take_text("to", "");
    const auto it = std::find(names.begin(), names.end(), written);
    n.put("to", type_text(n, it == names.end() ? 0 : it - names.begin()));
    return;
  }
  n.put("to", type_text(n, n.take_integer("to", 0)));
}

OP({
    .name = "cast",
    .summary = "X converted; floats to integers truncate towards zero",
    .onnx = {{"Cast", 1, 0, normalise_cast},
             {"CastLike", 15, 0,
              [](OnnxNode& n) {
                n.drop("saturate");
                n.put("to", std::string(to_string(n.element(1))));
                n.keep_inputs(1);
              }}},
    .inputs = {in("X")},
    .attributes = {text("to", {})},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto to = parse_element_type(c.text("to"));
      if (!to) c.refuse("to", "an element type", "'" + c.text("to") + "'");
      return {{*to, c.shape()}};
    },
    .kernels = [](const Call& c, Sequence& s) { elementwise(c, s, [](const std::vector<Expr>& x) { return x[0]; }); },
});

}  // namespace
}  // namespace pimento::ops
