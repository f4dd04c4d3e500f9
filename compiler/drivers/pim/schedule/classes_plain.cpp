// Placements that know nothing of messages: what knowing is worth is measured against them.
#include <algorithm>
#include <numeric>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

std::vector<CoreId> place_in_turn(const Scheduling& all) {
  Room room(all.spatial, all.chip);
  std::vector<CoreId> core_of;
  std::size_t next = 0;
  for (std::size_t c = 0; c < all.spatial.classes.size(); ++c) {
    // the nearest in turn with room
    const std::size_t turn = room.best_core(c, [&](std::size_t k) { return (k + room.cores() - next) % room.cores(); });
    core_of.push_back(static_cast<CoreId>(turn));
    room.take(c, turn);
    next = (turn + 1) % room.cores();
  }
  return core_of;
}

std::vector<CoreId> place_by_load(const Scheduling& all) {
  const ClassGraph& g = all.classes;
  std::vector<std::size_t> order(all.spatial.classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return g.cost[a] > g.cost[b]; });
  Room room(all.spatial, all.chip);
  std::vector<Cycles> load(room.cores(), 0);
  std::vector<CoreId> core_of(order.size(), 0);
  for (const std::size_t c : order) {
    const std::size_t best = room.best_core(c, [&](std::size_t k) { return load[k]; });
    core_of[c] = static_cast<CoreId>(best);
    room.take(c, best);
    load[best] += g.cost[c];
  }
  return core_of;
}

const bool round_robin = register_scheduler({"round-robin", "classes to cores in turn", place_in_turn});
const bool load = register_scheduler(
    {"load", "the longest first, to the core with least work; messages do not count", place_by_load});

}  // namespace
}  // namespace pimento::pim
