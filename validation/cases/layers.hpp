#pragma once
// Values inside a network, as a run of the simulator makes them: for looking at one, and for finding the first that
// goes wrong. They are seen in a run of their own, whose program also stores them; the mapping and the instructions
// that compute are those of the compiler for that program, so the run that is asked about keeps its cycles.
#include <functional>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.hpp"
#include "validation/cases/check.hpp"

namespace pimento::validation {

struct SeenValue {
  std::string node;   ///< ONNX name; of fused nodes, joined by '+'
  std::string value;  ///< name in the model
  ir::Tensor got;
};

/// The outputs of an ONNX node, or a value, by name. A value that fusion hides is computed unfused, and `note` says so.
/// UserError with the nearest name when there is none.
std::vector<SeenValue> see(const ir::Graph& graph, const isa::Chip& chip, const CompileOptions& options,
                           const std::vector<ir::Tensor>& inputs, const std::string& name);

/// "first diverging layer: 'layer1.0.conv1' (value 'x'), SQNR 3.21 dB, ...": the first value in the order of the
/// program that `accepts` does not accept; the layers before it agree. Says so when all agree.
std::string first_diverging(const ir::Graph& graph, const isa::Chip& chip, const CompileOptions& options,
                            const std::vector<ir::Tensor>& inputs, double min_sqnr_db);

/// Every value that the program makes, beside the reference's, in the order of the program; what the model does not
/// name is left out.
struct LayerComparison {
  std::string node;
  Comparison comparison;
};
std::vector<LayerComparison> compare_layers(const ir::Graph& graph, const isa::Chip& chip,
                                            const CompileOptions& options, const std::vector<ir::Tensor>& inputs);

}  // namespace pimento::validation
