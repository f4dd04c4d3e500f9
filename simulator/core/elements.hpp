#pragma once
// Elements in memory against numbers in arrays: integers travel as i64 (stores keep the low bits, so integers wrap),
// floats as f32 (stores round to nearest even).
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "isa/support/float16.hpp"
#include "isa/support/types.hpp"

namespace pimento::sim {

/// Elements that one pass of a vector instruction handles in arrays of ours.
inline constexpr int chunk = 512;

template <class T, class N>
void load_as(const std::uint8_t* from, int n, N* to) {
  for (int i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, from + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    to[i] = static_cast<N>(value);  // NOLINT(bugprone-signed-char-misuse): i8 is a number
  }
}

template <class T, class N>
void store_as(const N* from, int n, std::uint8_t* to) {
  for (int i = 0; i < n; ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
}

/// Integer types and bool as i64.
void load_integers(ElementType type, const std::uint8_t* from, int n, std::int64_t* to);
/// Keeps the low bits; bool is (value != 0).
void store_integers(ElementType type, const std::int64_t* from, int n, std::uint8_t* to);
/// Any type as f32; integers are rounded to nearest.
void load_floats(ElementType type, const std::uint8_t* from, int n, float* to);
/// Float types only.
void store_floats(ElementType type, const float* from, int n, std::uint8_t* to);

/// Shadows of n elements `size` bytes apart.
inline void load_shadows(const float* from, int n, int size, float* to) {
  for (int i = 0; i < n; ++i) to[i] = from[static_cast<std::size_t>(i) * static_cast<std::size_t>(size)];
}
inline void store_shadows(const float* from, int n, int size, float* to) {
  for (int i = 0; i < n; ++i) to[static_cast<std::size_t>(i) * static_cast<std::size_t>(size)] = from[i];
}

struct Limits {
  double low, high;
};
constexpr Limits limits(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return {0, 255};
    case ElementType::i8:
      return {-128, 127};
    case ElementType::u16:
      return {0, 65535};
    case ElementType::i16:
      return {-32768, 32767};
    case ElementType::u32:
      return {0, 4294967295.0};
    case ElementType::i32:
      return {-2147483648.0, 2147483647.0};
    case ElementType::i64:
      return {-9223372036854775808.0, 9223372036854775807.0};
    case ElementType::boolean:
      return {0, 1};
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::f32:
      break;
  }
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}
/// A number already rounded, into the range of an integer type; NaN gives 0.
inline std::int64_t saturate(double value, const Limits& range) {
  if (!(value > range.low)) return std::isnan(value) ? 0 : static_cast<std::int64_t>(range.low);
  if (value >= range.high) {
    return range.high >= 9.2e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(range.high);
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace pimento::sim
