#pragma once
// How classes find their cores, by name: one file and one registration each.
#include <string_view>
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

struct Scheduler {
  std::string_view name, text;
  /// Cores by class, the classes of each round within the cores' crossbars; throws DoesNotFit when the classes do not
  /// pack.
  std::vector<CoreId> (*place)(const Scheduling&);
};
/// All of them by name; registering a name twice is a fault of ours.
const std::vector<Scheduler>& schedulers();
bool register_scheduler(const Scheduler& scheduler);
/// By round and core: all crossbars of the chip, which every round has to itself.
std::vector<std::vector<std::int64_t>> crossbars_of_rounds(const Spatial& spatial, const isa::Chip& chip);
/// For one that finds no core for a class.
DoesNotFit no_core_left(const isa::Chip& chip, std::size_t cls, std::int64_t crossbars);
/// Throws UserError with the nearest name for one that nobody registered.
const Scheduler& find_scheduler(std::string_view name);

}  // namespace pimento::pim
