#pragma once
// What writing a program's weights into the crossbars takes before cycle 0. Runs do not count it; it is reported apart.
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

}  // namespace pimento::isa::cost
