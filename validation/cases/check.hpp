#pragma once
// Are the values of a run right? Every output is compared with its reference; what may differ follows from the
// numerics.
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/program/program.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/compare.hpp"

namespace pimento::validation {

/// exact, f32: every element within this part of the output's absolute maximum.
inline constexpr double float_tolerance = 1e-4;
/// quantised: with one scale per tensor, 8-bit activations leave ResNet-18 about 30 dB. Deep networks with random
/// weights amplify every rounding from layer to layer and fall below this limit with min-max calibration
/// (ResNet-50 14.9 dB, MobileNet v2 11.0 dB); adaptive calibration leaves them 42 dB on its own input.
inline constexpr double default_min_sqnr_db = 15.0;

struct NumericalCheck {
  std::string reference;  ///< "Eigen reference, f64", or the folder of the test data
  std::string criterion;  ///< "every element within 0.0001 of the output's absolute maximum"
  std::vector<Comparison> outputs;
  bool passed = true;
  std::string diverging;  ///< of a failed check, when it was looked for: see layers.hpp
};
/// Whether the numerics allow this much difference (`min_sqnr_db`: quantised floats).
bool accepts(const Comparison& comparison, Numerics numerics, double min_sqnr_db);
/// Outputs of a run against expected tensors, in Program::outputs order. The first differing element names its writer
/// when the run tracked writers. `min_sqnr_db` applies to quantised numerics; integer outputs must always agree.
NumericalCheck check_outputs(const isa::Program& program, const sim::Result& result,
                             const std::vector<ir::Tensor>& expected, const std::string& reference, double min_sqnr_db);
/// What the graph should give on these inputs; of a stream: image after image.
std::vector<ir::Tensor> reference_outputs(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                                          std::int64_t images = 1);
/// Lines for people: one per output, and the first difference of a failed one down to its writer.
std::string to_text(const NumericalCheck& check);

}  // namespace pimento::validation
