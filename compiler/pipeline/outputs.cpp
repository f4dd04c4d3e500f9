#include "compiler/pipeline/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/drivers/pim/spatial/layout.hpp"

namespace pimento {

void give_outputs_nodes(ir::Graph& graph, const std::vector<std::string>& names) {
  std::set<ir::ValueId> taken(graph.inputs.begin(), graph.inputs.end());
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::ValueId v = graph.outputs[i];
    if (taken.insert(v).second && !graph.is_constant(v)) continue;
    const ir::TensorType type = graph.type(v);
    const std::string name = i < names.size() ? names[i] : graph.value(v).name;
    graph.outputs[i] = graph.add_node("identity", {v}, type, {}, name);
    graph.nodes.back().source = fmt::format("output '{}'", name);
  }
}

void observe(ir::Graph& graph, const std::vector<std::string>& names, bool all) {
  std::set<ir::ValueId> stored(graph.outputs.begin(), graph.outputs.end());
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::no_value || graph.is_constant(v)) continue;
      const bool named = std::find(names.begin(), names.end(), graph.value(v).name) != names.end();
      const bool wanted = named || (all && !pim::renames_only(node));
      if (wanted && stored.insert(v).second) graph.outputs.push_back(v);
    }
}

}  // namespace pimento
