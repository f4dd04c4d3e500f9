#pragma once
// The operators on the two forms in which values are computed: float (f32 before rounding to the type) and int64_t
// (before wrapping to it). Each is written once here; the point-wise and the blocked evaluators instantiate it.
#include <cmath>
#include <limits>

#include "compiler/ir/expr.hpp"
#include "isa/support/math.hpp"

namespace pimento::ir {

inline float real_unary(UnaryOp op, float x) {
  switch (op) {
    case UnaryOp::neg:
      return -x;
    case UnaryOp::abs:
      return std::fabs(x);
    case UnaryOp::sign:
      return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
    case UnaryOp::floor:
      return std::floor(x);
    case UnaryOp::ceil:
      return std::ceil(x);
    case UnaryOp::trunc:
      return std::trunc(x);
    case UnaryOp::round:
      return math::round_half_even(x);
    case UnaryOp::sqrt:
      return math::sqrt(x);
    case UnaryOp::rsqrt:
      return math::rsqrt(x);
    case UnaryOp::recip:
      return 1.0f / x;
    case UnaryOp::exp:
      return math::exp(x);
    case UnaryOp::log:
      return math::log(x);
    case UnaryOp::erf:
      return math::erf(x);
    case UnaryOp::tanh:
      return math::tanh(x);
    case UnaryOp::sigmoid:
      return math::sigmoid(x);
    case UnaryOp::sin:
      return math::sin(x);
    case UnaryOp::cos:
      return math::cos(x);
    case UnaryOp::tan:
      return math::tan(x);
    case UnaryOp::asin:
      return math::asin(x);
    case UnaryOp::acos:
      return math::acos(x);
    case UnaryOp::atan:
      return math::atan(x);
    case UnaryOp::sinh:
      return math::sinh(x);
    case UnaryOp::cosh:
      return math::cosh(x);
    case UnaryOp::asinh:
      return math::asinh(x);
    case UnaryOp::acosh:
      return math::acosh(x);
    case UnaryOp::atanh:
      return math::atanh(x);
    case UnaryOp::relu:
      return x > 0 || std::isnan(x) ? x : 0.0f;
    case UnaryOp::is_nan:
      return std::isnan(x) ? 1.0f : 0.0f;
    case UnaryOp::is_inf:
      return std::isinf(x) ? 1.0f : 0.0f;
    case UnaryOp::logical_not:
      break;
  }
  return std::numeric_limits<float>::quiet_NaN();  // no verified expression gets here: domains exclude it
}

/// Two's complement arithmetic without undefined overflow.
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

inline std::int64_t integer_unary(UnaryOp op, std::int64_t x, ElementType type) {
  switch (op) {
    case UnaryOp::neg:
      return wrapping_sub(0, x);
    case UnaryOp::abs:
      return x < 0 ? wrapping_sub(0, x) : x;
    case UnaryOp::sign:
      return (x > 0) - (x < 0);
    case UnaryOp::relu:
      return x > 0 ? x : 0;
    case UnaryOp::logical_not:
      return type == ElementType::boolean ? (x == 0 ? 1 : 0) : ~x;
    default:
      return x;  // no verified expression gets here
  }
}

inline float real_binary(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::add:
      return a + b;
    case BinaryOp::sub:
      return a - b;
    case BinaryOp::mul:
      return a * b;
    case BinaryOp::div:
      return a / b;
    case BinaryOp::floor_div:
      return std::floor(a / b);
    case BinaryOp::floor_mod: {
      const float r = std::fmod(a, b);
      if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
      return std::copysign(r, b);
    }
    case BinaryOp::rem:
      return std::fmod(a, b);
    case BinaryOp::min:
      return a != a ? a : b != b ? b : a < b ? a : b;
    case BinaryOp::max:
      return a != a ? a : b != b ? b : a > b ? a : b;
    case BinaryOp::pow:
      return math::pow(a, b);
    case BinaryOp::atan2:
      return math::atan2(a, b);
    default:
      return std::numeric_limits<float>::quiet_NaN();  // comparisons and logic: no verified expression gets here
  }
}

inline std::int64_t integer_floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrapping_sub(0, a);
  const std::int64_t q = a / b;
  return q - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

inline std::int64_t integer_pow(std::int64_t a, std::int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  std::int64_t r = 1;
  for (; b > 0; b /= 2, a = wrapping_mul(a, a)) {
    if (b % 2 == 1) r = wrapping_mul(r, a);
  }
  return r;
}

inline std::int64_t integer_binary(BinaryOp op, std::int64_t a, std::int64_t b, ElementType type) {
  const int bits = 8 * size_of(type);
  switch (op) {
    case BinaryOp::add:
      return wrapping_add(a, b);
    case BinaryOp::sub:
      return wrapping_sub(a, b);
    case BinaryOp::mul:
      return wrapping_mul(a, b);
    case BinaryOp::div:
      return b == 0 ? 0 : b == -1 ? wrapping_sub(0, a) : a / b;
    case BinaryOp::floor_div:
      return integer_floor_div(a, b);
    case BinaryOp::floor_mod: {
      if (b == 0 || b == -1) return 0;
      const std::int64_t r = a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case BinaryOp::rem:
      return b == 0 || b == -1 ? 0 : a % b;
    case BinaryOp::min:
      return a < b ? a : b;
    case BinaryOp::max:
      return a > b ? a : b;
    case BinaryOp::pow:
      return integer_pow(a, b);
    case BinaryOp::bit_and:
      return a & b;
    case BinaryOp::bit_or:
      return a | b;
    case BinaryOp::bit_xor:
      return a ^ b;
    case BinaryOp::shift_left:
      return b < 0 || b >= bits ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
    case BinaryOp::shift_right:
      return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b;
    default:
      return 0;  // comparisons: no verified expression gets here
  }
}

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::eq:
      return a == b;
    case BinaryOp::ne:
      return a != b;
    case BinaryOp::lt:
      return a < b;
    case BinaryOp::le:
      return a <= b;
    case BinaryOp::gt:
      return a > b;
    case BinaryOp::ge:
      return a >= b;
    default:
      return false;
  }
}

}  // namespace pimento::ir
