#pragma once
// What waits for the bytes of the instructions of a core that have issued and not ended: asked by the simulator, and by
// the compiler that predicts it.
#include <algorithm>
#include <vector>

#include "isa/cost/footprint.hpp"

namespace pimento::isa::cost {

/// An instruction that has issued and touches local memory.
struct InFlight {
  Cycles end = 0, read_end = 0;
  bool is_open = false;  ///< a transfer whose end is not known
  Footprint bytes;
};

/// From which cycle on an instruction that touches `next` may issue, `t` at the earliest: after those in flight whose
/// bytes it needs or takes. Those that have ended by then are forgotten. `meets_open` becomes true where it waits for
/// the result of an open one, too.
inline Cycles after_conflicts(std::vector<InFlight>& in_flight, const Footprint& next, const Rules& rules, Cycles t,
                              bool& meets_open) {
  for (std::size_t n = 0; n < in_flight.size();) {
    InFlight& other = in_flight[n];
    if (!other.is_open && other.end <= t) {
      other = in_flight.back();
      in_flight.pop_back();
      continue;
    }
    const Conflict c = conflict(other.bytes, next, rules);
    if (c.on_reading) t = std::max(t, other.read_end);
    if (c.on_result && other.is_open) meets_open = true;
    if (c.on_result && !other.is_open) t = std::max(t, other.end);
    ++n;
  }
  return t;
}

}  // namespace pimento::isa::cost
