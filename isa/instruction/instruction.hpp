#pragma once
// One instruction: a fixed-size record of 64 bytes that is the same in memory, in the program file and in the
// simulator.
//
// Operands are *views*: `count` segments of `len` elements; segment k of operand a begins at
//     address(a) + k * stride_a,     address(a) = a + A[reg_a]
// and, when A[reg_a] has a ring, each segment's start is wrapped into it, so a convolution window over a ring of rows
// is one view. A segment never straddles the ring's end. A stride of 0 repeats a segment (broadcast); segments are
// processed in order, so with stride_d == 0 they accumulate: segment k+1 sees what segment k wrote.
// All addresses and strides are bytes, all lengths elements (bytes for the transfer unit).
//
// An address register A[r] is set by `addr`: a base, one stride per loop level, and an optional ring. Inside hardware
// loops with counters i_0 (outermost) .. i_d its value is base + sum_l stride_l * i_l: affine, never data. The value
// follows the counters of the instruction that uses it; levels without a loop count 0; a register that no `addr` has
// set does not verify. Scalar registers R[r] are a file of their own: no view reads them.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::isa {

enum class Unit : std::uint8_t { control, scalar, vector, matrix, transfer };
std::string_view to_string(Unit unit);

enum class Opcode : std::uint8_t {
#define X(code, name, unit, form, text) name = code,  // NOLINT(bugprone-macro-parentheses)
#define RESERVED(code, text)
#include "isa/instruction/table.def"
#undef X
#undef RESERVED
};

/// Which fields of the record an instruction uses, and how the assembler spells them.
enum class Form : std::uint8_t {
  none,            ///< op
  loop,            ///< op count or A[reg_a], body        target = number of instructions in the body
  addr,            ///< op A[d], base, strides[4], ring(lo, size)
  scalar_imm,      ///< op R[d], imm
  scalar_reg,      ///< op R[d], R[a], R[b]
  scalar_reg_imm,  ///< op R[d], R[a], imm
  set_bits,        ///< op input bits (a), output bits (b)   (peers' programs)
  mvm,             ///< op dst, src view, group          dst is one packed segment of the tile's columns
  program,         ///< op group, tile (tag)
  write,           ///< op a, group, tile (tag), row (imm)   bytes; a segment is a row of the tile
  dvm,             ///< op dst, a, b                     len = r, count = c, stride_b = bytes of a row of b
  unary,           ///< op dst, a
  binary,          ///< op dst, a, b                     flag b_scalar: b is one element for the whole segment
  ternary,         ///< op dst, a, b                     dst's old value is the third operand
  fill,            ///< op dst, value (scale)            real holds the real value
  convert,         ///< op dst, a, scale, real, zero point (imm)
  requant,         ///< op dst, a, b (type_b = f32), real, zero point (imm); flag b_scalar as in binary
  clip,            ///< op dst, a, low (scale), high (real)
  lookup,          ///< op dst, a, b                     b: 256 elements of dst's type, type_b says so
  reduce,          ///< op dst, a                        one result per segment, packed in dst
  dot,             ///< op dst, a, b                     one result per segment, packed in dst
  /// op dst, a, b (packed indices, type_b = i32)   len elements per index, count indices, imm = bound; row j of the
  /// indexed operand (a; dst for vscatter) begins at its address + j * its
  /// stride; a stride of 0 there means rows without gaps
  gather,
  move,            ///< op dst, a                        bytes
  fill_bytes,      ///< op dst, byte (imm)               bytes; real holds what each stands for
  load,            ///< op dst (local), a (global)       bytes
  store,           ///< op dst (global), a (local)       bytes
  gather_global,   ///< op dst (local), a (global base), b (local indices), bound
  scatter_global,  ///< op dst (global base), a (local), b (local indices), bound
  send,            ///< op core (target), a, tag         bytes
  multicast,       ///< op core set (target), a, tag
  receive,         ///< op core (target), dst, tag
  event            ///< op core (target), register (tag), value (imm)
};

namespace flag {
inline constexpr std::uint8_t b_scalar = 1;       ///< operand b is one element per segment
inline constexpr std::uint8_t relu = 2;           ///< result passes max(0, .) (mvm, convert, requant)
inline constexpr std::uint8_t loop_register = 4;  ///< loop count comes from A[reg_a]
inline constexpr std::uint8_t ring = 8;           ///< addr: a ring is set
}  // namespace flag

inline constexpr std::uint8_t no_register = 0xff;
inline constexpr int max_loop_levels = 4;

struct Instruction {
  Opcode opcode{};
  ElementType type_d = ElementType::u8, type_a = ElementType::u8, type_b = ElementType::u8;
  std::uint8_t reg_d = no_register, reg_a = no_register, reg_b = no_register;
  std::uint8_t flags = 0;
  std::int32_t dst = 0, a = 0, b = 0;
  std::int32_t stride_d = 0, stride_a = 0, stride_b = 0;
  std::int32_t count = 1;    ///< segments, or the loop's trip count
  std::int32_t len = 0;      ///< elements of a segment; bytes on the transfer unit
  std::uint32_t target = 0;  ///< core, core set, group, or instructions of a loop body
  std::uint32_t tag = 0;     ///< message tag: must agree between send and receive
  std::int32_t imm = 0;      ///< immediate, zero point, bound
  float scale = 1.0F;        ///< multiplier of the quantised value; fill value; clip low
  /// What the step multiplies the *real* value by (the shadow of exact numerics); fill's real value; clip high.
  float real = 1.0F;
  std::uint32_t reserved = 0;

  bool operator==(const Instruction&) const = default;
};
static_assert(sizeof(Instruction) == 64);

/// `addr` keeps its numbers in fields that it does not use otherwise: base in dst, strides in a, b, stride_d, stride_a,
/// ring in stride_b (lo) and len (size).
struct AddressSetup {
  std::int32_t base = 0;
  std::array<std::int32_t, max_loop_levels> strides{};
  std::int32_t ring_lo = 0, ring_size = 0;  ///< ring_size 0: no ring
};
Instruction make_addr(std::uint8_t reg, const AddressSetup& setup);
AddressSetup address_setup(const Instruction& addr);

struct Row {
  Opcode opcode;
  std::string_view name;
  Unit unit;
  Form form;
  std::string_view meaning;
};
/// All rows of the table in code order.
const std::vector<Row>& table();
/// nullptr for a code that no row has.
const Row* find_row(std::uint8_t code);
const Row& row(Opcode opcode);

/// One line of text; parse(print(i)) == i for every valid instruction. Fields that a form does not use must hold their
/// defaults (check_fields says which one does not).
std::string print(const Instruction& instruction);
Instruction parse(std::string_view line, const std::string& file = "", int line_number = 0);
/// "" when well-formed (types legal for the form, counts positive, registers in range, unused fields at default).
std::string check_fields(const Instruction& instruction);
/// Typical instructions of one row, for round-trip tests and fuzzers.
std::vector<Instruction> samples(const Row& row);
/// Markdown reference (`pimento docs`).
std::string isa_reference();

}  // namespace pimento::isa
