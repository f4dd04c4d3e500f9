#pragma once
// Single elements of memory as numbers, for the integer reference.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "isa/support/error.hpp"
#include "isa/support/float16.hpp"
#include "isa/support/types.hpp"

namespace pimento::reference {

/// Bytes that refuse to be left.
class Memory {
 public:
  explicit Memory(Bytes size) : bytes_(static_cast<std::size_t>(size), 0) {}
  std::uint8_t* at(std::int64_t address, std::int64_t count) {
    if (address < 0 || address + count > static_cast<std::int64_t>(bytes_.size()))
      throw UserError("reference: an address leaves the memory");
    return bytes_.data() + address;
  }
  void put(std::int64_t address, const std::uint8_t* from, std::size_t count) {
    if (count > 0) std::memcpy(at(address, static_cast<std::int64_t>(count)), from, count);
  }
  std::vector<std::uint8_t> get(std::int64_t address, std::int64_t count) {
    const std::uint8_t* from = at(address, count);
    return {from, from + count};
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

template <class T>
T element(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T, class N>
void put_element(std::uint8_t* to, N number) {
  const T value = static_cast<T>(number);
  std::memcpy(to, &value, sizeof value);
}

inline std::int64_t read_integer(ElementType type, const std::uint8_t* from) {
  switch (type) {
    case ElementType::u8:
      return element<std::uint8_t>(from);
    case ElementType::boolean:
      return element<std::uint8_t>(from) != 0 ? 1 : 0;
    case ElementType::i8:
      return element<std::int8_t>(from);
    case ElementType::u16:
      return element<std::uint16_t>(from);
    case ElementType::i16:
      return element<std::int16_t>(from);
    case ElementType::u32:
      return element<std::uint32_t>(from);
    case ElementType::i32:
      return element<std::int32_t>(from);
    case ElementType::i64:
      return element<std::int64_t>(from);
    default:
      throw InternalError("reference: a float is read as an integer");
  }
}
/// Keeps the low bits.
inline void write_integer(ElementType type, std::uint8_t* to, std::int64_t value) {
  if (type == ElementType::boolean) value = value != 0 ? 1 : 0;
  std::memcpy(to, &value, static_cast<std::size_t>(size_of(type)));
}
inline float read_float(ElementType type, const std::uint8_t* from) {
  if (type == ElementType::f32) return element<float>(from);
  if (type == ElementType::f16) return f16_to_f32(element<std::uint16_t>(from));
  if (type == ElementType::bf16) return bf16_to_f32(element<std::uint16_t>(from));
  return static_cast<float>(read_integer(type, from));
}
inline void write_float(ElementType type, std::uint8_t* to, float value) {
  if (type == ElementType::f32) return put_element<float>(to, value);
  put_element<std::uint16_t>(to, type == ElementType::f16 ? f32_to_f16(value) : f32_to_bf16(value));
}
/// Rounded already; NaN gives 0.
inline std::int64_t saturated(ElementType type, double value) {
  if (std::isnan(value)) return 0;
  const int bits = type == ElementType::boolean ? 1 : 8 * size_of(type);
  const double low = is_signed(type) ? -std::ldexp(1.0, bits - 1) : 0;
  const double high = std::ldexp(1.0, is_signed(type) ? bits - 1 : bits);
  if (value <= low) return static_cast<std::int64_t>(low);
  if (value >= high) return bits == 64 ? INT64_MAX : static_cast<std::int64_t>(high) - 1;
  return static_cast<std::int64_t>(value);
}

}  // namespace pimento::reference
