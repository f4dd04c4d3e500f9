#pragma once
// What writing a program's weights into the crossbars takes: before cycle 0, which runs do not count and reports give
// apart; and while the program runs, which is part of every figure of the run.
#include "isa/cost/cost.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::cost {

struct Programming {
  std::int64_t groups = 0;             ///< array groups that hold a tile at the start
  std::int64_t cells = 0;              ///< written: those of the weights, not of whole crossbars
  std::optional<Cycles> cycles;        ///< core clock: cores at once, the groups of one core one after another
  std::optional<Picojoules> energy;    ///< of the cells
  std::vector<std::string> unknown{};  ///< chip keys that leave time or energy unknown
};
Programming initial_programming(const Chip& chip, const Program& program);

/// The same of what the program's own instructions write, which is part of the run. `cycles`: of the core that writes
/// longest, reading the rows and writing the cells; loads and waiting are not in it. Where the chip does not say how
/// long a row takes, no run counts it, and `cycles` is unknown.
struct Rewriting : Programming {
  Bytes bytes = 0;  ///< of weights, brought from global memory
};
Rewriting rewriting(const Chip& chip, const Program& program);

}  // namespace pimento::isa::cost
