#include "isa/support/math.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "isa/support/float16.hpp"

using namespace pimento;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// Distance in units of the last place of f32 at the reference.
double ulps(float got, long double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  const auto rounded = static_cast<float>(want);
  if (got == rounded) return 0;
  if (std::isinf(rounded) || std::isinf(got)) return 1e9;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

struct Row {
  std::string name;
  float (*ours)(float);
  long double (*reference)(long double);
};
const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"exp", math::exp, [](long double x) { return std::exp(x); }},
      {"log", math::log, [](long double x) { return std::log(x); }},
      {"erf", math::erf, [](long double x) { return std::erf(x); }},
      {"tanh", math::tanh, [](long double x) { return std::tanh(x); }},
      {"sigmoid", math::sigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }},
      {"sin", math::sin, [](long double x) { return std::sin(x); }},
      {"cos", math::cos, [](long double x) { return std::cos(x); }},
      {"tan", math::tan, [](long double x) { return std::tan(x); }},
      {"asin", math::asin, [](long double x) { return std::asin(x); }},
      {"acos", math::acos, [](long double x) { return std::acos(x); }},
      {"atan", math::atan, [](long double x) { return std::atan(x); }},
      {"sinh", math::sinh, [](long double x) { return std::sinh(x); }},
      {"cosh", math::cosh, [](long double x) { return std::cosh(x); }},
      {"asinh", math::asinh, [](long double x) { return std::asinh(x); }},
      {"acosh", math::acosh, [](long double x) { return std::acosh(x); }},
      {"atanh", math::atanh, [](long double x) { return std::atanh(x); }},
      {"rsqrt", math::rsqrt, [](long double x) { return 1 / std::sqrt(x); }},
      {"sqrt", math::sqrt, [](long double x) { return std::sqrt(x); }},
  };
  return table;
}

}  // namespace

TEST_CASE("math: is every function within 1 ulp over all magnitudes?") {
  for (const Row& row : rows()) {
    double worst = 0;
    float at = 0;
    // every 5,003rd bit pattern of both signs: 858,000 values from the smallest subnormal to the largest finite one
    for (std::uint64_t bits = 0; bits <= 0xffffffffULL; bits += 5003) {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (std::isnan(x)) continue;
      const double error = ulps(row.ours(x), row.reference(x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
    INFO(row.name << " at " << at << ": " << worst << " ulp");
    CHECK(worst <= 1.0);
  }
}
TEST_CASE("math: is pow within 1 ulp on a grid of bases and exponents?") {
  double worst = 0;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 4000037) {
    const auto x = std::bit_cast<float>(bits);
    for (float y = -40; y <= 40; y += 0.37f)
      worst =
          std::max(worst, ulps(math::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
  }
  CHECK(worst <= 1.0);
}
TEST_CASE("math: do the special cases follow Annex F?") {
  CHECK(math::exp(-inf) == 0);
  CHECK(math::exp(inf) == inf);
  CHECK(math::log(0.0f) == -inf);
  CHECK(std::isnan(math::log(-1.0f)));
  CHECK(math::sigmoid(-inf) == 0);
  CHECK(math::tanh(-inf) == -1);
  CHECK(std::signbit(math::sin(-0.0f)));
  CHECK(std::signbit(math::erf(-0.0f)));
  CHECK(std::isnan(math::sin(inf)));
  CHECK(math::pow(-2.0f, 3.0f) == -8);
  CHECK(math::pow(3.0f, 2.0f) == 9);
  CHECK(math::pow(0.0f, -1.0f) == inf);
  CHECK(math::pow(-0.0f, -1.0f) == -inf);
  CHECK(math::pow(-inf, 3.0f) == -inf);
  CHECK(std::isnan(math::pow(-8.0f, 1.0f / 3)));
  CHECK(math::pow(1.0f, std::numeric_limits<float>::quiet_NaN()) == 1);
  CHECK(math::atan2(0.0f, -1.0f) == static_cast<float>(3.14159265358979323846));
  CHECK(std::signbit(math::atan2(-0.0f, 1.0f)));
  CHECK(math::atan2(-inf, inf) == static_cast<float>(-0.785398163397448309616));
}
TEST_CASE("math: does rounding send halves to the even side?") {
  const std::vector<std::pair<float, float>> cases = {
      {0.5f, 0},   {1.5f, 2}, {2.5f, 2}, {-0.5f, -0.0f}, {-1.5f, -2}, {0.49999997f, 0}, {8388607.5f, 8388608},
      {-2.75f, -3}};
  for (const auto& [x, want] : cases) {
    CHECK(math::round_half_even(x) == want);
    CHECK(math::round_half_even(static_cast<double>(x)) == static_cast<double>(want));
  }
  CHECK(std::signbit(math::round_half_even(-0.2f)));
  CHECK(math::round_half_even(1e30f) == 1e30f);
}
