// ctest: slow
#include <doctest/doctest.h>

#include "validation/prediction/ranking.hpp"
#include "validation/prediction/small_chips.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: does it order ten schedules as the simulation does, on each of fifty small chips?") {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= small_chips; ++seed) {
    const Ranking ranking = rank_schedules(seed);
    CAPTURE(seed);
    CAPTURE(ranking.chip);
    CHECK(ranking.schedules.size() == 10);
    CHECK(ranking.agreement() >= least_agreement);
    sum += ranking.tau().value_or(0);
  }
  CHECK(sum / static_cast<double>(small_chips) >= least_tau);
}
