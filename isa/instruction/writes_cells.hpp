#pragma once
// Which instructions change what array groups hold.
#include "isa/instruction/instruction.hpp"

namespace pimento::isa {

/// Whether an instruction waits until its array group, and all that share crossbars with it, are empty.
constexpr bool writes_cells(Opcode op) { return op == Opcode::program || op == Opcode::write; }

}  // namespace pimento::isa
