// Placements that know nothing of messages: what knowing is worth is measured against them.
#include <algorithm>
#include <numeric>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

std::vector<CoreId> place_in_turn(const Scheduling& all) {
  const Spatial& s = all.spatial;
  const isa::Chip& chip = all.chip;
  const auto cores = static_cast<std::size_t>(chip.cores);
  std::vector<std::vector<std::int64_t>> free_in_round = crossbars_of_rounds(s, chip);
  std::vector<CoreId> core_of;
  std::size_t next = 0;
  for (std::size_t c = 0; c < s.classes.size(); ++c) {
    std::vector<std::int64_t>& free_crossbars = free_in_round[static_cast<std::size_t>(s.classes[c].round)];
    std::size_t tried = 0;
    while (tried < cores && free_crossbars[next] < s.classes[c].crossbars) next = (next + 1) % cores, ++tried;
    if (tried == cores) throw no_core_left(chip, c, s.classes[c].crossbars);
    core_of.push_back(static_cast<CoreId>(next));
    free_crossbars[next] -= s.classes[c].crossbars;
    next = (next + 1) % cores;
  }
  return core_of;
}

std::vector<CoreId> place_by_load(const Scheduling& all) {
  const Spatial& s = all.spatial;
  const isa::Chip& chip = all.chip;
  const ClassGraph& g = all.classes;
  std::vector<std::size_t> order(s.classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return g.cost[a] > g.cost[b]; });
  const auto cores = static_cast<std::size_t>(chip.cores);
  std::vector<std::vector<std::int64_t>> free_in_round = crossbars_of_rounds(s, chip);
  std::vector<Cycles> load(cores, 0);
  std::vector<CoreId> core_of(s.classes.size(), 0);
  for (const std::size_t c : order) {
    std::vector<std::int64_t>& free_crossbars = free_in_round[static_cast<std::size_t>(s.classes[c].round)];
    std::size_t best = cores;
    for (std::size_t k = 0; k < cores; ++k)
      if (free_crossbars[k] >= s.classes[c].crossbars && (best == cores || load[k] < load[best])) best = k;
    if (best == cores) throw no_core_left(chip, c, s.classes[c].crossbars);
    core_of[c] = static_cast<CoreId>(best);
    free_crossbars[best] -= s.classes[c].crossbars;
    load[best] += g.cost[c];
  }
  return core_of;
}

const bool round_robin = register_scheduler({"round-robin", "classes to cores in turn", place_in_turn});
const bool load = register_scheduler(
    {"load", "the longest first, to the core with least work; messages do not count", place_by_load});

}  // namespace
}  // namespace pimento::pim
