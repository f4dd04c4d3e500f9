// The same bits from every compiler, build type and x86-64 machine: the fingerprints below were taken once and must
// come out everywhere. A change of one is a change of the numerics of every compiled model: it needs a reason in its
// commit.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/text.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

Tensor ramp(const TensorType& type) {
  Tensor t = Tensor::zeros(type);
  for (std::int64_t i = 0; i < t.elements(); ++i)
    t.set(i, Scalar::of_real(type.type, (static_cast<double>(i * 7919 % 2003) - 1001) / 100));
  return t;
}
std::string bits(const std::string& text) {
  const Kernel k = parse_kernel(text);
  std::vector<Tensor> inputs;
  for (const Operand& o : k.operands) {
    if (o.role == OperandRole::input) inputs.push_back(ramp(o.type));
  }
  return to_string(fingerprint(interpret(k, inputs)[0]));
}

}  // namespace

TEST_CASE("bit identity: does a convolution have the recorded bits?") {
  CHECK(bits(R"(kernel conv (m: 7, y: 9, x: 9 | c: 40, ky: 3, kx: 3) {
    acc : f32 += X[c, y + ky - 1, x + kx - 1] outside 0.0 * W[m, c, ky, kx]
    Y[m, y, x] = acc * sigmoid(acc * 0.001) } where X : f32[40,9,9], W : f32[7,40,3,3], Y : out f32[7,9,9])") ==
        "ba15a14b8baf5551fb52511d6dbe3d13");
}
TEST_CASE("bit identity: do the transcendental functions have the recorded bits?") {
  std::string body;
  for (const UnaryInfo& row : unary_operators()) {
    if (row.domain != OperatorDomain::real || row.op == UnaryOp::is_nan || row.op == UnaryOp::is_inf) continue;
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), row.name) != names.end();
    };
    std::string argument = "X[i]";
    if (is({"asin", "acos", "atanh"})) argument = "X[i] * 0.09";
    if (is({"log", "acosh", "sqrt", "rsqrt", "recip"})) argument = "abs(X[i]) + 1.0";
    body += (body.empty() ? "" : " + ") + std::string(row.name) + "(" + argument + ")";
  }
  CHECK(bits("kernel all (i: 2003) { Y[i] = " + body + " } where X : f32[2003], Y : out f32[2003]") ==
        "50ac9984be5f59dc3cb350957acc7fbb");
}
TEST_CASE("bit identity: does a long f16 sum have the recorded bits?") {
  CHECK(bits("kernel sum (i: 3 | k: 900) { acc : f16 += X[i, k]\n Y[i] = acc } where X : f16[3,900], Y : out f16[3]") ==
        "69e6db7cf915ef62c924fb84560c4957");
}
