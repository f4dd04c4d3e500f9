// Classes to cores, on the graph whose nodes are the copies of weight tiles. It starts from PEFT (Arabnejad and
// Barbosa, TPDS 2014): cores are alike, so the optimistic cost of a class does not depend on its core: OCT(c) = max
// over successors s of OCT(s) + cost(s) + mean message(c -> s). It departs from it in two ways. A class has no finish
// time of its own: all layers run at once, row by row, for as long as the image lasts, so what a core is given decides
// when everything ends, and a class takes the core that does least, of its layer and in all. And what is bulky goes
// first, since crossbars bind; the optimistic cost orders what is equally bulky.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// A message takes the time of both ends and may stall both; how often it does so differs from network to network.
constexpr Cycles peft_weight = 4;
constexpr Cycles near_weight = 6;

/// The bulkiest classes first, by crossbars of a core or by work of an even share, since they decide how well the rest
/// packs; then by layer, descending optimistic cost and id.
std::vector<std::size_t> order_of(const ClassGraph& g, const Spatial& s, const isa::Chip& chip, const MoveCosts& costs,
                                  Cycles even_share) {
  const std::size_t n = g.cost.size();
  std::vector<std::size_t> order = topological_order(g);
  const std::vector<Cycles> optimistic = optimistic_costs(g, costs);
  std::vector<std::int64_t> bulk(n);  // in 1/1000 of a core
  for (std::size_t c = 0; c < n; ++c)
    bulk[c] =
        std::max(1000 * std::int64_t{s.classes[c].crossbars} / chip.core.crossbars, 1000 * g.cost[c] / even_share);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(bulk[b], g.layer[a], optimistic[b], g.first_compute[a], a) <
           std::tie(bulk[a], g.layer[b], optimistic[a], g.first_compute[b], b);
  });
  return order;
}

std::vector<CoreId> place(const Scheduling& all, Cycles moving_weight) {
  const Spatial& s = all.spatial;
  const isa::Chip& chip = all.chip;
  const MoveCosts& costs = all.costs;
  const ClassGraph& g = all.classes;
  const auto cores = static_cast<std::size_t>(chip.cores);
  std::vector<CoreId> core_of(s.classes.size(), 0);
  // every round has the time of all cores to itself
  const auto rounds = static_cast<std::size_t>(rounds_of(s));
  Room room(s, chip);
  // The core that does least of the class's own layer and least in all, near the class's neighbours.
  Cycles all_work = 0;
  for (const Cycles cost : g.cost) all_work += cost;
  const Cycles even_share = std::max<Cycles>(1, all_work / static_cast<Cycles>(cores));
  std::vector<std::vector<Cycles>> load_in_round(rounds, std::vector<Cycles>(cores, 0));
  std::map<std::int32_t, std::vector<Cycles>> layer_load;
  std::vector<bool> placed(s.classes.size(), false);

  // both ends of a message spend time on it, whichever was placed first
  std::vector<std::vector<ClassGraph::Edge>> neighbours = g.sources;
  for (std::size_t c = 0; c < g.sources.size(); ++c)
    for (const ClassGraph::Edge& e : g.sources[c]) neighbours[e.from].push_back({c, e.bytes, e.messages});

  for (const std::size_t c : order_of(g, s, chip, costs, even_share)) {
    std::vector<Cycles>& load = load_in_round[static_cast<std::size_t>(s.classes[c].round)];
    std::vector<Cycles>& in_layer = layer_load.try_emplace(g.layer[c], cores, 0).first->second;
    std::vector<Cycles> moving(cores, 0);
    std::map<std::pair<Bytes, CoreId>, std::int64_t> messages;
    for (const ClassGraph::Edge& e : neighbours[c])
      if (placed[e.from]) ++messages[{e.bytes, core_of[e.from]}];
    for (const auto& [message, count] : messages)
      for (std::size_t k = 0; k < cores; ++k)
        if (message.second != k)
          moving[k] += count * costs.message(message.second, static_cast<CoreId>(k), message.first);
    const std::size_t best = room.best_core(c, [&](std::size_t k) {
      // crossbars count like work, so that every core gets of both
      const std::int64_t left = room.left(c, k);
      const Cycles filled = even_share * (chip.core.crossbars - left) / chip.core.crossbars;
      return std::pair{in_layer[k] + load[k] + filled + moving_weight * moving[k], -left};
    });
    core_of[c] = static_cast<CoreId>(best);
    placed[c] = true;
    room.take(c, best);
    in_layer[best] += g.cost[c] + moving[best];
    load[best] += g.cost[c] + moving[best];
  }
  return core_of;
}

}  // namespace

std::vector<CoreId> place_classes(const Scheduling& all) { return place(all, peft_weight); }

namespace {
const bool registered = register_scheduler(
    {"peft",
     "the bulkiest first, by optimistic cost; to the core with least of the layer and in all, near its neighbours",
     place_classes});
const bool near_registered = register_scheduler({"near", "peft, with messages counted half as much again",
                                                 [](const Scheduling& all) { return place(all, near_weight); }});
}  // namespace

}  // namespace pimento::pim
