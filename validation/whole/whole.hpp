#pragma once
// A model the whole way: compiled, simulated, its outputs decoded, beside what the reference says.
#include "compiler/pipeline/compile.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/check.hpp"

namespace pimento::validation {

struct Whole {
  CompileResult compiled;
  std::vector<ir::Tensor> inputs;
  sim::Options options;  ///< inputs encoded; a test sets what it asks for
};
/// Compiles a graph for a chip; its inputs are seeded.
Whole make_whole(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, std::uint64_t seed = 1,
                 const pim::CalibrationMethod& calibration = {});
Whole make_whole(const ir::Graph& graph, const isa::Chip& chip, CompileOptions options);
/// Takes another result of compiling the same graph: the inputs are encoded as its program wants them.
void use(Whole& whole, CompileResult compiled);
sim::Result simulate(const Whole& whole, const isa::Chip& chip);
/// Against the reference.
NumericalCheck check(const Whole& whole, const sim::Result& result);

/// A small random network that fits a small chip: convolutions (strided, padded, grouped), residual additions,
/// concatenations, pooling, activations, then perhaps a fully connected end. Calibrated so that values stay near 1.
ir::Graph random_network(std::uint64_t seed);

}  // namespace pimento::validation
