#pragma once
// A core's instructions as emission will write them, drafted before there are operations and places: the same buffers
// with their rings, loops and address registers. What differs is where things stand: every buffer has a place of its
// own, constants in the order of their first use. Only cores whose instructions overlap are drafted.
#include <map>
#include <vector>

#include "compiler/drivers/pim/emit/plan.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

struct Draft {
  std::vector<isa::Instruction> instructions;
  /// By step: sends, receives, loads or stores that it becomes.
  std::vector<std::int32_t> moves;
  /// A product's `target`, by class and tile: array groups of this core, counted from 0.
  std::map<std::pair<ClassId, std::int32_t>, std::uint32_t> groups;
  std::vector<std::int32_t> tile_of_group;
  /// Stands for a compute that was drawn by hand: a `nop` that takes `imm` cycles.
  static constexpr isa::Opcode drawn = isa::Opcode::nop;
};

/// The buffers of all cores, and places for them.
std::vector<CorePlan> drafted_plans(const Steps& steps, const Spatial& spatial, const isa::Chip& chip);
/// `rolled`: with loops over several operations, which cost most to find.
Draft draft(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, const std::vector<CorePlan>& plans,
            CoreId core, bool rolled);

}  // namespace pimento::pim
