// Nodes that repeat an input: identity, dropout in inference, a cast to the same type, a reshape to the same shape, a
// transposition that moves nothing, a padding of nothing, a slice of everything. Read from the kernels, so none is
// listed.
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

std::int64_t remove_identities(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::set<int> removed;
  std::vector<ir::ValueId> stands_for(graph.values.size());  // what the readers of a value read instead
  std::vector<bool> leaves(graph.values.size());
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    stands_for[v] = ir::ValueId{static_cast<std::int32_t>(v)};
    leaves[v] = uses.leaves(stands_for[v]);
  }
  const auto follow = [&](ir::ValueId& v) {
    if (v != ir::no_value) v = stands_for[ir::to_index(v)];
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (ir::ValueId& v : graph.nodes[i].inputs) follow(v);
    const auto input = copied_input(graph, graph.nodes[i]);
    if (!input) continue;
    const ir::ValueId output = graph.nodes[i].outputs[0];
    // An output keeps its name and stays apart from inputs, states and other outputs.
    if (leaves[ir::to_index(output)]) {
      if (uses.producer(*input) < 0 || leaves[ir::to_index(*input)]) continue;
      graph.value(*input).name = graph.value(output).name;
      leaves[ir::to_index(*input)] = true;
    }
    stands_for[ir::to_index(output)] = *input;
    removed.insert(static_cast<int>(i));
  }
  for (ir::ValueId& v : graph.outputs) follow(v);
  for (ir::GraphState& state : graph.states) follow(state.next);
  remove_nodes(graph, removed);
  return static_cast<std::int64_t>(removed.size());
}

PASS("remove-identities")
    .summary("Lets the readers of a node that only repeats an input read that input.")
    .precondition(
        "one kernel, whose value at each place is the input's at that place, of the same type and shape; an output of "
        "the graph "
        "is replaced only by a value that a node makes and that is no output itself")
    .place(20, "before all patterns: an identity between two nodes hides them from each other")
    .run(remove_identities);

}  // namespace
}  // namespace pimento::optimizer
