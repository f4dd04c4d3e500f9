#pragma once
// Random weights for models whose published ones prove nothing.
#include "compiler/ir/graph.hpp"

namespace pimento::validation {

/// The graph with its weights drawn anew, for models whose published weights say nothing (all of them one constant).
/// Products get normal weights of He's scale, sqrt(2 / inputs of one output); their biases, and constants of one value
/// that are added or multiplied, stay near 0 and 1. Batch norms get the mean and variance of what reaches them on
/// seeded inputs, so that no layer dies or explodes.
ir::Graph randomise_weights(ir::Graph graph, std::uint64_t seed);

}  // namespace pimento::validation
