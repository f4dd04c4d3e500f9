#pragma once
// Cycles and energy of one instruction on one chip: the only place where such a formula stands (DESIGN section 3).
// The scheduler calls it to predict, the simulator to execute. All cycles are core-clock cycles unless the name says
// otherwise. Sources: the published ISA's simulator rules as measured in PEERS (pimsim-nn); CACTI-like energies come
// from the chip file.
#include "isa/chip/chip.hpp"
#include "isa/cost/rows.hpp"
#include "isa/instruction/instruction.hpp"

namespace pimento::isa::cost {

/// What an instruction asks of its core: reads, then computes, then writes; each memory phase holds one port.
struct Duration {
  Cycles read = 0, compute = 0, write = 0;
  Cycles start = 0, retire = 0;  ///< of the chip's rules: from issue to work, from work to retirement
  /// Of an MVM whose array group overlaps: core cycles from the end of its reading until the slices of the next one on
  /// the same group may begin; else -1: the group is its own until its end.
  Cycles occupies = -1;
  Cycles total() const { return start + read + compute + write + retire; }
};

struct TileShape {
  int rows = 0, cols = 0, crossbar_rows = 1, crossbar_cols = 1;
};

/// Accesses of `width` bytes that a view of count segments of `bytes` each needs: count * ceil(bytes / width) when the
/// segments are apart, ceil(count * bytes / width) when they are adjacent. n accesses of latency L take
/// L + (n - 1) * ceil(L / banks) cycles (consecutive ones fall into different banks), indexed ones n * L.
Cycles memory_accesses(const LocalMemory& memory, std::int64_t count, Bytes bytes, std::int64_t stride);

/// Of one slice of b bits: read = read_latency * (1, 2^b - 1 or 2^b by core.crossbar.input) + row_latency * rows of a
/// stage + column_latency * columns per weight; front = dac + read + sample-hold; adc = latency + its steps;
/// back = adc + shift-add + out + (columns per ADC - 1) * max(adc, shift-add + out), without converters shift-add +
/// out; step = max(front, back); steps = slices * phases * ceil(rows / rows active). Pipelined: a slice's front runs
/// beside the back of the one before, and stages * step follow the last; else the sum of front + back + stages * step
/// over all steps. Plus row_add_cycles per further row of crossbars. (With one bit per slice, pimsim-nn's rule: front +
/// back + (steps - 1) * step; 5168 cycles on its shipped chip.)
Cycles mvm_compute(const Chip& chip, const TileShape& tile, ElementType input);
/// How long a product keeps others out of its array group once it computes: mvm_compute, or with core.crossbar.overlap
/// and pipelined slices the steps alone.
Cycles mvm_occupancy(const Chip& chip, const TileShape& tile, ElementType input);
Duration mvm(const Chip& chip, const TileShape& tile, const Instruction& instruction);
/// Writing a tile into an array group; refused when the chip does not say how long a row takes.
Duration program(const Chip& chip, const TileShape& tile);
/// Writing some rows of a tile from local memory: reading them, then the rows of one crossbar one after the other.
/// Where the chip does not say how long a row takes, that part is left out: Programming (programming.hpp) names it.
Duration write(const Chip& chip, const Instruction& instruction);
/// All other instructions: their core-local part (of a transfer, the reading or writing of local memory).
Duration local(const Chip& chip, const Instruction& instruction);

/// Network cycles (network clock) of one message without contention, from the end of the source's read to the start of
/// the destination's write, at least 1. table: below; all others: handshake + (hops + 1) * router + hops * link + flits
/// + at flit level, floor((flits - 1) / buffer) * max(0, link + router + max(link, 1) - buffer), link being 0 when
/// there is no hop: the waits for credits where a virtual channel holds fewer flits than a credit's round trip takes.
/// table: handshake + flits * table[source][destination]. A position of `chip.cores` is the global memory (channel 0).
Cycles message_network_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes);
/// Its part on a `table` network without the handshake, from the pair's cycles per flit.
constexpr Cycles table_cycles(Cycles per_flit, std::int64_t flits) {
  return per_flit * flits > 1 ? per_flit * flits : 1;
}
/// Links on the way: mesh: |dx| + |dy|; torus, ring: in each direction the shorter way round; crossbar: 1; tree: up to
/// the first common router and down; always 0 between places at one router.
int hops(const Chip& chip, CoreId source, CoreId destination);
/// The router of a core (of `chip.cores`: of the global memory's first channel); of a tree, the lowest one.
CoreId router_of(const Chip& chip, CoreId position);
/// What the time of a message depends on besides its size: the hops, or the table's cycles per flit.
std::int64_t way(const Chip& chip, CoreId source, CoreId destination);
/// Network cycles of request and grant before a message, where the chip has them.
Cycles request_and_grant_cycles(const Chip& chip, CoreId source, CoreId destination);
/// Both in core-clock cycles (rounded up).
Cycles message_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes);
/// A whole load or store of `bytes` by a core, without contention, core clock; `rows`: what its accesses find open.
Cycles global_access_cycles(const Chip& chip, CoreId core, Bytes bytes, bool is_store, const RowAccesses& rows);

/// What one instruction makes happen inside its core: the events that the energy account counts.
struct Events {
  std::int64_t crossbar_reads = 0;   ///< per active crossbar and DAC step
  std::int64_t dac_conversions = 0;  ///< one input element's slice on one word line of one crossbar
  std::int64_t adc_conversions = 0;
  std::int64_t shift_adds = 0;  ///< one per conversion
  std::int64_t cells_programmed = 0;
  std::int64_t local_reads = 0, local_writes = 0;  ///< accesses of local memory's width
  std::int64_t vector_operations = 0;              ///< elements; multiply-accumulates of a dvm
  std::int64_t scalar_operations = 0;
  void add(const Events& other, std::int64_t times);
};
Events events(const Chip& chip, const Instruction& instruction, const TileShape* tile);

/// Bytes that an instruction moves out of its core (send, mcast, store, gstore) or into it (recv, load, gload); 0 for
/// all others.
Bytes transfer_bytes(const Instruction& instruction);
/// Bytes of the message that asks the global memory for data (load, gload).
Bytes request_bytes(const Instruction& instruction);
/// Accesses of the global memory's width that a load or store takes.
std::int64_t global_accesses(const Chip& chip, const Instruction& instruction);
/// The channel that serves a request: that of its first byte, 4 KiB pages going round the channels.
int global_channel(const Chip& chip, std::int64_t address);
/// Flits of a message: ceil(bytes / flit), at least 1.
std::int64_t flits(const Chip& chip, Bytes bytes);
/// Network cycles that a freed receive buffer's credit takes back to the source: an uncontended one-flit trip.
Cycles credit_network_cycles(const Chip& chip, CoreId source, CoreId destination);

/// Sum of the energies of an instruction's events; unknown when the chip leaves one of them unsaid.
std::optional<Picojoules> instruction_energy(const Chip& chip, const Instruction& instruction, const TileShape* tile);

/// Crossbars that a block of rows x cols weights takes on this chip.
TileShape tile_shape(const Chip& chip, int rows, int cols);

/// Cost keys that the functions above read (a program stores those that its schedule used).
const std::vector<std::string>& schedule_keys();

}  // namespace pimento::isa::cost
