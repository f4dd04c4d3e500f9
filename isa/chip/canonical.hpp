#pragma once
// What is printed of a chip, from the key table: the effective configuration and the fingerprints.
#include "isa/chip/chip.hpp"

namespace pimento::isa {

/// Every key that applies, defaults included, with its source where one was given; parse_chip reads it back.
std::string canonical_yaml(const Chip& chip);
/// xxHash of the lines "path=value" of each class, sorted by path. Neither name, description, sources nor file count.
Fingerprints fingerprints_of(const Chip& chip);

}  // namespace pimento::isa
