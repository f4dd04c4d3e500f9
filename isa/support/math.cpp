#include "isa/support/math.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace pimento::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double half_pi = 0x1.921fb54442d18p+0;
constexpr double pi = 2 * half_pi;

/// 2^k for k in [-1022, 1023].
double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

/// c[0] + c[1] x + ... by Horner's rule.
template <std::size_t N>
constexpr double polynomial(double x, const std::array<double, N>& c) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

constexpr double inverse_factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return 1 / product;
}
template <std::size_t N>
constexpr std::array<double, N> exponential_series() {
  std::array<double, N> c{};
  for (std::size_t i = 0; i < N; ++i) c[i] = inverse_factorial(static_cast<int>(i));
  return c;
}
/// Series in x^2 of sin(x) / x (first = 1) or cos(x) (first = 0).
template <std::size_t N>
constexpr std::array<double, N> circular_series(int first) {
  std::array<double, N> c{};
  for (std::size_t i = 0; i < N; ++i) {
    c[i] = inverse_factorial(2 * static_cast<int>(i) + first) * (i % 2 == 0 ? 1 : -1);
  }
  return c;
}
/// Series in x^2 of atanh(x) / x (sign = 1) or atan(x) / x (sign = -1).
template <std::size_t N>
constexpr std::array<double, N> inverse_tangent_series(int sign) {
  std::array<double, N> c{};
  for (std::size_t i = 0; i < N; ++i)
    c[i] = (sign < 0 && i % 2 == 1 ? -1.0 : 1.0) / (2.0 * static_cast<double>(i) + 1.0);
  return c;
}

constexpr auto exp_c = exponential_series<14>();         // |r| <= ln(2)/2: the next term is below 2^-57
constexpr auto sin_c = circular_series<9>(1);            // |r| <= pi/4: below 2^-62
constexpr auto cos_c = circular_series<10>(0);           // |r| <= pi/4: below 2^-66
constexpr auto log_c = inverse_tangent_series<12>(1);    // |s| <= 0.172: below 2^-65
constexpr auto atan_c = inverse_tangent_series<10>(-1);  // |t| <= 0.13: below 2^-62

/// erf as Taylor series around k / 4, k = 0 .. 16, from values summed at compile time.
constexpr int erf_degree = 15;
struct ErfTable {
  std::array<std::array<double, erf_degree + 1>, 17> rows{};
};
constexpr ErfTable make_erf_table() {
  constexpr double two_over_sqrt_pi = 0x1.20dd750429b6dp+0;
  ErfTable table;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const double c = static_cast<double>(k) / 4;
    double quarter = 1;  // e^(-c^2) as (e^(-c^2/16))^16; c^2/16 <= 1
    {
      const double x = c * c / 16;
      double sum = 1, term = 1;
      for (int i = 1; i < 30; ++i) {
        term *= x / i;
        sum += term;
      }
      quarter = 1 / sum;
    }
    double gauss = quarter * quarter;
    gauss *= gauss;
    gauss *= gauss;
    gauss *= gauss;
    double sum = 0, term = c;  // erf(c) = 2/sqrt(pi) e^(-c^2) sum of 2^n c^(2n+1) / (2n+1)!!, all terms positive
    for (int n = 0; n < 120; ++n) {
      sum += term;
      term *= 2 * c * c / (2 * n + 3);
    }
    auto& row = table.rows[k];
    row[0] = two_over_sqrt_pi * gauss * sum;
    double previous = 0, b = two_over_sqrt_pi * gauss;  // b: Taylor coefficients of the derivative, g' = -2 x g
    for (int n = 0; n < erf_degree; ++n) {
      row[static_cast<std::size_t>(n) + 1] = b / (n + 1);
      const double next = -2 * (c * b + previous) / (n + 1);
      previous = b;
      b = next;
    }
  }
  return table;
}
constexpr ErfTable erf_table = make_erf_table();

struct Reduced {
  double r;      ///< in [-pi/4, pi/4] (a little beyond, by rounding)
  int quadrant;  ///< x = r + quadrant * pi/2 (modulo 2 pi)
};
/// 2/pi after the binary point, 256 bits.
constexpr std::array<std::uint64_t, 4> two_over_pi = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                                      0xfe5163abdebbc561};
__extension__ using Wide = unsigned __int128;

/// 64 bits of 2/pi from bit `from` after the point; bits before the point are 0.
std::uint64_t window(int from) {
  if (from < 0) return from <= -64 ? 0 : two_over_pi[0] >> -from;
  const auto word = static_cast<std::size_t>(from / 64);
  const int shift = from % 64;
  const std::uint64_t high = word < 4 ? two_over_pi[word] << shift : 0;
  const std::uint64_t low = shift != 0 && word + 1 < 4 ? two_over_pi[word + 1] >> (64 - shift) : 0;
  return high | low;
}

Reduced reduce(float x) {
  if (std::fabs(x) < 0x1p22f) {
    // pi/2 = p1 + p2 + p3; n has at most 23 bits and p1, p2 at most 30, so the first two products are exact.
    const double n = round_half_even(static_cast<double>(x) * 0x1.45f306dc9c883p-1);
    const double r =
        ((static_cast<double>(x) - n * 0x1.921fb54p+0) - n * 0x1.10b4611800000p-30) - n * 0x1.313198a2e0370p-61;
    return {r, static_cast<int>(static_cast<std::int64_t>(n) & 3)};
  }
  // x = m 2^e, e >= -1: the bits of 2/pi that 2^e lifts to 4 and above give whole turns, so a window of 128 bits is
  // enough.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint64_t m = (bits & 0x7fffffu) | 0x800000u;
  const int e = static_cast<int>((bits >> 23) & 0xffu) - 150;
  const Wide fraction =
      (static_cast<Wide>(window(e - 2)) << 64) | window(e + 62);  // 2/pi 2^e mod 4, in units of 2^-126
  Wide turn = fraction * m;
  const Wide half = static_cast<Wide>(1) << 125;
  turn += half;  // rounds to the nearest quadrant
  int quadrant = static_cast<int>(turn >> 126);
  const Wide mask = (static_cast<Wide>(1) << 126) - 1;
  const Wide part = turn & mask;  // r / (pi/2) + 1/2
  const bool below = part < half;
  const Wide distance = below ? half - part : part - half;
  double r = static_cast<double>(static_cast<std::uint64_t>(distance >> 62)) * 0x1p-64 +
             static_cast<double>(static_cast<std::uint64_t>(distance & ((static_cast<Wide>(1) << 62) - 1))) * 0x1p-126;
  r *= half_pi;
  if (below) r = -r;
  if ((bits >> 31) != 0) {
    r = -r;
    quadrant = -quadrant;
  }
  return {r, quadrant & 3};
}
double sin_kernel(double r) { return r * polynomial(r * r, sin_c); }
double cos_kernel(double r) { return polynomial(r * r, cos_c); }

/// Odd functions below `limit` by c[0] x + c[1] x^3 + ..., where the closed form would cancel.
double odd_series(double x, const std::array<double, 4>& c) { return x * polynomial(x * x, c); }

double atan_kernel(double x) {
  const double magnitude = std::fabs(x);
  const bool inverted = magnitude > 1;
  const double y = inverted ? 1 / magnitude : magnitude;
  constexpr std::array<double, 5> angle = {0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                           0x1.921fb54442d18p-1};
  const auto k = static_cast<std::size_t>(std::floor(y * 4 + 0.5));
  const double c = static_cast<double>(k) / 4;
  const double t = (y - c) / (1 + y * c);
  double result = angle[k] + t * polynomial(t * t, atan_c);
  if (inverted) result = half_pi - result;
  return std::signbit(x) ? -result : result;
}

}  // namespace

double round_half_even(double x) {
  if (!(std::fabs(x) < 0x1p52)) return x;
  const double magic = 0x1p52;
  const double magnitude = std::fabs(x);
  const double rounded = (magnitude + magic) - magic;
  return std::copysign(rounded, x);
}
float round_half_even(float x) {
  if (!(std::fabs(x) < 0x1p23f)) return x;
  const float rounded = (std::fabs(x) + 0x1p23f) - 0x1p23f;
  return std::copysign(rounded, x);
}

double exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return infinity;
  if (x < -745.2) return 0;
  const double k = round_half_even(x * 0x1.71547652b82fep+0);
  const double r = (x - k * 0x1.62e42fefp-1) - k * 0x1.473de6af278edp-34;
  const double e = polynomial(r, exp_c);
  const int n = static_cast<int>(k);
  const int half = n / 2;
  return e * power_of_two(half) * power_of_two(n - half);
}

double log(double x) {
  if (x != x) return x;
  if (x < 0) return nan;
  if (x == 0) return -infinity;
  if (x == infinity) return x;
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++exponent;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double k = exponent;
  return k * 0x1.62e42fefp-1 + (k * 0x1.473de6af278edp-34 + 2 * s * polynomial(s * s, log_c));
}

float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }

float erf(float x) {
  const double magnitude = std::fabs(static_cast<double>(x));
  if (magnitude != magnitude) return x;
  if (magnitude > 4) return std::copysign(1.0f, x);  // 1 - erf(4) < 2^-25
  const auto k = static_cast<std::size_t>(std::floor(magnitude * 4 + 0.5));
  const double value = polynomial(magnitude - static_cast<double>(k) / 4, erf_table.rows[k]);
  return std::copysign(static_cast<float>(value), x);
}

float tanh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (a != a) return x;
  double value;
  if (a < 0.01) {
    value = odd_series(a, {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315});
  } else if (a > 20) {
    value = 1;
  } else {
    const double e = exp(2 * a);
    value = (e - 1) / (e + 1);
  }
  return std::copysign(static_cast<float>(value), x);
}

float sigmoid(float x) {
  const double e = exp(-std::fabs(static_cast<double>(x)));
  if (x != x) return x;
  return static_cast<float>(x >= 0 ? 1 / (1 + e) : e / (1 + e));
}

float sin(float x) {
  if (!std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0) return x;
  const auto [r, quadrant] = reduce(x);
  const double value = quadrant % 2 == 0 ? sin_kernel(r) : cos_kernel(r);
  return static_cast<float>(quadrant >= 2 ? -value : value);
}
float cos(float x) {
  if (!std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  const auto [r, quadrant] = reduce(x);
  const double value = quadrant % 2 == 0 ? cos_kernel(r) : sin_kernel(r);
  return static_cast<float>(quadrant == 1 || quadrant == 2 ? -value : value);
}
float tan(float x) {
  if (!std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0) return x;
  const auto [r, quadrant] = reduce(x);
  const double s = sin_kernel(r), c = cos_kernel(r);
  return static_cast<float>(quadrant % 2 == 0 ? s / c : -c / s);
}

float atan(float x) {
  if (x != x) return x;
  return static_cast<float>(atan_kernel(static_cast<double>(x)));
}
float asin(float x) {
  if (x != x) return x;
  const double d = static_cast<double>(x);
  if (std::fabs(d) > 1) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(atan_kernel(d / std::sqrt((1 - d) * (1 + d))));
}
float acos(float x) {
  if (x != x) return x;
  const double d = static_cast<double>(x);
  if (std::fabs(d) > 1) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(2 * atan_kernel(std::sqrt((1 - d) / (1 + d))));
}
float atan2(float y, float x) {
  if (x != x || y != y) return std::numeric_limits<float>::quiet_NaN();
  const double dy = std::fabs(static_cast<double>(y)), dx = std::fabs(static_cast<double>(x));
  double angle;
  if (dy == 0 && dx == 0) {
    angle = 0;
  } else if (std::isinf(x) && std::isinf(y)) {
    angle = half_pi / 2;
  } else {
    angle = dx == 0 ? half_pi : atan_kernel(dy / dx);
  }
  if (std::signbit(x)) angle = pi - angle;
  return std::copysign(static_cast<float>(angle), y);
}

float sinh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (a != a) return x;
  double value;
  if (a < 0.01) {
    value = odd_series(a, {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040});
  } else {
    const double e = exp(a);
    value = (e - 1 / e) / 2;
  }
  return std::copysign(static_cast<float>(value), x);
}
float cosh(float x) {
  const double e = exp(std::fabs(static_cast<double>(x)));
  return static_cast<float>((e + 1 / e) / 2);
}
float asinh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (!(a < infinity)) return x;
  const double value = a < 0.01 ? odd_series(a, {1.0, -1.0 / 6, 3.0 / 40, -15.0 / 336}) : log(a + std::sqrt(a * a + 1));
  return std::copysign(static_cast<float>(value), x);
}
float acosh(float x) {
  const double d = static_cast<double>(x);
  if (d < 1) return std::numeric_limits<float>::quiet_NaN();
  if (!(d < infinity)) return x;
  return static_cast<float>(log(d + std::sqrt((d - 1) * (d + 1))));
}
float atanh(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (a != a) return x;
  if (a > 1) return std::numeric_limits<float>::quiet_NaN();
  const double value = a < 0.01 ? odd_series(a, {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7}) : 0.5 * log((1 + a) / (1 - a));
  return std::copysign(static_cast<float>(value), x);
}

float pow(float x, float y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return std::numeric_limits<float>::quiet_NaN();
  const float truncated = std::trunc(y);
  const bool integer = truncated == y;
  const bool odd = integer && std::fabs(y) < 0x1p24f && (static_cast<std::int32_t>(y) & 1) != 0;
  const bool negative = std::signbit(x) && odd;
  if (x == -1 && std::isinf(y)) return 1;
  if (x < 0 && !std::isinf(x) && !integer) return std::numeric_limits<float>::quiet_NaN();
  const double magnitude = std::fabs(static_cast<double>(x));
  double value;
  if (magnitude == 0) {
    value = y > 0 ? 0 : infinity;
  } else if (std::isinf(magnitude)) {
    value = y > 0 ? infinity : 0;
  } else if (std::isinf(y)) {
    value = (magnitude > 1) == (y > 0) ? infinity : 0;
  } else {
    value = exp(static_cast<double>(y) * log(magnitude));
  }
  const auto result = static_cast<float>(value);
  return negative ? -result : result;
}

float sqrt(float x) { return std::sqrt(x); }
float rsqrt(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }

}  // namespace pimento::math
