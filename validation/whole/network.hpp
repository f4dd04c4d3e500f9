#pragma once
// One program on one chip, its network simulated by message and by flit.
#include "validation/whole/whole.hpp"

namespace pimento::validation {

struct Levels {
  Cycles message = 0, flit = 0;
  double deviation() const { return static_cast<double>(flit - message) / static_cast<double>(message); }
};

inline Levels by_message_and_by_flit(const ir::Graph& graph, const isa::Chip& chip) {
  Whole whole = make_whole(graph, chip, Numerics::quantised);
  whole.options.timing_only = true;
  const auto cycles = [&](const char* level) {
    return simulate(whole, isa::with_values(chip, {{"network.level", level}})).cycles;
  };
  return {cycles("message"), cycles("flit")};
}

}  // namespace pimento::validation
