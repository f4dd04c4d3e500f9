#pragma once
// From counts to figures: what the report says follows from how often each cost was executed, after the run.
#include <cstdint>
#include <vector>

#include "isa/cost/cost.hpp"
#include "isa/program/program.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/core/code.hpp"
#include "simulator/core/core.hpp"
#include "simulator/crossbar/mvm.hpp"

namespace pimento::sim {

/// Adds one core's executions to the totals and nodes of the result and to the events of the chip.
void add_executions(const isa::Program& program, const isa::Chip& chip, CoreId core, const CoreCode& code,
                    const std::vector<Tally>& tallies, Result& result, isa::cost::Events& events);

/// The chip with the mean code of a run's converters, where its energies are tables over it and the run had values.
isa::Chip at_mean_output(const isa::Chip& chip, const std::vector<PackedTile>& tiles);

/// The energy account of a run: every energy key of the chip whose event occurred, and the static powers over the
/// run's core cycles.
std::vector<EnergyEntry> energy_account(const isa::Chip& chip, const isa::cost::Events& events, Cycles cycles,
                                        std::int64_t flit_hops, std::int64_t global_reads, std::int64_t global_writes);

}  // namespace pimento::sim
