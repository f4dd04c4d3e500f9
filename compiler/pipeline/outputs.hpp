#pragma once
// Outputs that no node computes.
#include "compiler/ir/graph.hpp"

namespace pimento {

/// A chip stores what its cores make: an output that is an input, a constant or another output as well gets a node of
/// its own, a copy, under the name given for it (its value's name where none is).
void give_outputs_nodes(ir::Graph& graph, const std::vector<std::string>& names);

/// What debugging wants to see becomes an output, by name or all; nothing else of the graph changes.
void observe(ir::Graph& graph, const std::vector<std::string>& names, bool all);

}  // namespace pimento
