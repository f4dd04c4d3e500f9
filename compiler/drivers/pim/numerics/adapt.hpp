#pragma once
// Adaptive rounding of a whole graph: it runs node by node, once with real numbers and once with what the chip will
// hold, and each contraction's weights are rounded on the inputs that reach it (rounding.hpp). The graph keeps its
// shape: only constants change, so the program and its cycles do not.
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento::pim {

/// Replaces the weights of `graph` by values on the grid of `plan.weight_scales`, and moves biases by the mean error;
/// `plan` learns of the new constants.
/// `samples`: inputs of the graph, one set per calibration sample.
void adapt_weights(ir::Graph& graph, NumericsPlan& plan, int weight_bits,
                   const std::vector<std::vector<ir::Tensor>>& samples);

}  // namespace pimento::pim
