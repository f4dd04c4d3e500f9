#pragma once
// The instructions of one core. Operations are gathered, rolled, and written with address registers: a register holds a
// walk (strides per loop level, ring), not an address, is set before the loops that use it, and is kept as long as
// somebody may walk alike.
#include "compiler/drivers/pim/emit/roll.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

class CoreWriter {
 public:
  explicit CoreWriter(const isa::Chip& chip) : chip_(chip) {}

  /// What follows stands for this graph node.
  void begin_node(std::uint32_t node) { node_ = node; }
  void write(const FlatOp& op) { operations_.push_back({op, node_}); }
  /// Moves the instructions and node ranges into the core's program; `rolled`: with loops over several operations.
  void finish(isa::CoreProgram& core, bool rolled);

 private:
  void write_item(const Rolled& rolled, const Item& item);
  void set_registers(const std::vector<Walk>& all);
  std::uint8_t register_of(const Walk& walk) const;
  void write_records(const Rolled& rolled, const Item& item, const std::vector<Walk>& all, std::size_t slot);
  void append(const isa::Instruction& instruction, std::uint32_t node);

  const isa::Chip& chip_;
  std::vector<Operation> operations_;
  std::uint32_t node_ = 0;
  std::vector<isa::Instruction> instructions_;
  std::vector<isa::NodeRange> nodes_;
  std::vector<Walk> held_;          ///< by register
  std::vector<std::int64_t> used_;  ///< time of last use, by register
  std::int64_t now_ = 0;
};

}  // namespace pimento::pim
