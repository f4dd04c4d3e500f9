// A decoder multiplies one query with transposed keys. The rows of both lie in memory in the order in which they are
// multiplied: no key needs to be turned, element by element. Where there are many queries, turning the keys once lets
// each of them add up whole columns side by side.
#include <set>
#include <utility>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/rearrangement.hpp"

namespace pimento::optimizer {
namespace {

/// The last two dimensions of what it makes, which stand the other way round in what it is made of, change places.
bool turn_back(ir::Graph& graph, ir::Node& moves) {
  std::optional<Rearrangement> r = rearrangement_of(graph, moves);
  const ir::ValueId made = moves.outputs[0];
  if (!r || moves.op == "reshape" || r->shape.size() < 2 || ir::permuted(r->split, r->perm) != r->shape) return false;
  const std::size_t last = r->perm.size() - 1;
  if (r->perm[last - 1] < r->perm[last]) return false;
  std::swap(r->perm[last - 1], r->perm[last]);
  std::swap(r->shape[last - 1], r->shape[last]);
  graph.value(made).type.shape = r->shape;
  become(graph, moves, *r);
  return true;
}

std::int64_t transposed_factor(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::int64_t changed = 0;
  std::set<int> removed;
  for (ir::Node& product : graph.nodes) {
    if (product.op != "matmul" || graph.is_constant(product.inputs[0])) continue;
    const ir::ValueId factor = product.inputs[1];
    const int producer = uses.single(factor) ? uses.producer(factor) : -1;
    const ir::Shape& rows = graph.type(product.inputs[0]).shape;
    if (producer < 0 || rows.size() < 2 || rows[rows.size() - 2] != 1) continue;
    ir::Node& moves = graph.nodes[static_cast<std::size_t>(producer)];
    if (!turn_back(graph, moves)) continue;
    product.op = "matmul_nt";
    ++changed;
    if (graph.type(moves.inputs[0]) != graph.type(factor) || moves.op != "reshape") continue;
    product.inputs[1] = moves.inputs[0];  // it had done nothing else
    product.source = join_sources({moves.source, product.source});
    removed.insert(producer);
  }
  remove_nodes(graph, removed);
  return changed;
}

PASS("transposed-factor")
    .summary("Lets a product of one row and a computed matrix read that as it was before its transposition.")
    .precondition("the transposition has one reader; its last two dimensions stand the other way round before it")
    .place(38, "after transpositions were joined with what stands before them; before fusion")
    .run(transposed_factor);

}  // namespace
}  // namespace pimento::optimizer
