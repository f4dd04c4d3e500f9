// Element-wise nodes of one shape that read each other become one node: what passes between them is stored nowhere.
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/region.hpp"

namespace pimento::optimizer {
namespace {

std::int64_t fuse_elementwise(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::vector<bool> joinable;
  for (const ir::Node& node : graph.nodes) joinable.push_back(is_pointwise(graph, node));
  std::set<int> joined;
  std::int64_t groups = 0;
  for (std::size_t seed = 0; seed < graph.nodes.size(); ++seed) {
    if (!joinable[seed]) continue;
    const ir::Shape& shape = graph.type(graph.nodes[seed].outputs[0]).shape;
    const auto accepts = [&](int n) {
      const auto i = static_cast<std::size_t>(n);
      return joinable[i] && graph.type(graph.nodes[i].outputs[0]).shape == shape;
    };
    const std::vector<int> region = grow_region(graph, uses, static_cast<int>(seed), accepts);
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

PASS("fuse-elementwise")
    .summary("Joins element-wise nodes of one shape that read each other into one group.")
    .precondition("every result has the same shape, and only the last one is read outside the group")
    .place(90, "last: it takes what no contraction took")
    .run(fuse_elementwise);

}  // namespace
}  // namespace pimento::optimizer
