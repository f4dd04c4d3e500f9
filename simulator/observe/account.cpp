#include "simulator/observe/account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/chip/points.hpp"
#include "isa/cost/shape_of.hpp"
#include "simulator/crossbar/analog.hpp"

namespace pimento::sim {

void add_executions(const isa::Program& program, const isa::Chip& chip, CoreId core, const CoreCode& code,
                    const std::vector<Tally>& tallies, Result& result, isa::cost::Events& events) {
  const auto& instructions = program.cores[core].instructions.data;
  for (std::size_t n = 0; n < tallies.size(); ++n) {
    const Cost& cost = code.costs[n];
    const Tally& tally = tallies[n];
    if (tally.count == 0 || cost.kind == Kind::loop_end) continue;
    const isa::Instruction& sample = instructions[cost.sample];
    isa::cost::TileShape shape;
    if (cost.tile != none) shape = isa::cost::shape_of(program.tiles[cost.tile]);
    events.add(isa::cost::events(chip, sample, cost.tile == none ? nullptr : &shape), tally.count);
    const bool mvm = cost.opcode == isa::Opcode::mvm, vector = cost.part == isa::Unit::vector;
    const bool sends = cost.kind == Kind::send || cost.kind == Kind::multicast;
    const auto destinations =
        cost.kind == Kind::multicast ? static_cast<std::int64_t>(program.core_sets[sample.target].size()) : 1;
    result.mvms += mvm ? tally.count : 0;
    result.vector_instructions += vector ? tally.count : 0;
    if (sends) {
      result.messages += tally.count;
      result.injected += tally.count * cost.bytes;
      result.delivered += tally.count * cost.bytes * destinations;
    }
    if (cost.node >= result.nodes.size()) continue;
    NodeResult& node = result.nodes[cost.node];
    node.first = node.instructions == 0 ? tally.first : std::min(node.first, tally.first);
    node.last = std::max(node.last, tally.last);
    node.busy += tally.count * (cost.read + cost.compute + cost.write);
    node.instructions += tally.count;
    node.mvms += mvm ? tally.count : 0;
    node.vector_instructions += vector ? tally.count : 0;
    node.sent += sends ? tally.count * cost.bytes : 0;
    node.loaded += cost.kind == Kind::load ? tally.count * cost.bytes : 0;
    node.stored += cost.kind == Kind::store ? tally.count * cost.bytes : 0;
  }
}

isa::Chip at_mean_output(const isa::Chip& chip, const std::vector<PackedTile>& tiles) {
  if (!isa::measures_mean_output(chip)) return chip;
  AnalogTile::Codes all;
  for (const PackedTile& tile : tiles)
    if (tile.analog) all.conversions += tile.analog->codes().conversions, all.sum += tile.analog->codes().sum;
  if (all.conversions == 0) return chip;
  const double mean = static_cast<double>(all.sum) / static_cast<double>(all.conversions);
  if (!isa::tables_reach(chip, mean)) return chip;  // what follows from them stays unknown
  return isa::with_values(chip, {{"core.crossbar.mean_output", fmt::format("{}", mean)}});
}

std::vector<EnergyEntry> energy_account(const isa::Chip& chip, const isa::cost::Events& e, Cycles cycles,
                                        std::int64_t flit_hops, std::int64_t global_reads, std::int64_t global_writes) {
  std::vector<EnergyEntry> all;
  const auto add = [&](const char* component, const char* event, std::int64_t count,
                       const std::optional<Picojoules>& each, const char* key) {
    if (count == 0) return;
    const auto source = chip.sources.find(key);
    all.push_back({component, event, count, each, key, source == chip.sources.end() ? "" : source->second});
  };
  const isa::Core& core = chip.core;
  add("crossbar", "array read", e.crossbar_reads, core.crossbar.read_energy_pj, "core.crossbar.read_energy");
  add("crossbar", "DAC conversion", e.dac_conversions, core.crossbar.dac_energy_pj, "core.crossbar.dac_energy");
  add("crossbar", "ADC conversion", e.adc_conversions, core.crossbar.adc.energy_pj, "core.crossbar.adc.energy");
  add("crossbar", "shift-add", e.shift_adds, core.crossbar.shift_add_energy_pj, "core.crossbar.shift_add_energy");
  add("crossbar", "cell programmed", e.cells_programmed, core.crossbar.program_energy_pj,
      "core.crossbar.program_energy");
  add("local memory", "read", e.local_reads, core.local_memory.read_energy_pj, "core.local_memory.read_energy");
  add("local memory", "write", e.local_writes, core.local_memory.write_energy_pj, "core.local_memory.write_energy");
  add("vector unit", "element operation", e.vector_operations, core.vector.energy_pj, "core.vector.energy");
  add("scalar unit", "operation", e.scalar_operations, core.scalar.energy_pj, "core.scalar.energy");
  add("network", "flit and hop", flit_hops, chip.network.hop_energy_pj, "network.hop_energy");
  add("global memory", "read", global_reads, chip.global_memory.read_energy_pj, "global_memory.read_energy");
  add("global memory", "write", global_writes, chip.global_memory.write_energy_pj, "global_memory.write_energy");
  // 1 mW over 1 ns is 1 pJ
  const double cycle_ns = static_cast<double>(chip.core.clock.period_fs) / 1e6;
  const auto per_cycle = [&](const std::optional<double>& mw) {
    return mw ? std::optional<Picojoules>(*mw * cycle_ns) : std::nullopt;
  };
  add("static power", "core and cycle", chip.cores * cycles, per_cycle(chip.static_power.core_mw), "static_power.core");
  add("static power", "cycle of the network", cycles, per_cycle(chip.static_power.network_mw), "static_power.network");
  add("static power", "cycle of the global memory", cycles, per_cycle(chip.static_power.global_memory_mw),
      "static_power.global_memory");
  const auto source = chip.sources.find("parts");
  for (const isa::Part& part : chip.parts)
    if (cycles > 0)
      all.push_back({part.name, "cycle of each", part.count * (part.per_core ? chip.cores : 1) * cycles,
                     per_cycle(part.power_mw), "parts: power of " + part.name,
                     source == chip.sources.end() ? "" : source->second});
  return all;
}

}  // namespace pimento::sim
