#include <doctest/doctest.h>

#include <cmath>

#include "models/zoo/zoo.hpp"
#include "validation/prediction/ranking.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: is it within 10 % of the simulated cycles on the zoo's small networks, 2 % on golden chips?") {
  for (const std::string& chip : predicted_chips())
    for (const char* network : {"mlp", "lenet5"}) {
      CAPTURE(chip);
      CAPTURE(network);
      const std::optional<RankedSchedule> made = predict_and_simulate(zoo::build(network).graph, isa::load_chip(chip));
      REQUIRE(made.has_value());
      CHECK(std::abs(made->ratio() - 1) <= most_deviation);
      if (is_golden_chip(chip)) CHECK(std::abs(made->ratio() - 1) <= most_deviation_on_golden_chips);
    }
}

TEST_CASE("prediction: is it right where a window of 16 meets sends that wait for receives?") {
  CompileOptions options;
  options.windows_per_mvm = 1;
  const std::optional<RankedSchedule> made =
      predict_and_simulate(zoo::build("lenet5").graph, isa::load_chip("sram-cim-64"), options);
  REQUIRE(made.has_value());
  CHECK(std::abs(made->ratio() - 1) <= 0.01);
}
