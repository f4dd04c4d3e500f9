// Gathers a finished machine's figures into the result.
#include <algorithm>

#include "simulator/chip/machine.hpp"
#include "simulator/observe/account.hpp"

namespace pimento::sim {

void Machine::collect(Result& r) const {
  r.time_fs = r.cycles * clocks.core;
  const auto clock = [&](const char* name, Femtoseconds period) {
    r.clocks.push_back({name, period, convert(r.cycles, clocks.core, period)});
  };
  clock("core", clocks.core);
  clock("network", clocks.network);
  clock("memory", clocks.memory);
  for (const std::string& name : program.nodes) r.nodes.emplace_back().name = name;
  isa::cost::Events events;
  for (const auto& core : cores) {
    CoreResult& c = r.cores.emplace_back();
    c.instructions = core->instructions();
    c.finished = core->finished();
    c.end = core->end();
    r.instructions += c.instructions;
    r.largest_core = std::max(r.largest_core, c.instructions);
    if (options.record_contacts) r.contacts.push_back(core->contacts());
    if (!options.counters) continue;
    const std::vector<Tally> tallies = core->tallies();
    core->account(c, r.cycles, tallies);
    add_executions(program, chip, core->id(), code.cores[core->id()], tallies, r, events);
  }
  if (!options.counters) return;
  r.links = network_->links();
  std::int64_t reads = 0, writes = 0;
  for (const auto& channel : channels_) {
    r.channels.push_back(channel->result());
    reads += channel->read_accesses();
    writes += channel->write_accesses();
  }
  r.energy = energy_account(at_mean_output(chip, tiles), events, r.cycles, network_->flit_hops(), reads, writes);
}

}  // namespace pimento::sim
