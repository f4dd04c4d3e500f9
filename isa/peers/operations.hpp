#pragma once
// pimsim-nn's instructions as its files spell them. operations.def is the one table: the JSON and the binary form, the
// translation and the writers read it.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction/instruction.hpp"

namespace pimento::isa::peers {

enum class Field : std::uint8_t {
  rd,
  rs1,
  rs2,
  imm,
  mbiw,
  group,
  relu,
  ibiw,
  obiw,
  len,
  size,
  core,
  offset_value,
  offset_select,
  event_register,
  wait_value
};
inline constexpr int field_count = 16;
std::string_view to_string(Field field);

enum class Op : std::uint8_t {
#define OP(code, name, row, fields, also) name = code,  // NOLINT(bugprone-macro-parentheses)
#include "isa/peers/operations.def"
#undef OP
};

/// One instruction of a peer's file. Fields that were not given are 0.
struct PeerInstruction {
  Op op{};
  std::uint32_t given = 0;  ///< bit of each field
  std::array<std::int32_t, field_count> values{};
  double imm = 0;  ///< as written: `lldi` of one is a real number, of which `values` has the whole part

  std::int32_t operator[](Field f) const { return values[static_cast<std::size_t>(f)]; }
  bool has(Field f) const { return (given >> static_cast<int>(f) & 1U) != 0; }
  void set(Field f, std::int32_t value) {
    values[static_cast<std::size_t>(f)] = value;
    given |= 1U << static_cast<int>(f);
  }
};

struct Operation {
  Op op;
  std::string_view name;
  Opcode row;            ///< ours
  std::uint32_t fields;  ///< that mean something
  std::uint32_t also;    ///< that may stand beside them
};
/// nullptr for a name or a code that pimsim-nn does not have.
const Operation* find_operation(std::string_view name);
const Operation* find_operation(std::uint8_t code);
const Operation& operation(Op op);
const std::vector<Operation>& operations();
/// nullptr for a key that no instruction has; "offset" and "op" are not fields.
const Field* find_field(std::string_view key);

/// Bits of `offset_select`: to which register's value the offset is added.
inline constexpr std::int32_t select_rd = 1, select_rs1 = 2, select_rs2 = 4;
inline constexpr int register_count = 32;

}  // namespace pimento::isa::peers
