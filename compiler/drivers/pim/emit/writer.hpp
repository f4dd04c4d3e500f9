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
Written write_records(const std::vector<Rolled>& parts, const isa::Chip& chip);
/// Rolled in whichever way has fewest records.
std::vector<isa::Instruction> fewest_records(const std::vector<Operation>& operations, const isa::Chip& chip);

/// The turns of a stream, and how far apart its images stand in global memory.
struct Stream {
  std::vector<Pass> passes{{}};
  std::int64_t stride = 0;
};

class CoreWriter {
 public:
  explicit CoreWriter(const isa::Chip& chip, Stream stream = {}) : chip_(chip), stream_(std::move(stream)) {}

  /// What follows stands for this graph node, in this stage of a stream.
  void begin_node(std::uint32_t node, std::int32_t stage = 0) { node_ = node, stage_ = stage; }
  void write(const FlatOp& op) { operations_.push_back({op, node_, stage_}); }
  /// Moves the instructions and node ranges into the core's program; `rolled`: with loops over several operations, in
  /// the form that has fewest records.
  void finish(isa::CoreProgram& core, bool rolled);

 private:
  std::vector<Operation> operations_of(const Pass& pass) const;

  const isa::Chip& chip_;
  Stream stream_;
  std::vector<Operation> operations_;
  std::uint32_t node_ = 0;
  std::int32_t stage_ = 0;
};

}  // namespace pimento::pim
