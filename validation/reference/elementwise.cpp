// One number in, one number out, place by place; smaller operands repeat (numpy's broadcasting).
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

/// The chain f(f(a, b), c) ... over all inputs.
template <class F>
Value chain(const Call& c, F&& f) {
  Value result = c.output();
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Value& operand = c.in(i);
    const std::vector<std::int64_t> by = broadcast_strides(operand.shape, result.shape);
    std::vector<std::int64_t> at(result.shape.size(), 0);
    for (double& x : result.data) {
      const double y = operand.data[static_cast<std::size_t>(flat(at, by))];
      x = i == 0 ? y : f(x, y);
      advance(at, result.shape);
    }
  }
  return result;
}
template <class F>
std::vector<Value> binary(const Call& c, F&& f) {
  Value result = chain(c, f);
  for (double& x : result.data) x = fit(result.type, x);
  return {result};
}
bool integral(const Call& c) { return !is_float(c.in(0).type); }

#define BINARY(name, expression) \
  REFERENCE(name, [](const Call& c) { return binary(c, [](double a, double b) -> double { return expression; }); })
BINARY("add", a + b);
BINARY("sub", a - b);
BINARY("mul", a* b);
BINARY("sum", a + b);
BINARY("max", larger(a, b));
BINARY("min", smaller(a, b));
BINARY("equal", a == b);
BINARY("less", a < b);
BINARY("less_or_equal", a <= b);
BINARY("greater", a > b);
BINARY("greater_or_equal", a >= b);
BINARY("and", a != 0 && b != 0);
BINARY("or", a != 0 || b != 0);
BINARY("xor", (a != 0) != (b != 0));
// NOLINTBEGIN(bugprone-macro-parentheses): an operator
#define BITWISE(name, op) \
  BINARY(name, static_cast<double>(static_cast<std::int64_t>(a) op static_cast<std::int64_t>(b)))
// NOLINTEND(bugprone-macro-parentheses)
BITWISE("bitwise_and", &);
BITWISE("bitwise_or", |);
BITWISE("bitwise_xor", ^);
#undef BITWISE
#undef BINARY

REFERENCE("div", [](const Call& c) {
  if (!integral(c)) return binary(c, [](double a, double b) { return a / b; });
  return binary(c, [](double a, double b) { return b == 0 ? 0 : std::trunc(a / b); });
});
REFERENCE("mod", [](const Call& c) {
  const bool whole = integral(c);
  if (c.integer("fmod") != 0)
    return binary(c, [whole](double a, double b) { return whole && b == 0 ? 0 : std::fmod(a, b); });
  return binary(c, [](double a, double b) { return b == 0 ? 0 : a - std::floor(a / b) * b; });
});
REFERENCE("pow", [](const Call& c) { return binary(c, [](double x, double y) { return std::pow(x, y); }); });
REFERENCE("mean", [](const Call& c) {
  Value sum = chain(c, [](double a, double b) { return a + b; });
  for (double& x : sum.data) x /= static_cast<double>(c.inputs.size());
  return std::vector<Value>{sum};
});
REFERENCE("bit_shift", [](const Call& c) {
  const double sign = c.text("direction") == "LEFT" ? 1 : -1;
  return binary(c, [sign](double a, double b) { return std::floor(std::ldexp(a, static_cast<int>(sign * b))); });
});
REFERENCE("prelu",
          [](const Call& c) { return binary(c, [](double x, double slope) { return x < 0 ? slope * x : x; }); });
REFERENCE("where", [](const Call& c) {
  Value result = c.output();
  std::vector<std::vector<std::int64_t>> by;
  for (const Shared& operand : c.inputs) by.push_back(broadcast_strides(operand->shape, result.shape));
  std::vector<std::int64_t> at(result.shape.size(), 0);
  for (double& x : result.data) {
    const auto read = [&](std::size_t i) { return c.in(i).data[static_cast<std::size_t>(flat(at, by[i]))]; };
    x = read(0) != 0 ? read(1) : read(2);
    advance(at, result.shape);
  }
  return std::vector<Value>{result};
});

#define UNARY(name, expression) \
  REFERENCE(name, [](const Call& c) { return c.map([](double x) -> double { return expression; }); })
UNARY("identity", x);
UNARY("relu", larger(x, 0));
UNARY("sigmoid", 1 / (1 + std::exp(-x)));
UNARY("tanh", std::tanh(x));
UNARY("exp", std::exp(x));
UNARY("log", std::log(x));
UNARY("sqrt", std::sqrt(x));
UNARY("reciprocal", 1 / x);
UNARY("erf", std::erf(x));
UNARY("abs", std::fabs(x));
UNARY("neg", -x);
UNARY("sign", std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0);
UNARY("floor", std::floor(x));
UNARY("ceil", std::ceil(x));
UNARY("round", std::nearbyint(x));
UNARY("sin", std::sin(x));
UNARY("cos", std::cos(x));
UNARY("tan", std::tan(x));
UNARY("asin", std::asin(x));
UNARY("acos", std::acos(x));
UNARY("atan", std::atan(x));
UNARY("sinh", std::sinh(x));
UNARY("cosh", std::cosh(x));
UNARY("asinh", std::asinh(x));
UNARY("acosh", std::acosh(x));
UNARY("atanh", std::atanh(x));
UNARY("not", x == 0);
UNARY("bitwise_not", -x - 1);
UNARY("is_nan", std::isnan(x));
UNARY("hard_swish", x* std::clamp(x / 6 + 0.5, 0.0, 1.0));
UNARY("softplus", x > 30 ? x : std::log1p(std::exp(x)));
UNARY("softsign", x / (1 + std::fabs(x)));
UNARY("mish", x* std::tanh(x > 30 ? x : std::log1p(std::exp(x))));
#undef UNARY

REFERENCE("is_inf", [](const Call& c) {
  const bool negative = c.integer("detect_negative", 1) != 0;
  const bool positive = c.integer("detect_positive", 1) != 0;
  return c.map([=](double x) { return std::isinf(x) && (x < 0 ? negative : positive); });
});
REFERENCE("cast", [](const Call& c) {
  const bool truncates =
      !is_float(c.output().type) && is_float(c.in(0).type) && c.output().type != ElementType::boolean;
  return c.map([=](double x) { return truncates ? std::trunc(x) : x; });
});
REFERENCE("clip", [](const Call& c) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double low = c.has(1) ? c.in(1).data[0] : c.real("min", -infinity);
  const double high = c.has(2) ? c.in(2).data[0] : c.real("max", infinity);
  return c.map([=](double x) { return std::min(std::max(x, low), high); });
});

// --- activations with attributes -------------------------------------------------------------------------------------
REFERENCE("leaky_relu", [](const Call& c) {
  return c.map([alpha = c.real("alpha", 0.01)](double x) { return x < 0 ? alpha * x : x; });
});
REFERENCE("thresholded_relu",
          [](const Call& c) { return c.map([alpha = c.real("alpha", 1)](double x) { return x > alpha ? x : 0; }); });
REFERENCE("hard_sigmoid", [](const Call& c) {
  return c.map([alpha = c.real("alpha", 0.2), beta = c.real("beta", 0.5)](double x) {
    return std::clamp(alpha * x + beta, 0.0, 1.0);
  });
});
REFERENCE("elu", [](const Call& c) {
  return c.map([alpha = c.real("alpha", 1)](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
});
REFERENCE("celu", [](const Call& c) {
  return c.map(
      [alpha = c.real("alpha", 1)](double x) { return larger(0, x) + std::min(0.0, alpha * std::expm1(x / alpha)); });
});
REFERENCE("selu", [](const Call& c) {
  const double alpha = c.real("alpha", 1.67326319217681884765625);
  const double gamma = c.real("gamma", 1.05070102214813232421875);
  return c.map([=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
});
REFERENCE("gelu", [](const Call& c) {
  const bool erf = c.text("approximate", "none") == "none";
  return c.map([=](double x) {
    if (erf) return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  });
});
REFERENCE("shrink", [](const Call& c) {
  const double bound = c.real("lambd", 0.5);
  const double bias = c.real("bias", 0);
  return c.map([=](double x) { return x < -bound ? x + bias : x > bound ? x - bias : 0; });
});

}  // namespace
}  // namespace pimento::reference
