#pragma once
// Ranges of every value that the numerics plan needs: from the model's own record, or from a run of the interpreter.
#include <functional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento {

/// Metadata "pimento.ranges" of the graph when it covers every value; else the graph runs in f32 on `inputs` (one per
/// graph input; when empty: seeded standard normal values for floats, zeros for integers, and `note` says so).
pim::Ranges find_ranges(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs, std::uint64_t seed,
                        const std::function<void(const std::string&)>& note);
/// Approximately standard normal values (sum of twelve uniforms) from splitmix64: the same bits on every machine.
ir::Tensor seeded_normal(const ir::TensorType& type, std::uint64_t seed);

}  // namespace pimento
