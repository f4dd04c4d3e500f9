#pragma once
// How each element type stands in memory and how it is seen while computing: floats as float, all else as int64_t.
// Stored floats that are NaN become the canonical quiet NaN, so that no machine's choice of payload shows.
#include <bit>
#include <cstdint>
#include <limits>

#include "isa/support/error.hpp"
#include "isa/support/float16.hpp"
#include "isa/support/types.hpp"

namespace pimento::ir {

template <class T>
struct IntegerAccess {
  using Stored = T;
  using Seen = std::int64_t;
  static constexpr bool real = false;
  static Seen load(Stored raw) { return static_cast<Seen>(raw); }
  static Stored store(Seen value) { return static_cast<Stored>(value); }
};
struct BooleanAccess {
  using Stored = std::uint8_t;
  using Seen = std::int64_t;
  static constexpr bool real = false;
  static Seen load(Stored raw) { return raw != 0 ? 1 : 0; }
  static Stored store(Seen value) { return value != 0 ? 1 : 0; }
};
struct F32Access {
  using Stored = float;
  using Seen = float;
  static constexpr bool real = true;
  static Seen load(Stored raw) { return raw; }
  static Stored store(Seen value) { return value == value ? value : std::bit_cast<float>(0x7fc00000u); }
};
struct F16Access {
  using Stored = std::uint16_t;
  using Seen = float;
  static constexpr bool real = true;
  static Seen load(Stored raw) { return f16_to_f32(raw); }
  static Stored store(Seen value) { return f32_to_f16(value); }
};
struct Bf16Access {
  using Stored = std::uint16_t;
  using Seen = float;
  static constexpr bool real = true;
  static Seen load(Stored raw) { return bf16_to_f32(raw); }
  static Stored store(Seen value) { return f32_to_bf16(value); }
};

/// Calls `f` with the access of a type.
template <class F>
auto with_element_type(ElementType type, const F& f) {
  switch (type) {
    case ElementType::u8:
      return f(IntegerAccess<std::uint8_t>{});
    case ElementType::i8:
      return f(IntegerAccess<std::int8_t>{});
    case ElementType::u16:
      return f(IntegerAccess<std::uint16_t>{});
    case ElementType::i16:
      return f(IntegerAccess<std::int16_t>{});
    case ElementType::u32:
      return f(IntegerAccess<std::uint32_t>{});
    case ElementType::i32:
      return f(IntegerAccess<std::int32_t>{});
    case ElementType::i64:
      return f(IntegerAccess<std::int64_t>{});
    case ElementType::boolean:
      return f(BooleanAccess{});
    case ElementType::f16:
      return f(F16Access{});
    case ElementType::bf16:
      return f(Bf16Access{});
    case ElementType::f32:
      return f(F32Access{});
  }
  throw InternalError("element type outside its enumeration");
}

}  // namespace pimento::ir
