#pragma once
// Where a number that is none came from: the constant, the variance or the input behind a value that is not finite.
#include <optional>
#include <string>

#include "compiler/ir/graph.hpp"

namespace pimento::pim {

/// "[1, 2] is nan" of the first element that is no finite number.
std::optional<std::string> not_finite(const ir::Tensor& tensor);
/// "node 'mm': 'W' at [1, 2] is nan", "node 'bn': its variance 'v' at [2] is -1", "an input of the model"; "" when the
/// node that makes the value shows no cause.
std::string cause_of_not_finite(const ir::Graph& graph, ir::ValueId value);

}  // namespace pimento::pim
