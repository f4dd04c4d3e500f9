#pragma once
// The instructions of one core. Operations are gathered, rolled, and written with address registers: a register holds a
// walk (strides per loop level, ring), not an address, is set before the loops that use it, and is kept as long as
// somebody may walk alike.
#include "compiler/drivers/pim/emit/roll.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

/// Instructions and the ranges of nodes over them.
struct Written {
  std::vector<isa::Instruction> instructions;
  std::vector<isa::NodeRange> nodes;
};
Written write_records(const Rolled& rolled, const isa::Chip& chip);

class CoreWriter {
 public:
  explicit CoreWriter(const isa::Chip& chip) : chip_(chip) {}

  /// What follows stands for this graph node.
  void begin_node(std::uint32_t node) { node_ = node; }
  void write(const FlatOp& op) { operations_.push_back({op, node_}); }
  /// Moves the instructions and node ranges into the core's program; `rolled`: with loops over several operations, in
  /// the form that has fewest records.
  void finish(isa::CoreProgram& core, bool rolled);

 private:
  const isa::Chip& chip_;
  std::vector<Operation> operations_;
  std::uint32_t node_ = 0;
};

}  // namespace pimento::pim
