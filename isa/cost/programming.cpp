#include "isa/cost/programming.hpp"

#include <algorithm>

namespace pimento::isa::cost {

Programming initial_programming(const Chip& chip, const Program& program) {
  Programming p;
  Instruction write;
  write.opcode = Opcode::program;
  const bool timed = chip.core.crossbar.program_latency_fs.has_value();
  Cycles longest = 0;
  for (const CoreProgram& core : program.cores) {
    Cycles cycles = 0;
    for (const Group& group : core.groups) {
      if (group.tile == no_tile) continue;
      const Tile& tile = program.tiles[group.tile];
      const TileShape shape{tile.rows, tile.cols, tile.crossbar_rows, tile.crossbar_cols};
      ++p.groups;
      p.cells += events(chip, write, &shape).cells_programmed;
      if (timed) cycles += cost::program(chip, shape).total();
    }
    longest = std::max(longest, cycles);
  }
  if (timed || p.groups == 0)
    p.cycles = longest;
  else
    p.unknown.emplace_back("core.crossbar.program_latency");
  if (const auto& each = chip.core.crossbar.program_energy_pj; each || p.cells == 0)
    p.energy = each.value_or(0) * static_cast<double>(p.cells);
  else
    p.unknown.emplace_back("core.crossbar.program_energy");
  return p;
}

}  // namespace pimento::isa::cost
