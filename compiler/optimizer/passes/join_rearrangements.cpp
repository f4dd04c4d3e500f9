// Windows are cut out of an image, and heads out of features, by a reshape and a transposition, and put back by a
// transposition and a reshape: two nodes that each move every element. As one node every element moves once.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/rearrangement.hpp"

namespace pimento::optimizer {
namespace {

/// Products of the last dimensions of a shape, from 1 up to all of them: where the shape cuts the elements.
std::vector<std::int64_t> cuts_of(const ir::Shape& shape) {
  std::vector<std::int64_t> cuts{1};
  for (std::size_t d = shape.size(); d-- > 0;) cuts.push_back(cuts.back() * shape[d]);
  return cuts;
}

/// The same under another shape: what is permuted is split as finely as that shape splits it, so that the shape only
/// joins dimensions. Nothing where the two cut across each other.
std::optional<Rearrangement> reshaped(const Rearrangement& r, const ir::Shape& shape) {
  const ir::Shape middle = ir::permuted(r.split, r.perm);
  std::vector<std::int64_t> cuts = cuts_of(middle), others = cuts_of(shape);
  if (cuts.back() == 0) return {};
  cuts.insert(cuts.end(), others.begin(), others.end());
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] % cuts[i - 1] != 0) return {};
  std::vector<ir::Shape> factors(middle.size());  // by dimension of `split`, outermost first
  std::int64_t below = 1;
  for (std::size_t d = middle.size(); d-- > 0; below *= middle[d]) {
    ir::Shape& of = factors[static_cast<std::size_t>(r.perm[d])];
    std::int64_t last = below;
    for (const std::int64_t cut : cuts)
      if (cut > last && cut <= below * middle[d]) of.insert(of.begin(), cut / std::exchange(last, cut));
    if (of.empty()) of.push_back(1);
  }
  Rearrangement result{{}, {}, shape};
  std::vector<std::int64_t> first;  // by dimension of `split`: the first of its factors
  for (const ir::Shape& of : factors) {
    first.push_back(static_cast<std::int64_t>(result.split.size()));
    result.split.insert(result.split.end(), of.begin(), of.end());
  }
  for (const std::int64_t d : r.perm)
    for (std::size_t i = 0; i < factors[static_cast<std::size_t>(d)].size(); ++i)
      result.perm.push_back(first[static_cast<std::size_t>(d)] + static_cast<std::int64_t>(i));
  return result;
}

/// Both in a row, where the second permutes what the first has permuted, or nothing.
std::optional<Rearrangement> joined(const Rearrangement& first, const Rearrangement& second) {
  if (second.perm == ir::no_permutation(second.perm.size())) return reshaped(first, second.shape);
  if (first.perm == ir::no_permutation(first.perm.size())) return second;
  if (ir::permuted(first.split, first.perm) != second.split) return {};
  std::vector<std::int64_t> perm;
  for (const std::int64_t d : second.perm) perm.push_back(first.perm[static_cast<std::size_t>(d)]);
  return Rearrangement{first.split, perm, second.shape};
}

/// Lets the readers of a node that repeats its input read that. An output keeps its name and stays apart from inputs,
/// states and other outputs: false where it cannot.
bool replaced_by_input(ir::Graph& graph, const ir::Node& node) {
  const ir::Uses uses(graph);
  const ir::ValueId input = node.inputs[0], output = node.outputs[0];
  if (uses.leaves(output)) {
    if (uses.producer(input) < 0 || uses.leaves(input)) return false;
    graph.value(input).name = graph.value(output).name;
  }
  ir::replace_uses(graph, output, input);
  return true;
}

std::int64_t join_rearrangements(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::set<int> removed, bypassed, repeating;
  std::int64_t changed = 0;
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    ir::Node& second = graph.nodes[at];
    const std::optional<Rearrangement> last = rearrangement_of(graph, second);
    if (!last) continue;
    const int producer = uses.producer(second.inputs[0]);
    if (producer < 0) continue;
    const ir::Node& first = graph.nodes[static_cast<std::size_t>(producer)];
    if (second.op == "reshape" && first.op == "reshape") {  // what was a transposition may have become one
      second.inputs[0] = first.inputs[0];
      bypassed.insert(producer);
      ++changed;
      continue;
    }
    if (!uses.single(second.inputs[0])) continue;
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
    // `uses` tells readers as they were: they are redirected behind the loop
    if (second.op == "reshape" && graph.type(second.inputs[0]) == graph.type(second.outputs[0]))
      repeating.insert(static_cast<int>(at));
    ++changed;
  }
  for (const int node : repeating)
    if (removed.count(node) == 0 && replaced_by_input(graph, graph.nodes[static_cast<std::size_t>(node)]))
      removed.insert(node);
  const ir::Uses left(graph);
  for (const int node : bypassed)
    if (const ir::ValueId made = graph.nodes[static_cast<std::size_t>(node)].outputs[0];
        left.of(made).empty() && !left.leaves(made))
      removed.insert(node);
  remove_nodes(graph, removed);
  return changed;
}

PASS("join-rearrangements")
    .summary("Makes one node of a reshape and a transposition in a row, and of transpositions in a row.")
    .precondition(
        "the first has one reader; the second permutes dimensions that the first leaves as they are; what was split "
        "and permuted keeps its dimensions. Two that undo each other are removed, or, where an input would become an "
        "output, a reshape")
    .place(36, "after channel shuffles, which are a gather rather; before fusion, which would hide them in groups")
    .run(join_rearrangements);

}  // namespace
}  // namespace pimento::optimizer
