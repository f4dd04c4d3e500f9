#pragma once
// What each form means, field by field: the one description that print, parse, check_fields, verify and unroll read.
// An operand is a view of a memory; its extent says how many segments of how many elements the instruction touches.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/instruction/instruction.hpp"

namespace pimento::isa {

enum class Operand : std::uint8_t { d, a, b };
inline constexpr std::array<Operand, 3> all_operands{Operand::d, Operand::a, Operand::b};
/// "dst", "a", "b".
std::string_view to_string(Operand operand);

enum class Space : std::uint8_t { none, local, global, address_register, scalar_register };

enum class Extent : std::uint8_t {
  none,
  segments,   ///< count segments of len elements, stride apart (of one element each for b with flag b_scalar)
  per_len,    ///< one segment of len elements
  per_count,  ///< one packed segment of count elements
  columns,    ///< one packed segment: the columns of the group's tile
  table256,   ///< one packed segment of 256 elements
  rows,       ///< rows of len elements, row j at base + j * stride, 0 <= j < imm; stride 0: rows without gaps
  matrix      ///< len rows of count elements, stride apart
};

struct OperandSpec {
  Space space = Space::none;
  Extent extent = Extent::none;
  bool typed = false;  ///< the element type is written; untyped operands are bytes
};

enum class Member : std::uint8_t { a, b, target, tag, imm, scale, real };
struct FieldSpec {
  std::string_view keyword;
  Member member = Member::imm;
  bool required = true;  ///< when not, the default is not printed
};

struct FormSpec {
  std::array<OperandSpec, 3> operands{};
  bool shaped = false;  ///< count and len are used
  std::array<FieldSpec, 4> fields{};
  int field_count = 0;
  std::uint8_t flags = 0;  ///< flags that may be set

  const OperandSpec& operator[](Operand o) const { return operands[static_cast<std::size_t>(o)]; }
  std::span<const FieldSpec> used_fields() const {
    return std::span(fields).first(static_cast<std::size_t>(field_count));
  }
};
/// The opcode must be one of the table's.
const FormSpec& form_spec(Opcode opcode);

/// Types that an instruction takes: a rule over (d, a, b) and its words; operands that do not exist count as u8.
struct TypeRule {
  bool (*holds)(ElementType d, ElementType a, ElementType b);
  std::string_view text;
};
const TypeRule& type_rule(Opcode opcode);
/// Every legal triple (d, a, b) of one opcode, in order; absent operands are u8.
const std::vector<std::array<ElementType, 3>>& legal_types(Opcode opcode);

/// The memory that one operand touches: `count` segments of `bytes`, segment k at `address + A[reg] + k * stride`.
struct View {
  Space space = Space::none;
  std::uint8_t reg = no_register;
  std::int64_t address = 0;
  std::int64_t count = 0, stride = 0, bytes = 0;
};
/// `columns` is the column count of the group's tile (mvm). Register operands and absent ones give Space::none.
View view(const Instruction& instruction, Operand operand, std::int64_t columns = 0);

/// Wraps a segment's start into the ring [lo, lo + size).
constexpr std::int64_t wrap(std::int64_t start, std::int64_t lo, std::int64_t size) {
  const std::int64_t offset = (start - lo) % size;
  return lo + (offset < 0 ? offset + size : offset);
}
/// A[r] inside loops with these counters, outermost first; not yet wrapped (wrapping a sum wraps its parts).
constexpr std::int64_t address_value(const AddressSetup& setup, std::span<const std::int64_t> counters) {
  std::int64_t value = setup.base;
  for (std::size_t level = 0; level < counters.size(); ++level) value += setup.strides[level] * counters[level];
  return value;
}

/// Registers of the three operands and their types, by operand.
constexpr std::uint8_t reg_of(const Instruction& i, Operand o) {
  return o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b;
}
constexpr ElementType type_of(const Instruction& i, Operand o) {
  return o == Operand::d ? i.type_d : o == Operand::a ? i.type_a : i.type_b;
}
constexpr std::int32_t address_of(const Instruction& i, Operand o) {
  return o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b;
}
constexpr std::int32_t stride_of(const Instruction& i, Operand o) {
  return o == Operand::d ? i.stride_d : o == Operand::a ? i.stride_a : i.stride_b;
}
/// Whether the stride field of an operand with this extent is used.
constexpr bool has_stride(Extent extent) {
  return extent == Extent::segments || extent == Extent::rows || extent == Extent::matrix;
}
/// Whether the code is one of the table's: a plain array look-up.
bool is_opcode(std::uint8_t code);

}  // namespace pimento::isa
