#pragma once
// The two halves of verify_program: one core's instructions, and everything round them.
#include <string>

#include "isa/program/program.hpp"

namespace pimento::isa {

/// Throws UserError at the first instruction of the core that cannot be right.
void verify_core(const Program& program, const Chip& chip, std::size_t core, const std::string& file);

}  // namespace pimento::isa
