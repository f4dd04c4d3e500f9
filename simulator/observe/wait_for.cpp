// Why the chip stands still: for each unfinished core what it waits for, and the circle that closes it.
#include "simulator/observe/wait_for.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pimento::sim {
namespace {

std::string line_of(const Standing& s, const Wait& w) {
  if (!w.has_transfer) return fmt::format("chip.core{} stands still without a transfer", w.core);
  const std::string who =
      fmt::format("chip: {} waits since {} for ", describe(s.program, w.core, w.instruction), w.since);
  std::string what;
  switch (w.kind) {
    case Kind::receive:
      what = "a message from chip.core";
      break;
    case Kind::send:
      what = s.rendezvous ? "a receive of chip.core" : "a free place in the buffer of chip.core";
      break;
    case Kind::multicast:
      what = s.rendezvous ? "receives of chip.core" : "free places in the buffers of chip.core";
      break;
    case Kind::wait: {
      const isa::Instruction& i = s.program.cores[w.core].instructions.data[w.instruction];
      return who + fmt::format("its event {} to reach {}, it stands at {}", i.tag, i.imm, w.event_value);
    }
    default:
      return who + "the global memory";
  }
  std::string line = fmt::format("{}{}{}", who, what, fmt::join(w.for_cores, ", chip.core"));
  for (const CoreId each : w.for_cores)
    if (each < s.finished.size() && s.finished[each]) line += fmt::format(", but chip.core{} has ended", each);
  return line;
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

std::string wait_for_graph(const Standing& standing) {
  std::vector<std::vector<CoreId>> edges(standing.finished.size());
  std::string lines;
  for (const Wait& w : standing.waits) {
    lines += "\n  " + line_of(standing, w);
    edges[w.core] = w.for_cores;
  }
  std::string text = fmt::format("chip: stopped at cycle {}, {} core{} unfinished, nothing can move{}", standing.cycle,
                                 standing.waits.size(), standing.waits.size() == 1 ? "" : "s", lines);
  std::vector<CoreId> ring = circle(edges);
  if (!ring.empty()) {
    ring.push_back(ring.front());
    text += fmt::format("\n  circle: chip.core{}", fmt::join(ring, " -> chip.core"));
  }
  return text;
}

std::string unreceived_text(const isa::Program& program, const std::vector<Unreceived>& messages) {
  std::size_t all = 0;
  std::string lines;
  for (const Unreceived& m : messages) {
    all += m.messages;
    lines += fmt::format("\n  chip: {}, {} bytes, is in the buffer of chip.core{} since {}",
                         describe(program, m.source, m.instruction), m.bytes, m.destination, m.arrival);
    if (m.messages > 1) lines += fmt::format(", and {} more of this pair", m.messages - 1);
  }
  return fmt::format("chip: every core has ended, {} message{} never received{}", all, all == 1 ? " was" : "s were",
                     lines);
}

std::string limit_text(Cycles limit) { return fmt::format("stopped at the limit of {} core cycles", limit); }
std::string interrupted_text(Cycles cycle) { return fmt::format("interrupted; core cycle {} was reached", cycle); }

}  // namespace pimento::sim
