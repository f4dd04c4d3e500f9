// Activations with a formula of their own. f16 and bf16 are computed in f32 and rounded once.
#include <fmt/format.h>

#include <limits>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

using ir::BinaryOp;
using ir::UnaryOp;

/// A formula over one operand; `f` also sees the call, for its attributes.
std::function<void(const Call&, Sequence&)> formula(Expr (*f)(const Call&, const Expr&)) {
  return [f](const Call& c, Sequence& s) {
    elementwise_wide(c, s, [&](const std::vector<Expr>& x) { return f(c, x[0]); });
  };
}
Expr number(const Expr& like, double value) { return ir::constant(like.type(), value); }
Expr compare(BinaryOp op, const Expr& a, double b) { return ir::binary(op, a, number(a, b)); }
Expr exp_of(const Expr& x) { return ir::unary(UnaryOp::exp, x); }
Expr clamped(const Expr& x, double low, double high) { return ir::min(ir::max(x, number(x, low)), number(x, high)); }
/// log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|)).
Expr softplus(const Expr& x) {
  return ir::max(x, number(x, 0)) + ir::unary(UnaryOp::log, 1.0 + exp_of(-ir::unary(UnaryOp::abs, x)));
}

OP({.name = "leaky_relu",
    .summary = "x < 0 ? alpha * x : x",
    .onnx = {{"LeakyRelu", 1}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 0.01)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      return ir::select(compare(BinaryOp::lt, x, 0), x * c.real("alpha"), x);
    })});
OP({.name = "thresholded_relu",
    .summary = "x > alpha ? x : 0",
    .onnx = {{"ThresholdedRelu", 10}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 1)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      return ir::select(compare(BinaryOp::gt, x, c.real("alpha")), x, number(x, 0));
    })});
OP({.name = "hard_sigmoid",
    .summary = "max(0, min(1, alpha * x + beta))",
    .onnx = {{"HardSigmoid", 1}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 0.2), real("beta", 0.5)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      return clamped(x * c.real("alpha") + c.real("beta"), 0, 1);
    })});
OP({.name = "hard_swish",
    .summary = "x * max(0, min(1, x / 6 + 0.5))",
    .onnx = {{"HardSwish", 14}},
    .inputs = {in("X", Types::real)},
    .infer = same_as_input,
    .kernels = formula([](const Call&, const Expr& x) { return x * clamped(x * (1.0 / 6) + 0.5, 0, 1); })});
OP({.name = "elu",
    .summary = "x < 0 ? alpha * (exp(x) - 1) : x",
    .onnx = {{"Elu", 1}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 1)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      return ir::select(compare(BinaryOp::lt, x, 0), (exp_of(x) - 1.0) * c.real("alpha"), x);
    })});
OP({.name = "celu",
    .summary = "max(0, x) + min(0, alpha * (exp(x / alpha) - 1))",
    .onnx = {{"Celu", 12}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 1)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      const auto alpha = c.real("alpha");
      return ir::max(x, number(x, 0)) + ir::min((exp_of(x / alpha) - 1.0) * alpha, number(x, 0));
    })});
OP({.name = "selu",
    .summary = "gamma * (x > 0 ? x : alpha * exp(x) - alpha)",
    .onnx = {{"Selu", 1}},
    .inputs = {in("X", Types::real)},
    .attributes = {real("alpha", 1.6732632), real("gamma", 1.050701)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      const auto alpha = c.real("alpha");
      return ir::select(compare(BinaryOp::gt, x, 0), x, exp_of(x) * alpha - alpha) * c.real("gamma");
    })});
OP({.name = "softplus",
    .summary = "log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|))",
    .onnx = {{"Softplus", 1}},
    .inputs = {in("X", Types::real)},
    .infer = same_as_input,
    .kernels = formula([](const Call&, const Expr& x) { return softplus(x); })});
OP({.name = "softsign",
    .summary = "x / (1 + |x|)",
    .onnx = {{"Softsign", 1}},
    .inputs = {in("X", Types::real)},
    .infer = same_as_input,
    .kernels = formula([](const Call&, const Expr& x) { return x / (1.0 + ir::unary(UnaryOp::abs, x)); })});
OP({.name = "mish",
    .summary = "x * tanh(log(1 + exp(x)))",
    .onnx = {{"Mish", 18}},
    .inputs = {in("X", Types::real)},
    .infer = same_as_input,
    .kernels = formula([](const Call&, const Expr& x) { return x * ir::unary(UnaryOp::tanh, softplus(x)); })});
OP({.name = "gelu",
    .summary = "x / 2 * (1 + erf(x / sqrt(2))), or its tanh approximation",
    .onnx = {{"Gelu", 20},
             {"Gelu", 1, 0, {}, "com.microsoft"},
             {"FastGelu", 1, 0,
              [](OnnxNode& n) {
                if (n.has(1)) n.refuse(1, "no bias: it is not compiled", ir::to_string(n.type(1)));
                n.put("approximate", std::string("tanh"));
              },
              "com.microsoft"}},
    .inputs = {in("X", Types::real)},
    .attributes = {text("approximate", {"none", "tanh"})},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& x) {
      if (c.text("approximate") == "none") return x * 0.5 * (1.0 + ir::unary(UnaryOp::erf, x * 0.70710678118654752440));
      const auto inner = (x + x * x * x * 0.044715) * 0.79788456080286535588;
      return x * 0.5 * (1.0 + ir::unary(UnaryOp::tanh, inner));
    })});
OP({.name = "shrink",
    .summary = "x < -lambd ? x + bias : x > lambd ? x - bias : 0",
    .onnx = {{"Shrink", 9}},
    .inputs = {in("X", Types::numeric)},
    .attributes = {real("lambd", 0.5), real("bias", 0)},
    .infer = same_as_input,
    .kernels = formula([](const Call& c, const Expr& e) {
      const auto x = ir::cast(ElementType::f32, e);
      const auto bound = c.real("lambd"), bias = c.real("bias");
      return ir::select(compare(BinaryOp::lt, x, -bound), x + bias,
                        ir::select(compare(BinaryOp::gt, x, bound), x - bias, number(x, 0)));
    })});

// --- clip ------------------------------------------------------------------------------------------------------------

void normalise_clip(OnnxNode& n) {
  // Opset 11 made the limits inputs. Limits known at compile time become attributes again, so both forms are one.
  for (const int input : {1, 2}) {
    if (!n.constant(input) || n.constant(input)->elements() != 1) continue;
    n.put(input == 1 ? "min" : "max", n.constant(input)->to_doubles().front());
    n.set_input(input, ir::no_value);
  }
  if (n.opset() >= 11) return;
  if (n.given("min") && static_cast<float>(n.real("min")) <= -std::numeric_limits<float>::max()) n.drop("min");
  if (n.given("max") && static_cast<float>(n.real("max")) >= std::numeric_limits<float>::max()) n.drop("max");
}

OP({
    .name = "clip",
    .summary = "min(max(X, lower), upper); either limit may be absent",
    .onnx = {{"Clip", 1, 0, normalise_clip}},
    .inputs = {in("X", Types::numeric), maybe(like("lower")), maybe(like("upper"))},
    .attributes = {real("min").maybe(), real("max").maybe()},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      for (const int input : {1, 2})
        if (c.has(input) && ir::element_count(c.shape(input)) != 1)
          c.refuse(input, "one element", to_string(c.shape(input)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("clip", [&](Formula& k) {
            const auto at = k.over(c.shape());
            auto x = k.read(s.input(0)).at(at);
            if (c.has(1)) x = ir::max(x, k.read(s.input(1), {}).at({}));
            if (c.given("min")) x = ir::max(x, number(x, c.real("min")));
            if (c.has(2)) x = ir::min(x, k.read(s.input(2), {}).at({}));
            if (c.given("max")) x = ir::min(x, number(x, c.real("max")));
            k.write(k.write_to(s.output()), at, x);
          });
        },
});

}  // namespace
}  // namespace pimento::ops
