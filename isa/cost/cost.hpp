#pragma once
// Cycles and energy of one instruction on one chip: the only place where such a formula stands (DESIGN section 3).
// The scheduler calls it to predict, the simulator to execute. All cycles are core-clock cycles unless the name says
// otherwise. Sources: the published ISA's simulator rules as measured in PEERS (pimsim-nn); CACTI-like energies come
// from the chip file.
#include "isa/chip/chip.hpp"
#include "isa/instruction/instruction.hpp"

namespace pimento::isa::cost {

/// What an instruction asks of its core: reads, then computes, then writes; each memory phase holds one port.
struct Duration {
  Cycles read = 0, compute = 0, write = 0;
  Cycles total() const { return read + compute + write; }
};

struct TileShape { int rows = 0, cols = 0, crossbar_rows = 1, crossbar_cols = 1; };

/// Accesses of `width` bytes that a view of count segments of `bytes` each needs: count * ceil(bytes / width) when the
/// segments are apart, ceil(count * bytes / width) when they are adjacent.
Cycles memory_accesses(const LocalMemory& memory, std::int64_t count, Bytes bytes, std::int64_t stride);

/// front = dac + read + sample-hold; back = adc + shift-add + out + (columns per ADC - 1) * max(adc, shift-add + out);
/// pipelined: front + back + (steps - 1) * max(front, back), steps = slices * ceil(rows / rows active);
/// plus row_add_cycles per further row of crossbars. (pimsim-nn's rule; 5168 cycles on its shipped chip.)
Cycles mvm_compute(const Chip& chip, const TileShape& tile, ElementType input);
Duration mvm(const Chip& chip, const TileShape& tile, const Instruction& instruction);
/// Vector, scalar and local move instructions.
Duration local(const Chip& chip, const Instruction& instruction);

/// Network cycles (network clock) of one message without contention, from the end of the source's read to the start of
/// the destination's write.
Cycles message_network_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes);
int hops(const Chip& chip, CoreId source, CoreId destination);
/// The same in core-clock cycles (rounded up).
Cycles message_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes);
/// A whole load or store of `bytes` by a core, without contention, core clock.
Cycles global_access_cycles(const Chip& chip, CoreId core, Bytes bytes, bool is_store);

/// One entry of the energy account: unknown when the chip does not say.
std::optional<Picojoules> instruction_energy(const Chip& chip, const Instruction& instruction, const TileShape* tile);

/// Crossbars that a block of rows x cols weights takes on this chip.
TileShape tile_shape(const Chip& chip, int rows, int cols);

/// Cost keys that the functions above read (a program stores those that its schedule used).
const std::vector<std::string>& schedule_keys();

}  // namespace pimento::isa::cost
