// A contraction with constant weights and the element-wise nodes behind it become one node, so that a result is
// finished where it is made. A residual addition belongs to the contraction that is ready last: its other operand is
// there already.
#include <algorithm>
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/region.hpp"

namespace pimento::optimizer {
namespace {

/// Longest way from an input to each node, in nodes.
std::vector<int> depths(const ir::Graph& graph, const ir::Uses& uses) {
  std::vector<int> depth(graph.nodes.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ir::ValueId v : graph.nodes[i].inputs) {
      const int producer = v == ir::no_value ? -1 : uses.producer(v);
      if (producer >= 0) depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(producer)] + 1);
    }
  }
  return depth;
}

std::int64_t fuse_epilogues(ir::Graph& graph) {
  const ir::Uses uses(graph);
  const std::vector<int> depth = depths(graph, uses);
  std::vector<int> seeds;
  std::vector<bool> joinable(graph.nodes.size(), false);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (constant_factor(graph, graph.nodes[i])) seeds.push_back(static_cast<int>(i));
    joinable[i] = is_pointwise(graph, graph.nodes[i]);
  }
  std::stable_sort(seeds.begin(), seeds.end(), [&](int a, int b) {
    return depth[static_cast<std::size_t>(a)] > depth[static_cast<std::size_t>(b)];
  });
  std::set<int> joined;
  std::int64_t groups = 0;
  for (const int seed : seeds) {
    const ir::Shape& shape = graph.type(graph.nodes[static_cast<std::size_t>(seed)].outputs[0]).shape;
    const auto accepts = [&](int n) {
      const auto i = static_cast<std::size_t>(n);
      return joinable[i] && graph.type(graph.nodes[i].outputs[0]).shape == shape;
    };
    const std::vector<int> region = grow_region(graph, uses, seed, accepts);
    if (region.size() < 2) continue;
    ir::Node group = make_group(graph, region);
    for (const int n : region) joinable[static_cast<std::size_t>(n)] = false;
    joined.insert(region.begin(), std::prev(region.end()));
    graph.nodes[static_cast<std::size_t>(region.back())] = std::move(group);
    ++groups;
  }
  remove_nodes(graph, joined);
  return groups;
}

PASS("fuse-epilogues")
    .summary(
        "Joins a contraction with a constant operand and the element-wise nodes behind it into one group, whose body "
        "begins with "
        "the contraction.")
    .precondition(
        "the element-wise results have the contraction's shape, and only the last one is read outside; other operands "
        "may be any "
        "earlier value. Of two contractions that meet in one addition, the one further from the inputs takes it")
    .place(80, "before element-wise chains are joined, which would take the nodes behind a contraction")
    .run(fuse_epilogues);

}  // namespace
}  // namespace pimento::optimizer
