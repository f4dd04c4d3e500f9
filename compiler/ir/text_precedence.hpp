#pragma once
// What printer and parser of the textual IR agree on.
#include <string_view>

#include "compiler/ir/kernel.hpp"

namespace pimento::ir {

/// Of an infix operator; higher binds tighter, 1 is a comparison. All associate to the left.
int precedence(std::string_view op);
std::string_view combiner_text(Combiner c);     ///< "+=", "max=", "merge="
std::string_view write_rule_text(WriteRule r);  ///< "=", "+=", "max="

}  // namespace pimento::ir
