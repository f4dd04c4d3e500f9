#pragma once
// The instructions of one core: address registers are set when an operand walks in a loop or crosses a ring, and kept
// as long as somebody may use the same walk again; loops stand round single operations.
#include <map>

#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {

class CoreWriter {
 public:
  explicit CoreWriter(const isa::Chip& chip) : chip_(chip) {}

  /// What follows stands for this graph node.
  void begin_node(std::uint32_t node);
  void write(const FlatOp& op);
  std::size_t size() const { return instructions_.size(); }
  /// Moves the instructions and node ranges into the core's program.
  void finish(isa::CoreProgram& core);

 private:
  struct Walk {
    std::array<std::int32_t, isa::max_loop_levels> strides{};
    std::int32_t ring_lo = 0, ring_size = 0;
    auto operator<=>(const Walk&) const = default;
  };
  std::uint8_t register_for(const FlatOperand& operand, std::int32_t depth);
  const isa::Chip& chip_;
  std::vector<isa::Instruction> instructions_;
  std::vector<isa::NodeRange> nodes_;
  std::map<Walk, std::uint8_t> register_of_;
  std::vector<Walk> held_;          ///< by register
  std::vector<std::int64_t> used_;  ///< time of last use, by register
  std::int64_t now_ = 0;
};

}  // namespace pimento::pim
