// HEFT (Topcuoglu, Hariri and Wu, TPDS 2002) on classes: by upward rank, each to the core where it ends first. A class
// counts as one task that begins when all of its sources have ended, which is what a stream of rows is not: what that
// costs is what this shows. Where classes feed each other in a circle, sources without a place yet do not count.
#include <algorithm>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

std::vector<CoreId> place_by_heft(const Scheduling& all) {
  const Spatial& s = all.spatial;
  const isa::Chip& chip = all.chip;
  const MoveCosts& costs = all.costs;
  const ClassGraph& g = all.classes;
  const std::vector<Cycles> after = optimistic_costs(g, costs);
  std::vector<std::size_t> order = topological_order(g);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return after[a] + g.cost[a] > after[b] + g.cost[b]; });
  Room room(s, chip);
  std::vector<CoreId> core_of(s.classes.size(), 0);
  std::vector<Cycles> ends(s.classes.size(), 0), free_at(room.cores(), 0);
  std::vector<bool> placed(s.classes.size(), false);
  for (const std::size_t c : order) {
    const auto end_on = [&](std::size_t k) {
      Cycles start = free_at[k];
      for (const ClassGraph::Edge& e : g.sources[c]) {
        if (!placed[e.from]) continue;
        const CoreId from = core_of[e.from];
        start = std::max(start, ends[e.from] + (from == k ? 0 : costs.message(from, static_cast<CoreId>(k), e.bytes)));
      }
      return start + g.cost[c];
    };
    const std::size_t best = room.best_core(c, end_on);
    core_of[c] = static_cast<CoreId>(best);
    placed[c] = true;
    ends[c] = free_at[best] = end_on(best);
    room.take(c, best);
  }
  return core_of;
}

const bool registered =
    register_scheduler({"heft", "by upward rank, each to the core where it ends first", place_by_heft});

}  // namespace
}  // namespace pimento::pim
