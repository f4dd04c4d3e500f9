#pragma once
// The integer reference: what a program's instructions give, element by element, from the meanings in the instruction
// table. No time, no cells, no packing, no vectors; cores run one after another until each waits for a message or an
// event. It shares the order of instructions (isa/program/execute.hpp) and the special functions (isa/support/math.hpp)
// with the simulator and nothing else, so that bit for bit agreement says something of both.
#include <cstdint>
#include <vector>

#include "isa/program/program.hpp"

namespace pimento::reference {

/// Bytes of every output port as they stand in global memory at the end; `inputs`: the same of every input port.
/// UserError when cores wait for each other for ever, or an instruction reaches outside its memory.
std::vector<std::vector<std::uint8_t>> run_program(const isa::Program& program, Bytes local_memory,
                                                   const std::vector<std::vector<std::uint8_t>>& inputs);

}  // namespace pimento::reference
