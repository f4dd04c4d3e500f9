#pragma once
// Ten schedules of each of some small chips, ordered by the prediction and by the simulation.
#include <doctest/doctest.h>

#include "validation/prediction/ranking.hpp"

namespace pimento::validation {

/// Of the chips of these seeds: each holds `least_tau` and `least_agreement`, all hold `mean_tau` in the mean.
inline void check_rankings(std::uint64_t first, std::uint64_t last) {
  double sum = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Ranking ranking = rank_schedules(seed);
    CAPTURE(seed);
    CAPTURE(ranking.chip);
    CHECK(ranking.schedules.size() == 10);
    CHECK(ranking.clear_pairs() > 0);
    CHECK(ranking.agreement().value_or(-1) >= least_agreement);
    const double tau = ranking.tau().value_or(-1);
    CHECK(tau >= least_tau);
    sum += tau;
  }
  const std::uint64_t chips = last - first + 1;
  CHECK(sum / static_cast<double>(chips) >= mean_tau);
}

}  // namespace pimento::validation
