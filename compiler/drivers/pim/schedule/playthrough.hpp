#pragma once
// The steps of all cores played through on the chip before they become instructions: when they end, contention
// included. A core does one step after the other; a message claims each link and port of its way when its head gets
// there and keeps it for its flits; places in receive buffers, rendezvous and the channels of global memory are as the
// simulator has them (simulator/README). What is left out: what instructions of different computes overlap beyond one
// another's last, flits of one message waiting apart, addresses that overlap; and a write of cells takes its time on
// its core, but claims no link and no channel of global memory from others.
#include "compiler/drivers/pim/schedule/schedule.hpp"

namespace pimento::pim {

/// Core cycles from cycle 0 to the end of the last step.
Cycles play_through(const Steps& steps, const Spatial& spatial, const isa::Chip& chip);

}  // namespace pimento::pim
