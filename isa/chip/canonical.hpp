#pragma once
// What is printed of a chip, from the key table: the effective configuration and the fingerprints.
#include "isa/chip/chip.hpp"

namespace pimento::isa {

/// Every key that applies, defaults included, with its source where one was given; read_canonical reads it back.
std::string canonical_yaml(const Chip& chip);
/// Reads it back, keys without effect included: it holds every key, and what the chip was set to since it was a file.
Chip read_canonical(const std::string& yaml, const std::string& file_name);
/// xxHash of the lines "path=value" of each class, sorted by path. Neither name, description, sources nor file count.
Fingerprints fingerprints_of(const Chip& chip);

}  // namespace pimento::isa
