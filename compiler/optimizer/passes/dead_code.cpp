// What nobody reads is not computed.
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

std::int64_t dead_code(ir::Graph& graph) {
  std::int64_t removed = 0;
  for (int now = ir::erase_dead_nodes(graph); now > 0; now = ir::erase_dead_nodes(graph)) removed += now;
  const std::size_t values = graph.values.size();
  ir::compact(graph);
  return removed + static_cast<std::int64_t>(values - graph.values.size());
}

PASS("dead-code")
    .summary("Removes nodes whose values nobody reads, and values that nothing mentions.")
    .precondition("no output of the node is read, leaves the graph or is the next content of a state")
    .place(70, "after everything that redirects readers, before fusion: a dead reader would stop it")
    .run(dead_code);

}  // namespace
}  // namespace pimento::optimizer
