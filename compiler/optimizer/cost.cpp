#include "compiler/optimizer/cost.hpp"

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"

namespace pimento::optimizer {
namespace {

std::int64_t cost_of(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "loop") return ir::integer_attribute(node, "trip_count", 1) * weighted_cost(*node.body);
  if (node.body) return weighted_cost(*node.body);  // a group costs what its nodes cost
  std::int64_t total = 1;
  for (const ir::KernelCall& call : ops::kernels_of(graph, node).calls) {
    if (const auto* kernel = std::get_if<ir::Kernel>(&call.kernel)) total += ir::operations(*kernel);
  }
  return total;
}

}  // namespace

std::int64_t weighted_cost(const ir::Graph& graph) {
  std::int64_t total = 0;
  for (const ir::Node& node : graph.nodes) total += cost_of(graph, node);
  return total;
}

}  // namespace pimento::optimizer
