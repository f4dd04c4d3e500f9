#pragma once
// Keys that are given and do nothing because another one is not given with them: a seed of devices that are all alike,
// an exponent of a supply that has no voltage. The loader refuses them; keys that a whole choice has no use for say so
// in the table (Key::only).
#include <functional>
#include <optional>
#include <string>

#include "isa/chip/chip.hpp"

namespace pimento::isa {

/// Whether a key stands in the file, or among what is set over a chip, or has another value than none.
using Given = std::function<bool(const std::string& path)>;

/// What a given key needs in order to have an effect, "core.crossbar.adc.steps"; nothing when it has one. The chip's
/// tables over supply and outputs are read already.
std::optional<std::string> missing_for(const std::string& path, const Chip& chip, const Given& given);

}  // namespace pimento::isa
