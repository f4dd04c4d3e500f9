// Equal nodes on equal operands are computed once; equal constants are kept once.
#include <fmt/format.h>

#include <map>
#include <set>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

std::string text_of(const ir::Attribute& attribute) {
  if (const auto* tensor = std::get_if<ir::Tensor>(&attribute)) return to_string(ir::fingerprint(*tensor));
  return ir::print(attribute);
}

/// Equal keys mean equal nodes: operator, attributes, operands, result types and body.
std::string key_of(const ir::Graph& graph, const ir::Node& node) {
  std::string key = node.op;
  for (const auto& [name, attribute] : node.attributes) key += fmt::format(" {}={}", name, text_of(attribute));
  for (const ir::ValueId v : node.inputs) key += fmt::format(" %{}", static_cast<int>(v));
  for (const ir::ValueId v : node.outputs) key += v == ir::no_value ? " -" : " " + ir::to_string(graph.type(v));
  if (node.body) key += " " + to_string(ir::fingerprint(*node.body));
  return key;
}

void follow(const std::map<ir::ValueId, ir::ValueId>& stands_for, ir::Node& node) {
  for (ir::ValueId& v : node.inputs)
    if (const auto at = stands_for.find(v); at != stands_for.end()) v = at->second;
}

std::int64_t merge_constants(ir::Graph& graph) {
  std::map<std::string, std::vector<ir::ValueId>> by_type;
  const ir::Uses uses(graph);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto v = static_cast<ir::ValueId>(i);
    if (graph.is_constant(v) && !uses.of(v).empty() && !uses.leaves(v))
      by_type[ir::to_string(graph.type(v))].push_back(v);
  }
  std::int64_t merged = 0;
  std::map<ir::ValueId, ir::ValueId> stands_for;
  for (const auto& [type, values] : by_type) {
    if (values.size() < 2) continue;
    std::map<ir::Fingerprint, ir::ValueId> first;
    for (const ir::ValueId v : values) {
      const auto [at, fresh] = first.try_emplace(ir::fingerprint(*graph.value(v).constant), v);
      if (fresh) continue;
      stands_for[v] = at->second;
      ++merged;
    }
  }
  for (ir::Node& node : graph.nodes) follow(stands_for, node);
  return merged;
}

std::int64_t common_subexpressions(ir::Graph& graph) {
  std::int64_t merged = merge_constants(graph);
  std::map<std::string, std::size_t> first;
  std::set<int> removed;
  const ir::Uses uses(graph);  // a value that leaves is never merged away, so leaving stays as it is
  std::map<ir::ValueId, ir::ValueId> stands_for;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    follow(stands_for, graph.nodes[i]);
    const auto [at, fresh] = first.try_emplace(key_of(graph, graph.nodes[i]), i);
    if (fresh) continue;
    const std::vector<ir::ValueId> again = graph.nodes[i].outputs;
    const std::vector<ir::ValueId> before = graph.nodes[at->second].outputs;
    bool leaves = false;
    for (const ir::ValueId v : again) leaves |= v != ir::no_value && uses.leaves(v);
    if (leaves) continue;  // an output keeps its name
    for (std::size_t o = 0; o < again.size(); ++o)
      if (again[o] != ir::no_value) stands_for[again[o]] = before[o];
    removed.insert(static_cast<int>(i));
    ++merged;
  }
  remove_nodes(graph, removed);
  return merged;
}

PASS("common-subexpressions")
    .summary("Computes equal nodes on equal operands once and keeps equal constants once.")
    .precondition(
        "same operator, attributes, operands, result types and body; the later node makes no output of the graph")
    .place(60, "after canonical forms, which make equal what is written differently; before fusion, which hides it")
    .run(common_subexpressions);

}  // namespace
}  // namespace pimento::optimizer
