// ctest: slow
// How far is the prediction from the simulation on networks of the zoo, every one that fits, on every kind of chip that
// is predicted well? Asked here, whatever the records of golden runs hold.
#include <doctest/doctest.h>

#include <cmath>

#include "models/zoo/zoo.hpp"
#include "validation/prediction/ranking.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: is it within 10 % of the simulated cycles on the zoo, 2 % on golden chips?") {
  int fit = 0;
  for (const std::string& chip : predicted_chips())
    for (const std::string& network : predicted_networks()) {
      CAPTURE(chip);
      CAPTURE(network);
      const std::optional<RankedSchedule> made = predict_and_simulate(zoo::build(network).graph, isa::load_chip(chip));
      if (!made) continue;
      ++fit;
      CHECK(std::abs(made->ratio() - 1) <= most_deviation);
      if (is_golden_chip(chip)) CHECK(std::abs(made->ratio() - 1) <= most_deviation_on_golden_chips);
    }
  CHECK(fit == 46);  // mobilenet_v2 needs more local memory than isaac and puma have
}
