#pragma once
// Models of one windowed operator with random attributes, spelled as exporters spell them.
#include <optional>
#include <string>

#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::validation {

struct WindowModel {
  std::string text;  ///< ONNX's textual syntax, for reports
  ir::Graph graph;
};
/// Conv (groups, depthwise with a multiplier, strides, dilations, uneven and automatic padding, bias), MaxPool,
/// AveragePool or LpPool (ceil_mode, dilations, count_include_pad) over 1, 2 or 3 dimensions and a batch of 1 or 2.
WindowModel random_window(std::uint64_t seed);

/// What is wrong with its values on this chip in exact numerics, empty when nothing is; nothing when it does not fit.
std::optional<std::string> fault_of(const WindowModel& model, const isa::Chip& chip);

}  // namespace pimento::validation
