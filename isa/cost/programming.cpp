#include "isa/cost/programming.hpp"

#include <algorithm>

#include "isa/cost/shape_of.hpp"
#include "isa/instruction/writes_cells.hpp"
#include "isa/program/executions.hpp"

namespace pimento::isa::cost {

namespace {
void finish(Programming& p, const Chip& chip, Cycles longest) {
  if (chip.core.crossbar.program_latency_fs || p.groups == 0)
    p.cycles = longest;
  else
    p.unknown.emplace_back("core.crossbar.program_latency");
  if (const auto& each = chip.core.crossbar.program_energy_pj; each || p.cells == 0)
    p.energy = each.value_or(0) * static_cast<double>(p.cells);
  else
    p.unknown.emplace_back("core.crossbar.program_energy");
}
}  // namespace

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
      const TileShape shape = shape_of(tile);
      ++p.groups;
      p.cells += events(chip, write, &shape).cells_programmed;
      if (timed) cycles += cost::program(chip, shape).total();
    }
    longest = std::max(longest, cycles);
  }
  finish(p, chip, longest);
  return p;
}

Rewriting rewriting(const Chip& chip, const Program& program) {
  Rewriting r;
  Cycles longest = 0;
  for (const CoreProgram& core : program.cores) {
    const auto writes = [](const Instruction& i) { return writes_cells(i.opcode); };
    const auto records = core.instructions.data;
    if (std::none_of(records.begin(), records.end(), writes)) continue;
    const std::vector<std::int64_t> times = executions(core);
    Cycles cycles = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const Instruction& i = records[k];
      if (!writes_cells(i.opcode)) continue;
      const bool rows = i.opcode == Opcode::write;
      const Tile& tile = program.tiles[i.tag];
      const TileShape shape = shape_of(tile);
      r.groups += !rows || i.imm == 0 ? times[k] : 0;
      r.cells += times[k] * events(chip, i, &shape).cells_programmed;
      r.bytes += rows ? times[k] * i.count * i.len : 0;
      if (chip.core.crossbar.program_latency_fs)
        cycles += times[k] * (rows ? write(chip, i) : cost::program(chip, shape)).total();
    }
    longest = std::max(longest, cycles);
  }
  finish(r, chip, longest);
  return r;
}

}  // namespace pimento::isa::cost
