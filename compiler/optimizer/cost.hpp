#pragma once
// The neutral cost of a graph: what layer 1 may not raise. A target with a table of its own weighs the same counts.
#include <cstdint>

#include "compiler/ir/graph.hpp"

namespace pimento::optimizer {

/// Scalar operations of one run of the graph, plus one per node so that a node less is cheaper: a loop counts its body
/// trip_count times.
std::int64_t weighted_cost(const ir::Graph& graph);

}  // namespace pimento::optimizer
