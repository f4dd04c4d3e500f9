#pragma once
// Recursive-descent parsing of expressions, for the kernel and graph parsers.
#include "compiler/ir/text.hpp"
#include "compiler/ir/text_lexer.hpp"

namespace pimento::ir {

/// One expression from the cursor on; stops at the first token that cannot continue it.
Expr parse_expr(Tokens& tokens, const ExprNames& names);

}  // namespace pimento::ir
