// What a machine that runs ahead says of itself when a run ends otherwise than its program.
#include "simulator/chip/machine.hpp"

namespace pimento::sim {

Wait Machine::wait_of(const Core& core) const {
  const Transfer& x = core.transfer();
  Wait w;
  w.core = core.id();
  w.has_transfer = x.active;
  if (!x.active) return w;
  w.kind = x.kind;
  w.instruction = x.step.instruction;
  w.since = x.issue;
  switch (x.kind) {
    case Kind::receive:
      w.for_cores.push_back(mailboxes[x.step.aux].source);
      break;
    case Kind::send:
      w.for_cores.push_back(mailboxes[x.step.aux].destination);
      break;
    case Kind::multicast:
      for (const std::uint32_t each : code.pair_sets[x.step.aux])
        if ((rendezvous() ? mailboxes[each].receives : mailboxes[each].credits).empty())
          w.for_cores.push_back(mailboxes[each].destination);
      break;
    case Kind::wait:
      w.event_value = core.event_value(program.cores[core.id()].instructions.data[x.step.instruction].tag);
      break;
    default:
      break;
  }
  return w;
}

std::vector<Unreceived> Machine::unreceived() const {
  std::vector<Unreceived> all;
  for (const Mailbox& box : mailboxes) {
    if (box.arrived.empty()) continue;
    const Delivery& first = box.arrived.front();
    all.push_back(
        {box.source, box.destination, box.arrived.size(), first.instruction, first.tag, first.bytes, first.arrival});
  }
  return all;
}

std::string Machine::explanation(StopReason stop, Cycles cycles) const {
  switch (stop) {
    case StopReason::finished:
      return "";
    case StopReason::max_cycles:
      return limit_text(limit());
    case StopReason::interrupted:
      return interrupted_text(cycles);
    case StopReason::unreceived:
      return unreceived_text(program, unreceived());
    case StopReason::deadlock:
      break;
  }
  Standing standing{program, rendezvous(), 0, {}, {}};
  for (const auto& core : cores) {
    standing.cycle = std::max(standing.cycle, core->time());
    standing.finished.push_back(core->finished());
    if (!core->finished()) standing.waits.push_back(wait_of(*core));
  }
  return wait_for_graph(standing);
}

}  // namespace pimento::sim
