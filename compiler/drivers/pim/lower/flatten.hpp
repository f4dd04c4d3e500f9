#pragma once
// From coordinates to bytes: a PIM operation whose operands stand somewhere becomes an instruction with strides and
// loops. Dimensions that prove adjacent merge: loops into segments, segments into one longer segment. The predictor and
// the emitter both come through here, so that what is predicted is what is emitted.
#include <array>

#include "compiler/drivers/pim/lower/pim_ops.hpp"

namespace pimento::pim {

/// Where a tensor stands: address(r, p, c) = base + slot(r) * row_pitch + p * position_pitch + c * channel_pitch, where
/// slot(r) = r, or (r - row0) mod ring_rows when the rows are a ring.
struct Located {
  std::int64_t base = 0;  ///< address of (row0, 0, 0)
  std::int64_t row_pitch = 0, position_pitch = 0, channel_pitch = 1;
  std::int32_t row0 = 0, ring_rows = 0;  ///< 0: no ring
  std::int64_t ring_lo = 0;              ///< first byte of the ring; its size is ring_rows * row_pitch
};

struct FlatOperand {
  std::int64_t address = 0, stride = 0;
  std::array<std::int64_t, isa::max_loop_levels> loops{};
  std::int64_t ring_lo = 0, ring_size = 0;  ///< size 0: no segment start crosses the ring's end
  std::int64_t home_lo = 0, home_size = 0;  ///< the ring in which the operand stands, crossed or not; size 0: none
};
struct FlatOp {
  isa::Instruction form;  ///< count and len final; strides set; addresses unset
  FlatOperand d, a, b;
  std::array<std::int32_t, isa::max_loop_levels> trips{};
  std::int32_t depth = 0;
};

/// `d`, `a`, `b`: where the operands stand (ignored for absent ones).
FlatOp flatten(const PimOp& op, const Located& d, const Located& a, const Located& b);

}  // namespace pimento::pim
