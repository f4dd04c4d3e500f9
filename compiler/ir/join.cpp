#include "compiler/ir/join.hpp"

#include <iterator>
#include <utility>

namespace pimento::ir {

Graph join(std::vector<Named> graphs) {
  Graph all;
  for (Named& part : graphs) {
    const std::string prefix = part.name + name_separator;
    const auto offset = static_cast<std::int32_t>(all.values.size());
    const auto moved = [offset](ValueId v) {
      return v == no_value ? v : ValueId{static_cast<std::int32_t>(to_index(v)) + offset};
    };
    all.name += (all.name.empty() ? "" : "+") + part.name;
    Graph& g = part.graph;
    for (Value& value : g.values) value.name.insert(0, prefix);
    std::move(g.values.begin(), g.values.end(), std::back_inserter(all.values));
    for (Node& node : g.nodes) {
      for (ValueId& v : node.inputs) v = moved(v);
      for (ValueId& v : node.outputs) v = moved(v);
      node.source = prefix + (node.source.empty() ? node.op : node.source);
      all.nodes.push_back(std::move(node));
    }
    for (const ValueId v : g.inputs) all.inputs.push_back(moved(v));
    for (const ValueId v : g.outputs) all.outputs.push_back(moved(v));
    for (GraphState& state : g.states)
      all.states.push_back({moved(state.current), moved(state.next), std::move(state.initial)});
    for (auto& [key, text] : g.metadata) all.metadata[prefix + key] = std::move(text);
  }
  return all;
}

}  // namespace pimento::ir
