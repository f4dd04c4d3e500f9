#pragma once
// Functions that the vector unit lacks, written in those it has.
#include "compiler/ir/expr.hpp"

namespace pimento::pim {

/// Null where there is no such form.
ir::Expr in_other_functions(const ir::Unary& f);

}  // namespace pimento::pim
