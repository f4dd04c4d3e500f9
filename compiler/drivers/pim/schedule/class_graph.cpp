#include "compiler/drivers/pim/schedule/class_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace pimento::pim {
namespace {

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

}  // namespace

ClassGraph class_graph(const Spatial& s, const Producers& producers, const MoveCosts& costs) {
  const std::vector<std::int32_t> home = home_classes(s, producers);
  ClassGraph g;
  const std::size_t n = s.classes.size();
  g.sources.resize(n);
  g.cost.assign(n, 0);
  g.layer.resize(n);
  g.first_compute.assign(n, s.computes.size());
  for (std::size_t c = 0; c < n; ++c) g.layer[c] = s.tiles[static_cast<std::size_t>(s.classes[c].tile)].node;
  std::map<std::pair<std::size_t, std::size_t>, std::pair<Bytes, std::int64_t>> edges;  // bytes and messages
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
        if (from < 0 || static_cast<std::size_t>(from) == to) return;
        auto& [bytes, messages] = edges[{static_cast<std::size_t>(from), to}];
        bytes += costs.bytes(s.values[index_of(read.value)], part);
        ++messages;
      });
  }
  for (const auto& [ends, flow] : edges) g.sources[ends.second].push_back({ends.first, flow.first, flow.second});
  return g;
}

std::vector<std::size_t> topological_order(const ClassGraph& g) {
  std::vector<std::size_t> order(g.cost.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(g.layer[a], g.first_compute[a], a) < std::tie(g.layer[b], g.first_compute[b], b);
  });
  return order;
}

std::vector<Cycles> optimistic_costs(const ClassGraph& g, const MoveCosts& costs) {
  const std::vector<std::size_t> order = topological_order(g);
  std::vector<Cycles> optimistic(order.size(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t c = order[i];
    for (const ClassGraph::Edge& e : g.sources[c])
      optimistic[e.from] = std::max(optimistic[e.from], optimistic[c] + g.cost[c] + costs.mean_message(e.bytes));
  }
  return optimistic;
}

}  // namespace pimento::pim
