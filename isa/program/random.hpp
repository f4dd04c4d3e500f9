#pragma once
// Random programs for tests of whatever runs programs: valid on their chip, they end, they cannot deadlock even without
// any message buffer, and every value is legal (indices in bounds, no integer division by zero, no conversion of a NaN
// to an integer). The same seed gives the same program on every machine.
#include <cstdint>

#include "isa/program/program.hpp"

namespace pimento::isa {

struct RandomOptions {
  int instructions = 60;  ///< per core, about; set-up and the final stores come on top
  int cores = 0;          ///< 0: all of the chip's, at most 4
  bool loops = true;      ///< where the chip has them
  bool messages = true;   ///< send, recv, sync, wait
  bool multicast = true;  ///< where the chip has it
  bool floats = true;     ///< where the vector unit has them
  bool memory = true;     ///< load, store, gload, gstore in the body; the final stores are always there
};

/// What the program computed stands in its outputs: 'ints0', 'reals0', 'ints1', ... (pieces of each core's local
/// memory, stored at the end). Its one input is 'x', u8, any bytes.
Program random_program(const Chip& chip, std::uint64_t seed, const RandomOptions& options = {});

}  // namespace pimento::isa
