// Classes to cores, on the graph whose nodes are the copies of weight tiles. It starts from PEFT (Arabnejad and
// Barbosa, TPDS 2014): cores are alike, so the optimistic cost of a class does not depend on its core: OCT(c) = max
// over successors s of OCT(s) + cost(s) + mean message(c -> s). It departs from it in two ways. A class has no finish
// time of its own: all layers run at once, row by row, for as long as the image lasts, so what a core is given decides
// when everything ends, and a class takes the core that does least, of its layer and in all. And what is bulky goes
// first, since crossbars bind; the optimistic cost orders what is equally bulky.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/schedule/stages.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

struct ClassGraph {
  struct Edge {
    std::size_t from;
    Bytes bytes;
  };
  std::vector<std::vector<Edge>> sources;  ///< by class: classes whose results it reads
  std::vector<Cycles> cost;
  std::vector<std::int32_t> layer;         ///< graph node of each class
  std::vector<std::size_t> first_compute;  ///< smallest compute of the class: topological key
};

/// A compute without a class belongs to the class that feeds it most.
std::vector<std::int32_t> home_classes(const Spatial& s, const Producers& producers) {
  std::vector<std::int32_t> home(s.computes.size(), -1);
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    if (c.cls != no_class) {
      home[i] = static_cast<std::int32_t>(c.cls);
      continue;
    }
    std::map<std::int32_t, std::int64_t> weight;
    for (const Access& read : c.reads)
      producers.of(read.value, read.box, [&](ComputeId p, const PBox& part) {
        if (home[index_of(p)] >= 0) weight[home[index_of(p)]] += part.elements();
      });
    std::int64_t most = 0;
    for (const auto& [cls, elements] : weight)
      if (elements > most) {
        most = elements;
        home[i] = cls;
      }
  }
  return home;
}

ClassGraph class_graph(const Spatial& s, const Producers& producers, const MoveCosts& costs) {
  const std::vector<std::int32_t> home = home_classes(s, producers);
  ClassGraph g;
  const std::size_t n = s.classes.size();
  g.sources.resize(n);
  g.cost.assign(n, 0);
  g.layer.resize(n);
  g.first_compute.assign(n, s.computes.size());
  for (std::size_t c = 0; c < n; ++c) g.layer[c] = s.tiles[static_cast<std::size_t>(s.classes[c].tile)].node;
  std::map<std::pair<std::size_t, std::size_t>, Bytes> edges;
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    if (home[i] < 0) continue;
    const auto to = static_cast<std::size_t>(home[i]);
    const Compute& compute = s.computes[i];
    if (compute.cls != no_class) {
      g.cost[to] += compute.cycles;
      g.first_compute[to] = std::min(g.first_compute[to], i);
    }
    for (const Access& read : compute.reads)
      producers.of(read.value, read.box, [&](ComputeId p, const PBox& part) {
        const std::int32_t from = home[index_of(p)];
        if (from >= 0 && static_cast<std::size_t>(from) != to)
          edges[{static_cast<std::size_t>(from), to}] += costs.bytes(s.values[index_of(read.value)], part);
      });
  }
  for (const auto& [ends, bytes] : edges) g.sources[ends.second].push_back({ends.first, bytes});
  return g;
}

/// A message takes the time of both ends and may stall both.
constexpr Cycles moving_weight = 4;

/// The bulkiest classes first, by crossbars of a core or by work of an even share, since they decide how well the rest
/// packs; then by layer, descending optimistic cost and id.
std::vector<std::size_t> order_of(const ClassGraph& g, const Spatial& s, const isa::Chip& chip, const MoveCosts& costs,
                                  Cycles even_share) {
  const std::size_t n = g.cost.size();
  std::vector<std::size_t> topological(n);
  for (std::size_t i = 0; i < n; ++i) topological[i] = i;
  std::sort(topological.begin(), topological.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(g.layer[a], g.first_compute[a], a) < std::tie(g.layer[b], g.first_compute[b], b);
  });
  std::vector<Cycles> optimistic(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t c = topological[i];
    for (const ClassGraph::Edge& e : g.sources[c])
      optimistic[e.from] = std::max(optimistic[e.from], optimistic[c] + g.cost[c] + costs.mean_message(e.bytes));
  }
  std::vector<std::int64_t> bulk(n);  // in 1/1000 of a core
  for (std::size_t c = 0; c < n; ++c)
    bulk[c] =
        std::max(1000 * std::int64_t{s.classes[c].crossbars} / chip.core.crossbars, 1000 * g.cost[c] / even_share);
  std::sort(topological.begin(), topological.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(bulk[b], g.layer[a], optimistic[b], g.first_compute[a], a) <
           std::tie(bulk[a], g.layer[b], optimistic[a], g.first_compute[b], b);
  });
  return topological;
}

}  // namespace

std::vector<CoreId> place_classes(const Spatial& s, const Producers& producers, const isa::Chip& chip,
                                  const MoveCosts& costs) {
  const ClassGraph g = class_graph(s, producers, costs);
  const auto cores = static_cast<std::size_t>(chip.cores);
  std::vector<CoreId> core_of(s.classes.size(), 0);
  std::vector<std::int64_t> free_crossbars(cores, chip.core.crossbars);
  // The core that does least of the class's own layer and least in all, near the class's neighbours.
  Cycles all_work = 0;
  for (const Cycles cost : g.cost) all_work += cost;
  const Cycles even_share = std::max<Cycles>(1, all_work / static_cast<Cycles>(cores));
  std::vector<Cycles> load(cores, 0);
  std::map<std::int32_t, std::vector<Cycles>> layer_load;
  std::vector<bool> placed(s.classes.size(), false);

  // both ends of a message spend time on it, whichever was placed first
  std::vector<std::vector<ClassGraph::Edge>> neighbours = g.sources;
  for (std::size_t c = 0; c < g.sources.size(); ++c)
    for (const ClassGraph::Edge& e : g.sources[c]) neighbours[e.from].push_back({c, e.bytes});

  for (const std::size_t c : order_of(g, s, chip, costs, even_share)) {
    std::vector<Cycles>& in_layer = layer_load.try_emplace(g.layer[c], cores, 0).first->second;
    std::vector<Cycles> moving(cores, 0);
    std::map<std::pair<Bytes, CoreId>, std::int64_t> messages;
    for (const ClassGraph::Edge& e : neighbours[c])
      if (placed[e.from]) ++messages[{e.bytes, core_of[e.from]}];
    for (const auto& [message, count] : messages)
      for (std::size_t k = 0; k < cores; ++k)
        if (message.second != k)
          moving[k] += count * costs.message(message.second, static_cast<CoreId>(k), message.first);
    std::size_t best = cores;
    std::tuple<Cycles, std::int64_t, std::size_t> best_key;
    for (std::size_t k = 0; k < cores; ++k) {
      if (free_crossbars[k] < s.classes[c].crossbars) continue;
      // crossbars count like work, so that every core gets of both
      const Cycles filled = even_share * (chip.core.crossbars - free_crossbars[k]) / chip.core.crossbars;
      const std::tuple<Cycles, std::int64_t, std::size_t> key{
          in_layer[k] + load[k] + filled + moving_weight * moving[k], -free_crossbars[k], k};
      if (best == cores || key < best_key) {
        best = k;
        best_key = key;
      }
    }
    if (best == cores)
      throw DoesNotFit(
          fmt::format("chip '{}', stage schedule: class {} needs {} crossbars on one core; no core has that many left",
                      chip.name, c, s.classes[c].crossbars));
    core_of[c] = static_cast<CoreId>(best);
    placed[c] = true;
    free_crossbars[best] -= s.classes[c].crossbars;
    in_layer[best] += g.cost[c] + moving[best];
    load[best] += g.cost[c] + moving[best];
  }
  return core_of;
}

}  // namespace pimento::pim
