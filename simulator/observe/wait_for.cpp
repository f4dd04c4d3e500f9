// Why the chip stands still: for each unfinished core what it waits for, and the circle that closes it.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/chip/machine.hpp"

namespace pimento::sim {
namespace {

struct Waits {
  std::string line;
  std::vector<CoreId> for_cores;
};

Waits waits_of(const Machine& m, const Core& core) {
  const Transfer& x = core.transfer();
  Waits w;
  if (!x.active) {
    w.line = fmt::format("chip.core{} stands still without a transfer", core.id());
    return w;
  }
  std::string what;
  switch (x.kind) {
    case Kind::receive:
      w.for_cores.push_back(m.mailboxes[x.step.aux].source);
      what = "a message from chip.core";
      break;
    case Kind::send:
      w.for_cores.push_back(m.mailboxes[x.step.aux].destination);
      what = m.rendezvous() ? "a receive of chip.core" : "a free place in the buffer of chip.core";
      break;
    case Kind::multicast:
      for (const std::uint32_t each : m.code.pair_sets[x.step.aux])
        if ((m.rendezvous() ? m.mailboxes[each].receives : m.mailboxes[each].credits).empty())
          w.for_cores.push_back(m.mailboxes[each].destination);
      what = m.rendezvous() ? "receives of chip.core" : "free places in the buffers of chip.core";
      break;
    case Kind::wait: {
      const auto& i = m.program.cores[core.id()].instructions.data[x.step.instruction];
      w.line = fmt::format("chip: {} waits since {} for its event {} to reach {}, it stands at {}",
                           describe(m.program, core.id(), x.step.instruction), x.issue, i.tag, i.imm,
                           core.event_value(i.tag));
      return w;
    }
    default:
      what = "the global memory";
      break;
  }
  w.line = fmt::format("chip: {} waits since {} for {}{}", describe(m.program, core.id(), x.step.instruction), x.issue,
                       what, fmt::join(w.for_cores, ", chip.core"));
  for (const CoreId each : w.for_cores)
    if (each < m.cores.size() && m.cores[each]->finished()) w.line += fmt::format(", but chip.core{} has ended", each);
  return w;
}

/// A circle through the first edges of the graph, starting at its smallest core; empty when there is none.
std::vector<CoreId> circle(const std::vector<std::vector<CoreId>>& edges) {
  std::vector<int> state(edges.size(), 0);  // 1: on the path, 2: done
  for (CoreId start = 0; start < edges.size(); ++start) {
    std::vector<CoreId> path;
    std::vector<std::size_t> next;
    if (state[start] == 0) path.push_back(start), next.push_back(0), state[start] = 1;
    while (!path.empty()) {
      const CoreId at = path.back();
      if (next.back() == edges[at].size()) {
        state[at] = 2;
        path.pop_back();
        next.pop_back();
        continue;
      }
      const CoreId to = edges[at][next.back()++];
      if (state[to] == 1) return {std::find(path.begin(), path.end(), to), path.end()};
      if (state[to] == 0) path.push_back(to), next.push_back(0), state[to] = 1;
    }
  }
  return {};
}

}  // namespace

std::string wait_for_graph(const Machine& machine) {
  std::vector<std::vector<CoreId>> edges(machine.cores.size());
  std::string lines;
  int unfinished = 0;
  Cycles latest = 0;
  for (const auto& core : machine.cores) {
    latest = std::max(latest, core->time());
    if (core->finished()) continue;
    ++unfinished;
    const Waits w = waits_of(machine, *core);
    lines += "\n  " + w.line;
    edges[core->id()] = w.for_cores;
  }
  std::string text = fmt::format("chip: stopped at cycle {}, {} core{} unfinished, nothing can move{}", latest,
                                 unfinished, unfinished == 1 ? "" : "s", lines);
  std::vector<CoreId> ring = circle(edges);
  if (!ring.empty()) {
    ring.push_back(ring.front());
    text += fmt::format("\n  circle: chip.core{}", fmt::join(ring, " -> chip.core"));
  }
  return text;
}

}  // namespace pimento::sim
