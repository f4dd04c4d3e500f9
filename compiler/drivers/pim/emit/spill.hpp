#pragma once
// Stage spill: what waits for long on a core whose local memory is too small waits in global memory. A row of a value
// is stored after the step that touches it last and loaded before the step that needs it next; both are ordinary
// transfers among the core's steps, so everything that follows counts, verifies and plays them as such. Taken only
// where no mapping fits without.
#include "compiler/drivers/pim/emit/plan.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

/// The steps, with the stores and loads that make every core fit, and the cores on which buffers give their places away
/// whenever they are empty, which may be enough. Loads come as early as memory allows and as is
/// predicted to end first. LocalMemoryFull, with the figures of the core without spills, when nothing more can be
/// spilled and it still does not fit; DoesNotFit for images that overlap.
Steps spill(const EmitInput& input);
/// "" or the first broken rule: without its spills every core has the steps that it had; what is spilled is stored once
/// before it is loaded, into its own place; every store has a load and every load a reader; inputs, and outputs that
/// this core has stored, come back from their ports.
std::string verify_spills(const Steps& before, const Steps& after, const Spatial& spatial);
/// "" or the first broken rule: a load brings back all that the core had of its rows.
std::string verify_absences(const CorePlan& plan, const EmitInput& input);

struct SpillStatistics {
  std::int64_t stores = 0, loads = 0;
  Bytes stored = 0, loaded = 0;
  std::int64_t cores = 0;  ///< that spill
};
SpillStatistics spill_statistics(const Steps& steps, const Spatial& spatial);

}  // namespace pimento::pim
