// ctest: slow
#include <doctest/doctest.h>

#include "validation/prediction/ranking_for_tests.hpp"

using namespace pimento::validation;

TEST_CASE("prediction: does it order ten schedules as the simulation does, on each of fifty small chips?") {
  check_rankings(1, small_chips);
}
