#include "isa/chip/adc.hpp"

#include <fmt/format.h>

#include <bit>

namespace pimento::isa {

std::int64_t bit_line_full_scale(const Crossbar& crossbar) {
  const std::int64_t cell = (std::int64_t{1} << crossbar.cell_bits) - 1;
  const std::int64_t digit = (std::int64_t{1} << crossbar.dac_bits) - 1;
  const std::int64_t cells = crossbar.rows_active * cell;
  return (crossbar.encoding == WeightEncoding::flipped ? cells / 2 : cells) * digit;
}

int full_scale_bits(const Crossbar& crossbar) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bit_line_full_scale(crossbar))));
}

std::optional<std::string> narrow_adc(const Chip& chip) {
  const Crossbar& x = chip.core.crossbar;
  if (x.adc.ideal || x.adc.bits >= full_scale_bits(x)) return std::nullopt;
  return fmt::format(
      "adc-narrow: chip '{}': {} rows of {}-bit cells under {}-bit inputs sum up to {}, which takes {} bits, and "
      "core.crossbar.adc.bits is {}: sums are rounded{}",
      chip.name, x.rows_active, x.cell_bits, x.dac_bits, bit_line_full_scale(x), full_scale_bits(x), x.adc.bits,
      x.adc.range == AdcRange::calibrated ? " or saturate" : "");
}

}  // namespace pimento::isa
