#pragma once
// Rows of the global memory under an open-page policy: which row an address lies in, and what accesses take by what
// their bank holds. Source: Rixner et al., "Memory access scheduling", ISCA 2000, section 2, and Jacob, Ng and Wang,
// "Memory Systems", 2008, chapter 11: a column access to the open row takes its latency; a closed bank is activated
// first (tRCD); a bank with another row open is precharged before that (tRP).
#include <cstdint>

#include "isa/chip/chip.hpp"

namespace pimento::isa::cost {

/// What keeps the channels apart: pages of so many bytes go round them.
inline constexpr std::int64_t channel_page = 4096;

struct MemoryRow {
  int bank = 0;          ///< of its channel: that channel's rows go round its banks
  std::int64_t row = 0;  ///< the same for no two rows of the memory
  std::int64_t end = 0;  ///< the address behind its last byte, or behind the last that follows without a gap
  bool operator==(const MemoryRow&) const = default;
};
/// The chip must have rows.
MemoryRow memory_row(const Chip& chip, std::int64_t address);

/// Accesses by what they found: their row open; their bank closed; another row open.
struct RowAccesses {
  std::int64_t hits = 0, misses = 0, conflicts = 0;
  bool operator==(const RowAccesses&) const = default;
};
/// Memory cycles beside the accesses' own: misses * activate + conflicts * (precharge + activate).
Cycles row_cycles(const Chip& chip, const RowAccesses& found);

/// What a schedule expects of one load or store: as many conflicts as rows hold so many bytes, since others have used
/// the banks in between. Nothing where the chip has no rows.
RowAccesses expected_rows(const Chip& chip, Bytes bytes);

}  // namespace pimento::isa::cost
