#pragma once
// Quantities and identifiers shared by every room. A cycle count is meaningless without its clock: a name or a
// comment beside each figure says which one (core, network, memory).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pimento {

/// Integer femtoseconds: the only time base inside the tool (DESIGN section 3).
using Femtoseconds = std::int64_t;
/// Cycles of a clock named where the figure is declared.
using Cycles = std::int64_t;
using Bytes = std::int64_t;
/// Picojoules. An energy that nobody gave is std::nullopt, never 0.
using Picojoules = double;

/// Index of a core on the chip, 0 .. cores-1 (row-major on a mesh).
using CoreId = std::uint32_t;
/// Index of an array group within its core.
using GroupId = std::uint32_t;

enum class ElementType : std::uint8_t { u8, i8, u16, i16, u32, i32, i64, boolean, f16, bf16, f32 };
inline constexpr int element_type_count = 11;

/// Bytes that one element takes in any memory.
constexpr int size_of(ElementType t) {
  switch (t) {
    case ElementType::u8:
    case ElementType::i8:
    case ElementType::boolean:
      return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32:
      return 4;
    case ElementType::i64:
      return 8;
  }
  return 0;
}
constexpr bool is_float(ElementType t) {
  return t == ElementType::f16 || t == ElementType::bf16 || t == ElementType::f32;
}
constexpr bool is_signed(ElementType t) {
  return t == ElementType::i8 || t == ElementType::i16 || t == ElementType::i32 || t == ElementType::i64 || is_float(t);
}
/// "u8", "i8", ..., "bool", "f32".
std::string_view to_string(ElementType t);
std::optional<ElementType> parse_element_type(std::string_view text);

/// Numerics of a compiled program (DESIGN section 3).
enum class Numerics : std::uint8_t { quantised, exact, f32 };
std::string_view to_string(Numerics n);
std::optional<Numerics> parse_numerics(std::string_view text);

}  // namespace pimento
