#pragma once
// Models of a few operators without weights behind each other: moves, reductions, normalisations, activations,
// broadcasting arithmetic, resizing.
#include "validation/whole/random_windows.hpp"

namespace pimento::validation {

WindowModel random_chain(std::uint64_t seed);

}  // namespace pimento::validation
