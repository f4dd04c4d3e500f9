#pragma once
// Many random models on one chip, each held to the reference.
#include <doctest/doctest.h>

#include "validation/whole/random_windows.hpp"

namespace pimento::validation {

/// Checks the models of the seeds from `first` to `last` that fit the chip; at least nine of ten must.
inline void check_many(WindowModel (*make)(std::uint64_t seed), const isa::Chip& chip, std::uint64_t first,
                       std::uint64_t last) {
  std::uint64_t fit = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const WindowModel model = make(seed);
    CAPTURE(chip.name);
    CAPTURE(seed);
    CAPTURE(model.text);
    const auto fault = fault_of(model, chip);
    if (!fault) continue;
    ++fit;
    CHECK(*fault == "");
  }
  CHECK(10 * fit >= 9 * (last - first + 1));
}

}  // namespace pimento::validation
