#pragma once
// vrequant and vcvt between small integers, many elements at a time where the processor can: the same doubles in the
// same order as the executor's own loop, hence the same bits.
#include <cstdint>

#include "isa/support/types.hpp"

namespace pimento::sim {

/// to[i] = saturate(round(from[i] * scales[i]) + offset), with `relu` after the rounding.
struct Conversion {
  ElementType from_type{}, to_type{};
  const std::uint8_t* from = nullptr;
  const std::uint8_t* scales = nullptr;  ///< f32
  bool one_scale = false;                ///< scales[0] for all
  bool relu = false;
  std::int32_t offset = 0;
  std::uint8_t* to = nullptr;
  std::int64_t count = 0;
};

/// Converts the first elements and returns how many; 0 when types, overlap or processor are not made for it.
std::int64_t convert_many(const Conversion& c);

}  // namespace pimento::sim
