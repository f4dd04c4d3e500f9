#pragma once
// Where the classes of a core stand in its crossbars, and when: what is there from the start, and whose crossbars the
// others take. It follows from the cores of the classes alone, so schedulers, verifiers and emitter all ask it.
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

/// Array groups lie one after another round the crossbars of their core (isa::first_crossbars), round by round. What
/// finds crossbars that no earlier round needs stands there from the start.
struct Residency {
  std::vector<std::vector<isa::Group>> groups;  ///< by core; without a tile: what is written later, or a gap
  std::vector<GroupId> first_group;             ///< by class: one group per tile from there on, on its core
  std::vector<bool> at_start;                   ///< by class
  std::vector<std::vector<ClassId>> displaced;  ///< by class: earlier ones on its core whose crossbars it takes
};
Residency make_residency(const Spatial& spatial, const isa::Chip& chip, const std::vector<CoreId>& class_core);

/// What is written on each core, in order: pieces small enough for a core's local memory to hold beside its values.
std::vector<CellWrite> cell_writes(const Spatial& spatial, const isa::Chip& chip, const std::vector<CoreId>& class_core,
                                   const Residency& residency);

/// Of the rows that one write brings.
Bytes bytes_of(const CellWrite& write, const Spatial& spatial);
/// The instruction that writes them from local memory; its group and its address are unset.
isa::Instruction instruction_of(const CellWrite& write, const Spatial& spatial);

/// "" or the first broken rule of Schedule::writes.
std::string verify_writes(const Schedule& schedule, const Spatial& spatial, const isa::Chip& chip);

}  // namespace pimento::pim
