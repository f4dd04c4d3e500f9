#include "compiler/pipeline/outputs.hpp"

#include <fmt/format.h>

#include <set>

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

}  // namespace pimento
