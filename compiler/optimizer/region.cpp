#include "compiler/optimizer/region.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/optimizer/facts.hpp"

namespace pimento::optimizer {
namespace {

/// Nodes that a region may try before two branches have to meet: bounds the work, not the result of plain chains.
constexpr std::size_t longest_detour = 16;

bool leaves_region(const ir::Uses& uses, const std::set<int>& region, ir::ValueId v) {
  if (uses.leaves(v)) return true;
  const std::vector<ir::Use>& readers = uses.of(v);
  return std::any_of(readers.begin(), readers.end(), [&](const ir::Use& u) { return region.count(u.node) == 0; });
}

/// One value leaves, and the region's last node makes it.
bool is_closed(const ir::Graph& graph, const ir::Uses& uses, const std::set<int>& region) {
  for (const int n : region) {
    for (const ir::ValueId v : graph.nodes[static_cast<std::size_t>(n)].outputs) {
      if (v == ir::no_value) continue;
      if (leaves_region(uses, region, v) != (n == *region.rbegin())) return false;
    }
  }
  return true;
}

/// The earliest node outside that reads the region and may join it; -1 when there is none.
int next_reader(const ir::Graph& graph, const ir::Uses& uses, const std::set<int>& region, const Accepts& accepts) {
  int best = -1;
  for (const int n : region) {
    for (const ir::ValueId v : graph.nodes[static_cast<std::size_t>(n)].outputs) {
      for (const ir::Use& use : uses.of(v)) {
        if (region.count(use.node) != 0 || (best >= 0 && use.node >= best)) continue;
        if (accepts(use.node)) best = use.node;
      }
    }
  }
  return best;
}

}  // namespace

std::vector<int> grow_region(const ir::Graph& graph, const ir::Uses& uses, int seed, const Accepts& accepts) {
  std::set<int> agreed{seed};
  std::set<int> tried = agreed;
  while (tried.size() - agreed.size() < longest_detour) {
    const int next = next_reader(graph, uses, tried, accepts);
    if (next < 0) break;
    tried.insert(next);
    if (is_closed(graph, uses, tried)) agreed = tried;
  }
  return {agreed.begin(), agreed.end()};
}

ir::Node make_group(const ir::Graph& graph, const std::vector<int>& region) {
  ir::Graph body;
  ir::Node group;
  group.op = "group";
  std::map<ir::ValueId, ir::ValueId> inside;  // value of the graph -> value of the body
  std::vector<std::string> sources;
  for (const int n : region) {
    const ir::Node& node = graph.nodes[static_cast<std::size_t>(n)];
    ir::Node copy = node;
    for (ir::ValueId& v : copy.inputs) {
      if (v == ir::no_value) continue;
      if (inside.find(v) == inside.end()) {
        inside[v] = body.add_input(graph.value(v).name, graph.type(v));
        group.inputs.push_back(v);
      }
      v = inside.at(v);
    }
    for (ir::ValueId& v : copy.outputs) {
      if (v == ir::no_value) continue;
      v = inside[v] = body.add_value(graph.value(v).name, graph.type(v));
    }
    sources.push_back(node.source);
    body.append(std::move(copy));
  }
  const ir::Node& last = graph.nodes[static_cast<std::size_t>(region.back())];
  group.outputs = last.outputs;
  group.source = join_sources(sources);
  body.name = "group";
  for (const ir::ValueId v : last.outputs) body.outputs.push_back(inside.at(v));
  group.body = std::make_shared<const ir::Graph>(std::move(body));
  return group;
}

}  // namespace pimento::optimizer
