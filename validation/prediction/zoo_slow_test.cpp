// ctest: slow
// How far is the prediction from the simulation on the golden networks and chips? Both figures stand in the records,
// and the golden tests hold those to today's.
#include <doctest/doctest.h>

#include <cmath>

#include "models/zoo/zoo.hpp"
#include "validation/prediction/ranking.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: is it within 10 % of the simulated cycles on the zoo?") {
  for (const std::string& chip : predicted_chips())
    for (const std::string& network : predicted_networks()) {
      CAPTURE(chip);
      CAPTURE(network);
      const std::optional<RankedSchedule> made = predict_and_simulate(zoo::build(network).graph, isa::load_chip(chip));
      if (made) CHECK(std::abs(made->ratio() - 1) <= most_deviation);
    }
}
