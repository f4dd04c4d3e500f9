#pragma once
// How much a refusal of a chip says: one line, with as many of the differing keys as the caller asks for.
#include "isa/program/program.hpp"

namespace pimento::isa {

/// The same as the `check_chip` that names three keys; a refusal names the first `named` keys that differ, in one line.
std::vector<std::string> check_chip(const Program& program, const Chip& chip, std::size_t named);

}  // namespace pimento::isa
