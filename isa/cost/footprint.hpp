#pragma once
// The local-memory bytes that an instruction reads and writes, as hazards see them. Two ranges overlap when they share
// a byte; exactly so for plain segments and for segments of equal stride. Otherwise, and in a ring that is wrapped, a
// range counts as all bytes between its first and its last.
#include <array>
#include <cstdint>
#include <span>

#include "isa/chip/chip.hpp"
#include "isa/cost/operands.hpp"
#include "isa/cost/place.hpp"

namespace pimento::isa::cost {

struct ByteRange {
  std::int64_t low = 0, high = 0;  ///< [low, high)
  std::int64_t stride = 0;         ///< of segments; 0: one piece
  std::int64_t bytes = 0;          ///< of a segment
};

bool overlap_in_detail(const ByteRange& a, const ByteRange& b);
inline bool overlap(const ByteRange& a, const ByteRange& b) {
  if (a.low >= b.high || b.low >= a.high) return false;
  return (a.stride == 0 && b.stride == 0) || overlap_in_detail(a, b);
}

struct Footprint {
  std::array<ByteRange, 3> read;
  int reads = 0;
  bool writes = false;
  ByteRange write;
  std::span<const ByteRange> all_reads() const { return {read.data(), static_cast<std::size_t>(reads)}; }
};

/// The bytes that an instruction touches, but for where they lie.
struct Touched {
  Operands operands;    ///< with the destination of an mvm
  Bytes reads_all = 0;  ///< sld: the size of the memory that it may read anywhere
};
/// `columns`: of the tile of an mvm. `memory`: local memory's size.
Touched touched(const Instruction& instruction, std::int64_t columns, Bytes memory);

void footprint(const Touched& touched, const Places& places, Footprint& out);

/// What the chip's rules make of a footprint.
void bend(Footprint& footprint, bool of_load_or_store, const Rules& rules);

/// May `later` start while `earlier` is still reading, or before it has written?
struct Conflict {
  bool on_result = false;   ///< read after write, write after write: waits for the end
  bool on_reading = false;  ///< write after read: waits until the earlier one has read
};
Conflict conflict(const Footprint& earlier, const Footprint& later, const Rules& rules);

}  // namespace pimento::isa::cost
