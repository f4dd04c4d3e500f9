// Windows are cut out of an image, and heads out of features, by a reshape and a transposition, and put back by a
// transposition and a reshape: two nodes that each move every element. As one node every element moves once.
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/rearrangement.hpp"

namespace pimento::optimizer {
namespace {

/// Both in a row, where the second permutes what the first has permuted, or nothing.
std::optional<Rearrangement> joined(const Rearrangement& first, const Rearrangement& second) {
  if (second.perm == no_permutation(second.perm.size())) return Rearrangement{first.split, first.perm, second.shape};
  if (first.perm == no_permutation(first.perm.size())) return second;
  if (permuted(first.split, first.perm) != second.split) return {};
  std::vector<std::int64_t> perm;
  for (const std::int64_t d : second.perm) perm.push_back(first.perm[static_cast<std::size_t>(d)]);
  return Rearrangement{first.split, perm, second.shape};
}

std::int64_t join_rearrangements(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::set<int> removed;
  for (ir::Node& second : graph.nodes) {
    const std::optional<Rearrangement> last = rearrangement_of(graph, second);
    if (!last) continue;
    const int producer = uses.producer(second.inputs[0]);
    if (producer < 0 || !uses.single(second.inputs[0])) continue;
    const ir::Node& first = graph.nodes[static_cast<std::size_t>(producer)];
    const std::optional<Rearrangement> start = rearrangement_of(graph, first);
    if (!start) continue;
    // What has been split and permuted keeps its finer dimensions, by which it is cut; a reshape behind it is but a
    // name to most readers.
    if (first.op == "rearrange" && second.op == "reshape") continue;
    const std::optional<Rearrangement> both = joined(*start, *last);
    if (!both) continue;
    second.source = join_sources({first.source, second.source});
    second.inputs[0] = first.inputs[0];
    become(graph, second, *both);
    removed.insert(producer);
  }
  remove_nodes(graph, removed);
  return static_cast<std::int64_t>(removed.size());
}

PASS("join-rearrangements")
    .summary("Makes one node of a reshape and a transposition in a row, and of transpositions in a row.")
    .precondition(
        "the first has one reader; the second permutes dimensions that the first leaves as they are; what was split "
        "and "
        "permuted keeps its dimensions")
    .place(36, "after channel shuffles, which are a gather rather; before fusion, which would hide them in groups")
    .run(join_rearrangements);

}  // namespace
}  // namespace pimento::optimizer
