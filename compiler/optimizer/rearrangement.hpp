#pragma once
// Reshapes and transpositions as one thing, which passes can join and change.
#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/permutation.hpp"

namespace pimento::optimizer {

/// X under the shape `split`, permuted, under the shape `shape`.
struct Rearrangement {
  ir::Shape split;
  std::vector<std::int64_t> perm;
  ir::Shape shape;
};

/// It moves nothing but extents of 1.
inline bool keeps_sequence(const Rearrangement& r) {
  std::vector<std::int64_t> moved;
  for (const std::int64_t d : r.perm)
    if (r.split[static_cast<std::size_t>(d)] != 1) moved.push_back(d);
  return std::is_sorted(moved.begin(), moved.end());
}

inline std::optional<Rearrangement> rearrangement_of(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != "reshape" && node.op != "transpose" && node.op != "rearrange") return {};
  const ir::Shape& from = graph.type(node.inputs[0]).shape;
  const ir::Shape& to = graph.type(node.outputs[0]).shape;
  if (node.op == "reshape") return Rearrangement{to, ir::no_permutation(to.size()), to};
  const std::vector<std::int64_t> perm = ir::integers_attribute(node, "perm", {});
  return Rearrangement{node.op == "transpose" ? from : ir::integers_attribute(node, "split", {}), perm, to};
}

/// The node, whose operand and result have their types, does that.
inline void become(const ir::Graph& graph, ir::Node& node, const Rearrangement& r) {
  node.op = "rearrange";
  node.attributes = {{"split", r.split}, {"perm", r.perm}, {"shape", r.shape}};
  if (keeps_sequence(r)) {
    node.op = "reshape";
    node.attributes = {{"shape", r.shape}};
  } else if (graph.type(node.inputs[0]).shape == r.split && ir::permuted(r.split, r.perm) == r.shape) {
    node.op = "transpose";
    node.attributes = {{"perm", r.perm}};
  }
}

}  // namespace pimento::optimizer
