#pragma once
// The numerics of a graph from calibration: the ranges that its model records, or runs of the interpreter on inputs.
#include <functional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento {

struct CalibrationOptions {
  pim::CalibrationMethod method;
  /// In the order of the graph's inputs; a multiple of them is as many samples. Missing ones are made up from `seed`
  /// (standard normal values for floats, zeros for integers), so that there are `samples` at least.
  std::vector<ir::Tensor> inputs;
  std::uint64_t seed = 1;
  std::function<void(const std::string&)> note;  ///< told what was assumed
  std::int64_t samples = 1;
};

/// Without inputs, metadata "pimento.ranges" of the graph serves when it covers every value; else the graph runs in f32
/// on each sample. Adaptive calibration (quantised numerics only) replaces weights and biases of `graph`.
pim::NumericsPlan calibrated_plan(ir::Graph& graph, const isa::Chip& chip, Numerics numerics,
                                  const CalibrationOptions& options);
/// Whether metadata "pimento.ranges" covers every value, so that a compile without inputs takes the ranges from there.
bool has_recorded_ranges(const ir::Graph& graph);
/// Approximately standard normal values (sum of twelve uniforms) from splitmix64: the same bits on every machine.
ir::Tensor seeded_normal(const ir::TensorType& type, std::uint64_t seed);

}  // namespace pimento
