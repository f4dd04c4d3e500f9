#pragma once
// What the room itself asks of the registry, besides registry.hpp.
#include <vector>

#include "compiler/ops/define.hpp"

namespace pimento::ops {

/// Every refused ONNX operator, ordered by domain and name.
std::vector<Refusal> refusals();
/// Operand count and types, attribute kinds and ranges: what the entry's descriptions say. Throws RuleError.
void check_descriptions(const Call& c, const ir::Node& node);

/// Names that were registered twice, which are then forgotten: the first entry stands.
std::vector<std::string> take_repeated_names();

}  // namespace pimento::ops
