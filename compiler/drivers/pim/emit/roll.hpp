#pragma once
// Rolling: what one core does, operation after operation, written as loops. Neighbours that repeat with addresses that
// advance by a constant (modulo the ring, where rows stand in one) become the turns of a loop, messages and accesses to
// global memory included; loops that repeat become loops of loops. The order of execution stays as it is.
#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {

/// An operation and the graph node it stands for.
struct Operation {
  FlatOp op;
  std::uint32_t node = 0;
  std::int32_t stage = 0;  ///< of a stream, see Steps
};

/// A loop round everything: turns of a stream. What is in global memory stands `stride` bytes on for the next image.
struct Repeat {
  std::int32_t turns = 1;
  std::int64_t stride = 0;
  bool is_loop() const { return turns > 1; }
};

/// How an operand's address moves with the counters of the loops round it.
struct Walk {
  std::array<std::int32_t, isa::max_loop_levels> strides{};
  std::int32_t ring_lo = 0, ring_size = 0;  ///< size 0: it never passes the end of a ring
  std::int32_t depth = 0;                   ///< loops round the operand: strides beyond it play no part
  bool still() const { return strides == std::array<std::int32_t, isa::max_loop_levels>{} && ring_size == 0; }
  /// Whether a register that walks as `held` serves this operand.
  bool served_by(const Walk& held) const;
};

/// An operation, or a loop over items that follow one another.
struct Item {
  std::uint32_t structure = 0;                ///< equal: alike in all but addresses
  std::uint32_t first_place = 0, places = 1;  ///< Rolled::places: the operations of its first turn, in order
  std::uint32_t records = 1;                  ///< instructions, without address registers
  std::int32_t depth = 0;                     ///< loops within it
  std::int32_t loop = -1;                     ///< index into Rolled::loops; -1: one operation
};
struct RolledLoop {
  std::int32_t trips = 0;
  std::vector<Item> body;
  /// From turn to turn: by operation of the body and operand (d, a, b).
  std::vector<std::int64_t> strides;
};
struct Rolled {
  std::vector<Operation> operations;
  std::vector<std::uint32_t> places;  ///< indices into operations
  std::vector<std::uint8_t> wraps;    ///< by place and operand (d, a, b): it passes the end of its ring in some turn
  std::vector<RolledLoop> loops;
  std::vector<Item> items;
  Repeat repeat;
};

/// Every operation for itself.
Rolled as_they_stand(std::vector<Operation> operations, const Repeat& repeat = {});
/// Which repetition is rolled first where several begin at one place.
enum class Prefer : std::uint8_t {
  most,     ///< the one that saves most: long bodies, few loops in them
  shortest  ///< short bodies before long ones: loops of loops
};
/// Loops wherever they save instructions, within the chip's depth and address registers.
Rolled roll(const std::vector<Operation>& operations, const isa::Chip& chip, Prefer prefer, const Repeat& repeat = {});
/// The walks of an item's operands, outermost loop first: by operation of its first turn and operand.
std::vector<Walk> walks(const Rolled& rolled, const Item& item);
/// The same without those that a register of another one serves: as many registers does the item need.
std::vector<Walk> distinct(std::vector<Walk> walks);

}  // namespace pimento::pim
