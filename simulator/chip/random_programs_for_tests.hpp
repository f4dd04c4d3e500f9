#pragma once
// Random programs on chips that are bent in some way: do they agree, and does it cost them anything?
#include <doctest/doctest.h>

#include <functional>

#include "isa/program/random.hpp"
#include "simulator/chip/bench.hpp"

namespace pimento::sim::bench {

/// The cycles it takes without values; it must finish.
inline Cycles cycles_of(const isa::Program& program, const isa::Chip& chip) {
  Options options;
  options.timing_only = true;
  const Result result = simulate(program, chip, options);
  REQUIRE(result.stop == StopReason::finished);
  return result.cycles;
}

/// Of `count` random programs on chips of the family, bent by seed: all agree ahead and in step. How many take longer
/// than on the chip that `plainly` makes of theirs?
inline int slower_than_plainly(std::uint64_t count, const std::function<void(isa::Chip&, std::uint64_t)>& bend,
                               const std::function<void(isa::Chip&)>& plainly) {
  int slower = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    isa::Chip chip = family_chip(seed);
    bend(chip, seed);
    const isa::Program p = isa::random_program(chip, seed);
    CAPTURE(seed);
    CHECK(disagreement(p, chip, seed) == "");
    const Cycles bent = cycles_of(p, chip);
    plainly(chip);
    slower += bent > cycles_of(p, chip) ? 1 : 0;
  }
  return slower;
}

}  // namespace pimento::sim::bench
