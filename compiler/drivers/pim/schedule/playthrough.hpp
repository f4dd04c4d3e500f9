#pragma once
// The steps of all cores played through on the chip before they become instructions: when they end, contention
// included. A message claims each link and port of its way when its head gets there and keeps it for its flits; places
// in receive buffers, rendezvous and the channels of global memory are as the simulator has them (simulator/README). A
// core whose window is 1 does one step after the other; of any other, each step's instructions issue by the rules of
// the window, units, ports and bytes (overlapping.hpp). What is left out: flits of one message waiting apart, loops
// over several steps and the registers that they set, places in memory that others have left; and a write of cells
// takes its time on its core, but claims no link and no channel of global memory from others.
#include "compiler/drivers/pim/schedule/schedule.hpp"

namespace pimento::pim {

/// How closely a core is played through whose instructions overlap.
enum class Closeness : std::uint8_t {
  with_loops,  ///< with the loops over several operations that emission makes
  quick        ///< each operation for itself: to tell schedules from each other
};
/// Core cycles from cycle 0 to the end of the last step.
Cycles play_through(const Steps& steps, const Spatial& spatial, const isa::Chip& chip,
                    Closeness closeness = Closeness::with_loops);

}  // namespace pimento::pim
