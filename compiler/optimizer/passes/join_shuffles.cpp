// Exporters write a channel shuffle as three nodes: one dimension is split, its factors change places, and they are
// joined again. As one gather along that dimension all others keep their place in memory; as three nodes the middle
// ones have more dimensions than an image, and the image is turned inside out twice.
#include <algorithm>
#include <optional>
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

struct Shuffle {
  std::int64_t axis = 0;
  std::vector<std::int64_t> from;  ///< by position on the axis
};

/// By dimension of `split`: the dimension of `whole` that it is a factor of; empty when it does not split that shape.
/// Extents of 1 belong to the dimension that stands before them, which is as good as any.
std::vector<std::size_t> owners(const ir::Shape& split, const ir::Shape& whole) {
  std::vector<std::size_t> result;
  std::size_t d = 0;
  std::int64_t product = 1;
  for (const std::int64_t extent : split) {
    while (extent != 1 && d < whole.size() && product == whole[d]) ++d, product = 1;
    if (d == whole.size()) return {};
    product *= extent;
    if (whole[d] % product != 0) return {};
    result.push_back(d);
  }
  return result;
}

/// What splitting `whole` into `split`, permuting and joining again does, if it moves elements along one axis only.
std::optional<Shuffle> shuffle_of(const ir::Shape& whole, const ir::Shape& split,
                                  const std::vector<std::int64_t>& perm) {
  if (std::find(whole.begin(), whole.end(), 0) != whole.end()) return {};
  const std::vector<std::size_t> owner = owners(split, whole);
  if (owner.size() != split.size() || perm.size() != split.size()) return {};
  std::vector<std::size_t> before, after;  // the factors above 1, in order
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split[i] != 1) before.push_back(i);
    if (const auto p = static_cast<std::size_t>(perm[i]); split[p] != 1) after.push_back(p);
  }
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (owner[before[i]] != owner[after[i]]) return {};
    if (before[i] == after[i]) continue;
    if (axis && *axis != owner[before[i]]) return {};
    axis = owner[before[i]];
  }
  if (!axis) return {};
  const ir::Shape strides = ir::row_major_strides(split);
  const std::int64_t unit = ir::row_major_strides(whole)[*axis];
  Shuffle shuffle{static_cast<std::int64_t>(*axis), {0}};
  for (const std::size_t factor : after) {
    if (owner[factor] != *axis) continue;
    std::vector<std::int64_t> finer;
    for (const std::int64_t at : shuffle.from)
      for (std::int64_t i = 0; i < split[factor]; ++i) finer.push_back(at + i * (strides[factor] / unit));
    shuffle.from = std::move(finer);
  }
  return shuffle;
}

std::int64_t join_shuffles(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::set<int> removed;
  const auto maker = [&](ir::ValueId v, std::string_view op) {
    const int producer = uses.single(v) ? uses.producer(v) : -1;
    return producer >= 0 && graph.nodes[static_cast<std::size_t>(producer)].op == op ? producer : -1;
  };
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    ir::Node& joined = graph.nodes[i];
    if (joined.op != "reshape") continue;
    const int middle = maker(joined.inputs[0], "transpose");
    if (middle < 0) continue;
    const ir::Node& transpose = graph.nodes[static_cast<std::size_t>(middle)];
    const int first = maker(transpose.inputs[0], "reshape");
    if (first < 0) continue;
    const ir::Node& split = graph.nodes[static_cast<std::size_t>(first)];
    const ir::ValueId x = split.inputs[0];
    if (graph.type(x) != graph.type(joined.outputs[0])) continue;
    const auto shuffle = shuffle_of(graph.type(x).shape, graph.type(transpose.inputs[0]).shape,
                                    ir::integers_attribute(transpose, "perm", {}));
    if (!shuffle) continue;
    const ir::TensorType table{ElementType::i64, {static_cast<std::int64_t>(shuffle->from.size())}};
    const std::vector<double> positions(shuffle->from.begin(), shuffle->from.end());
    joined.source = join_sources({split.source, transpose.source, joined.source});
    joined.op = "gather";
    joined.attributes = {{"axis", shuffle->axis}};
    joined.inputs = {
        x, graph.add_constant(graph.value(joined.outputs[0]).name + "_from", ir::Tensor::of(table, positions))};
    removed.insert({first, middle});
    ++changed;
  }
  remove_nodes(graph, removed);
  return changed;
}

PASS("join-shuffles")
    .summary("Makes one gather of a reshape, a transposition and a reshape that move elements along one dimension.")
    .precondition("the first two have one reader; the last has the shape that the first reads")
    .place(35, "after canonical forms, which join reshapes; before fusion, which would hide the three in groups")
    .run(join_shuffles);

}  // namespace
}  // namespace pimento::optimizer
