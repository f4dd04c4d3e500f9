#include "validation/reference/crossbar.hpp"

#include <algorithm>
#include <cmath>

namespace pimento::reference {
namespace {

/// One cell of a weight: its slice of the offset weight, or of the positive or negative part.
std::int32_t cell_of(std::int32_t weight, const isa::Chip& chip, int slice, bool negative) {
  const isa::Crossbar& x = chip.core.crossbar;
  std::int32_t stored = weight + (1 << (chip.numerics.weight_bits - 1));
  if (x.encoding == isa::WeightEncoding::differential) stored = negative ? std::max(0, -weight) : std::max(0, weight);
  return (stored >> (slice * x.cell_bits)) & ((1 << x.cell_bits) - 1);
}

}  // namespace

double full_scale(const isa::Chip& chip) {
  const isa::Crossbar& x = chip.core.crossbar;
  const int cells = x.rows_active * ((1 << x.cell_bits) - 1);
  return double((1 << x.dac_bits) - 1) * (x.encoding == isa::WeightEncoding::flipped ? cells / 2 : cells);
}

std::vector<std::int32_t> crossbar_product(const ArrayGroup& group, const isa::Chip& chip,
                                           const std::vector<std::int32_t>& x, ElementType type, double range) {
  const isa::Crossbar& crossbar = chip.core.crossbar;
  const int bits = 8 * size_of(type);
  const std::int64_t input_offset = is_signed(type) ? std::int64_t{1} << (bits - 1) : 0;
  const bool differential = crossbar.encoding == isa::WeightEncoding::differential;
  const bool flips = crossbar.encoding == isa::WeightEncoding::flipped;
  const int slices = (chip.numerics.weight_bits + crossbar.cell_bits - 1) / crossbar.cell_bits;
  const int digits = (bits + crossbar.dac_bits - 1) / crossbar.dac_bits;
  const int largest_cell = (1 << crossbar.cell_bits) - 1;
  const std::int64_t codes = (std::int64_t{1} << crossbar.adc.bits) - 1;
  const double step = std::max(1.0, range / static_cast<double>(codes));

  std::vector<std::int32_t> result;
  for (int c = 0; c < group.cols; ++c) {
    const auto weight = [&](int r) { return group.weights[static_cast<std::size_t>(r * group.cols + c)]; };
    std::int64_t in_steps = 0, in_units = 0;
    for (int array = 0; array < group.rows; array += crossbar.rows)
      for (int first = array; first < std::min(array + crossbar.rows, group.rows); first += crossbar.rows_active) {
        const int last = std::min({first + crossbar.rows_active, array + crossbar.rows, group.rows});
        for (int slice = 0; slice < slices; ++slice)
          for (int part = 0; part < (differential ? 2 : 1); ++part) {
            bool flipped = false;
            if (flips) {
              std::int64_t sum = 0;
              for (int r = first; r < last; ++r) sum += cell_of(weight(r), chip, slice, false);
              flipped = 2 * sum > std::int64_t{last - first} * largest_cell;
            }
            for (int digit = 0; digit < digits; ++digit) {
              std::int64_t line = 0, driven = 0;
              for (int r = first; r < last; ++r) {
                const std::int64_t input = x[static_cast<std::size_t>(r)] + input_offset;
                const std::int64_t value = (input >> (digit * crossbar.dac_bits)) & ((1 << crossbar.dac_bits) - 1);
                const std::int32_t cell = cell_of(weight(r), chip, slice, part == 1);
                line += value * (flipped ? largest_cell - cell : cell);
                driven += value;
              }
              const double scaled = static_cast<double>(line) / step;
              std::int64_t code = std::min(static_cast<std::int64_t>(std::nearbyint(scaled)), codes);
              const std::int64_t unit = std::int64_t{1} << (digit * crossbar.dac_bits + slice * crossbar.cell_bits);
              if (part == 1) code = -code;
              in_steps += (flipped ? -code : code) * unit;
              if (flipped) in_units += largest_cell * driven * unit;
            }
          }
      }
    std::int64_t product = static_cast<std::int64_t>(std::nearbyint(step * static_cast<double>(in_steps))) + in_units;
    for (int r = 0; r < group.rows; ++r) {
      const std::int64_t input = x[static_cast<std::size_t>(r)] + input_offset;
      if (!differential) product -= (input << (chip.numerics.weight_bits - 1));
      product -= input_offset * weight(r);
    }
    result.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(product)));
  }
  return result;
}

std::vector<std::int32_t> integer_product(const ArrayGroup& group, const std::vector<std::int32_t>& x) {
  std::vector<std::int32_t> result;
  for (int c = 0; c < group.cols; ++c) {
    std::int64_t sum = 0;
    for (int r = 0; r < group.rows; ++r)
      sum += std::int64_t{group.weights[static_cast<std::size_t>(r * group.cols + c)]} * x[static_cast<std::size_t>(r)];
    result.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)));
  }
  return result;
}

}  // namespace pimento::reference
