#pragma once
// What a converter has to tell apart, and whether it can.
#include <optional>
#include <string>

#include "isa/chip/chip.hpp"

namespace pimento::isa {

/// The largest sum of one bit line: active rows x largest cell x largest input digit; with flipped encoding no line
/// holds more than half of that.
std::int64_t bit_line_full_scale(const Crossbar& crossbar);
/// Bits of resolution that tell every sum of one bit line from the next.
int full_scale_bits(const Crossbar& crossbar);
/// "adc-narrow: ..." when the converter is not ideal and has fewer bits than that.
std::optional<std::string> narrow_adc(const Chip& chip);

}  // namespace pimento::isa
