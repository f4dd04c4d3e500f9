#pragma once
// Questions that several passes ask about a node. Every answer comes from the node's kernels, none from its name.
#include <optional>
#include <set>

#include "compiler/ir/graph.hpp"

namespace pimento::optimizer {

/// One kernel that computes each element of its one output from the elements at the same place of inputs with that
/// many elements, and from smaller ones that repeat along whole axes (a bias, a scale per channel). Not a mere move.
bool is_pointwise(const ir::Graph& graph, const ir::Node& node);
/// The input that the node's one output repeats, element by element under the same type; nothing otherwise.
std::optional<ir::ValueId> copied_input(const ir::Graph& graph, const ir::Node& node);
/// The node's first kernel multiplies an operand with a constant one and adds up: the constant's input position.
std::optional<int> constant_factor(const ir::Graph& graph, const ir::Node& node);
bool is_present(const ir::Node& node, std::size_t input);

/// Removes the nodes at these positions; the others keep their order.
void remove_nodes(ir::Graph& graph, const std::set<int>& positions);
/// "a+b", each name once and in order of first mention; empty names are left out.
std::string join_sources(const std::vector<std::string>& sources);

}  // namespace pimento::optimizer
