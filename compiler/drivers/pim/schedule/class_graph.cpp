#include "compiler/drivers/pim/schedule/class_graph.hpp"

#include <algorithm>
#include <tuple>

namespace pimento::pim {
namespace {

/// A compute without a class belongs to the class that feeds it most.
std::vector<std::int32_t> home_classes(const Spatial& s, const Producers& producers) {
  std::vector<std::int32_t> home(s.computes.size(), -1);
  std::vector<std::int64_t> weight(s.classes.size(), 0);  // of the compute in hand
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    if (c.cls != no_class) {
      home[i] = static_cast<std::int32_t>(c.cls);
      continue;
    }
    const auto each_source = [&](auto&& f) {
      for (const Producers::Feed& feed : producers.feeds(i))
        if (const std::int32_t cls = home[index_of(feed.from)]; cls >= 0)
          f(cls, weight[static_cast<std::size_t>(cls)], feed);
    };
    each_source([](std::int32_t, std::int64_t& w, const Producers::Feed& feed) { w += feed.part.elements(); });
    std::pair<std::int64_t, std::int32_t> most{0, -1};  // elements, and the first class of several
    each_source([&](std::int32_t cls, std::int64_t w, const Producers::Feed&) {
      if (w > most.first || (w == most.first && cls < most.second)) most = {w, cls};
    });
    home[i] = most.second;
    each_source([](std::int32_t, std::int64_t& w, const Producers::Feed&) { w = 0; });
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
  std::vector<std::vector<std::int32_t>> at_home(n);  // computes by class
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    if (home[i] < 0) continue;
    const auto to = static_cast<std::size_t>(home[i]);
    at_home[to].push_back(static_cast<std::int32_t>(i));
    if (s.computes[i].cls == no_class) continue;
    g.cost[to] += s.computes[i].cycles;
    g.first_compute[to] = std::min(g.first_compute[to], i);
  }
  std::vector<ClassGraph::Edge> flow(n, {0, 0, 0});  // into the class in hand, by sender
  std::vector<std::size_t> senders;
  for (std::size_t to = 0; to < n; ++to) {
    senders.clear();
    for (const std::int32_t i : at_home[to]) {
      const Compute& compute = s.computes[static_cast<std::size_t>(i)];
      for (const Producers::Feed& feed : producers.feeds(static_cast<std::size_t>(i))) {
        if (home[index_of(feed.from)] < 0) continue;
        const auto from = static_cast<std::size_t>(home[index_of(feed.from)]);
        if (from == to) continue;
        ClassGraph::Edge& edge = flow[from];
        if (edge.messages++ == 0) senders.push_back(from);
        edge.bytes +=
            costs.bytes(s.values[index_of(compute.reads[static_cast<std::size_t>(feed.read)].value)], feed.part);
      }
    }
    std::sort(senders.begin(), senders.end());
    for (const std::size_t from : senders) {
      g.sources[to].push_back({from, flow[from].bytes, flow[from].messages});
      flow[from] = {0, 0, 0};
    }
  }
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
