#pragma once
// How often each instruction of a core runs, known before anything runs: trip counts never depend on data.
#include <cstdint>
#include <vector>

#include "isa/program/program.hpp"

namespace pimento::isa {

/// By instruction. Loops by a constant are multiplied out; a core with others, or with `halt` in a loop, is stepped.
std::vector<std::int64_t> executions(const CoreProgram& core);

}  // namespace pimento::isa
