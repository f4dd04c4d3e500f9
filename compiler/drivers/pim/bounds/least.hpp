#pragma once
// The least that single steps take on a chip, wherever they are done.
#include "isa/cost/cost.hpp"

namespace pimento::pim {

/// From the begin of a load of one byte to its end, on the core nearest to the memory, its row being open.
inline Cycles least_access(const isa::Chip& chip, bool is_store) {
  Cycles least = isa::cost::global_access_cycles(chip, 0, 1, is_store, {});
  for (CoreId core = 1; core < static_cast<CoreId>(chip.cores); ++core)
    least = std::min(least, isa::cost::global_access_cycles(chip, core, 1, is_store, {}));
  return least;
}
/// What any product takes: it reads, computes and writes at least one access each.
inline Cycles least_product(const isa::Chip& chip, const isa::cost::TileShape& tile, ElementType input) {
  const isa::LocalMemory& memory = chip.core.local_memory;
  return memory.read_latency_cycles + isa::cost::mvm_compute(chip, tile, input) + memory.write_latency_cycles;
}
/// What any product holds its array group for: all that, or its slices where the next one may enter behind them.
inline Cycles least_hold(const isa::Chip& chip, const isa::cost::TileShape& tile, ElementType input) {
  return chip.core.crossbar.overlap ? isa::cost::mvm_occupancy(chip, tile, input) : least_product(chip, tile, input);
}
inline Cycles to_core_cycles(const isa::Chip& chip, double cycles, const isa::Clock& clock) {
  return static_cast<Cycles>(cycles * static_cast<double>(clock.period_fs) /
                             static_cast<double>(chip.core.clock.period_fs));
}

}  // namespace pimento::pim
