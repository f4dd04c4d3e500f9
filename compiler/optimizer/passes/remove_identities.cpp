// Nodes that repeat an input: identity, dropout in inference, a cast to the same type, a reshape to the same shape, a
// transposition that moves nothing, a padding of nothing, a slice of everything. Read from the kernels, so none is
// listed.
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

std::int64_t remove_identities(ir::Graph& graph) {
  std::set<int> removed;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto input = copied_input(graph, graph.nodes[i]);
    if (!input) continue;
    const ir::ValueId output = graph.nodes[i].outputs[0];
    const ir::Uses uses(graph);
    // An output keeps its name and stays apart from inputs, states and other outputs.
    if (uses.leaves(output) && (uses.producer(*input) < 0 || uses.leaves(*input))) continue;
    if (uses.leaves(output)) graph.value(*input).name = graph.value(output).name;
    ir::replace_uses(graph, output, *input);
    removed.insert(static_cast<int>(i));
  }
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
