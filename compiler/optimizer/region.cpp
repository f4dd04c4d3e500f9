#include "compiler/optimizer/region.hpp"

#include <map>
#include <set>

#include "compiler/optimizer/facts.hpp"

namespace pimento::optimizer {
namespace {

/// Nodes that a region may try before two branches have to meet: bounds the work, not the result of plain chains.
constexpr std::size_t longest_detour = 16;

/// A region as it grows, always by the earliest node outside that reads it; so nodes join in their order, and a value's
/// readers join after it.
class Region {
 public:
  Region(const ir::Graph& graph, const ir::Uses& uses, const Accepts& accepts)
      : graph_(graph), uses_(uses), accepts_(accepts) {}

  void add(int n) {
    nodes_.push_back(n);
    readers_.erase(n);
    const ir::Node& node = graph_.nodes[static_cast<std::size_t>(n)];
    for (const ir::ValueId v : node.inputs) {
      const auto made = v == ir::no_value ? outside_.end() : outside_.find(v);
      if (made != outside_.end() && --made->second == 0) leaving_.erase({uses_.producer(v), v});
    }
    outputs_of_last_ = 0;
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::no_value) continue;
      ++outputs_of_last_;
      outside_[v] = uses_.of(v).size() + (uses_.leaves(v) ? 1 : 0);
      if (outside_[v] > 0) leaving_.insert({n, v});
      for (const ir::Use& use : uses_.of(v))
        if (readers_.count(use.node) == 0 && accepts_(use.node)) readers_.insert(use.node);
    }
  }
  /// The earliest node outside that reads the region and may join it; -1 when there is none.
  int next_reader() const { return readers_.empty() ? -1 : *readers_.begin(); }
  /// What leaves is what the last node makes, all of it.
  bool is_closed() const {
    return leaving_.size() == outputs_of_last_ && !leaving_.empty() && leaving_.begin()->first == nodes_.back();
  }
  const std::vector<int>& nodes() const { return nodes_; }

 private:
  const ir::Graph& graph_;
  const ir::Uses& uses_;
  const Accepts& accepts_;
  std::vector<int> nodes_;
  std::set<int> readers_;
  std::map<ir::ValueId, std::size_t> outside_;     ///< of every value made here: readers outside, leaving as one more
  std::set<std::pair<int, ir::ValueId>> leaving_;  ///< by node
  std::size_t outputs_of_last_ = 0;
};

}  // namespace

std::vector<int> grow_region(const ir::Graph& graph, const ir::Uses& uses, int seed, const Accepts& accepts) {
  Region region(graph, uses, accepts);
  region.add(seed);
  std::size_t agreed = 1;
  while (region.nodes().size() - agreed < longest_detour) {
    const int next = region.next_reader();
    if (next < 0) break;
    region.add(next);
    if (region.is_closed()) agreed = region.nodes().size();
  }
  return {region.nodes().begin(), region.nodes().begin() + static_cast<std::ptrdiff_t>(agreed)};
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
