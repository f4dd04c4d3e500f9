// What is known at compile time is computed at compile time.
#include <set>

#include "compiler/ops/registry.hpp"
#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

/// A constant that grows by more than this is cheaper to make than to keep.
constexpr Bytes largest_growth = Bytes{64} << 20;

bool grows_too_much(const ir::Graph& graph, const ir::Node& node) {
  Bytes in = 0;
  Bytes out = 0;
  for (const ir::ValueId v : node.inputs)
    if (v != ir::no_value) in += graph.type(v).bytes();
  for (const ir::ValueId v : node.outputs)
    if (v != ir::no_value) out += graph.type(v).bytes();
  return out - in > largest_growth;
}

std::int64_t fold_constants(ir::Graph& graph) {
  std::set<int> folded;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    if (node.body || grows_too_much(graph, node) || !ops::is_foldable(graph, node)) continue;
    const std::vector<ir::Tensor> results = ops::fold(graph, node);
    for (std::size_t o = 0; o < results.size(); ++o)
      if (node.outputs[o] != ir::no_value) graph.value(node.outputs[o]).constant = results[o];
    folded.insert(static_cast<int>(i));
  }
  remove_nodes(graph, folded);
  return static_cast<std::int64_t>(folded.size());
}

PASS("fold-constants")
    .summary("Computes nodes whose operands are all known, through the interpreter.")
    .precondition(
        "every operand that the node's kernels read is a constant; the result is at most 64 MiB larger than they are")
    .place(10, "first: what it makes constant, the other passes recognise")
    .run(fold_constants);

}  // namespace
}  // namespace pimento::optimizer
