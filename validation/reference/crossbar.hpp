#pragma once
// What an array group with real converters gives, as a plain loop nest over digits, slices, columns and rows: written
// from simulator/crossbar/README.md, it shares nothing with the simulator.
#include <cstdint>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::reference {

struct ArrayGroup {
  int rows = 0, cols = 0;
  std::vector<std::int32_t> weights;  ///< [row][column]
};
/// Inputs of `type`; `range`: what the largest code of the converter stands for. Sums wrap at 32 bits.
std::vector<std::int32_t> crossbar_product(const ArrayGroup& group, const isa::Chip& chip,
                                           const std::vector<std::int32_t>& x, ElementType type, double range);
/// The largest sum of a bit line.
double full_scale(const isa::Chip& chip);
/// Plain integers, no cells.
std::vector<std::int32_t> integer_product(const ArrayGroup& group, const std::vector<std::int32_t>& x);

}  // namespace pimento::reference
