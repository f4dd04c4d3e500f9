// ctest: slow
// ResNet-18 on every chip in configs/chips.
#include <doctest/doctest.h>

#include <algorithm>

#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("shipped chips: does each run resnet18 with right values, or say that it is too small?") {
  const std::vector<std::string> small{"tiny-4"};
  const ir::Graph graph = zoo::build("resnet18").graph;
  for (const std::string& name : isa::shipped_chips()) {
    CAPTURE(name);
    const isa::Chip chip = isa::load_chip(name);
    if (std::find(small.begin(), small.end(), name) != small.end()) {
      CHECK_THROWS_WITH_AS(make_whole(graph, chip, Numerics::quantised),
                           doctest::Contains("crossbars needed, 384 on the chip"), UserError);
      continue;
    }
    const Whole whole = make_whole(graph, chip, Numerics::quantised);
    const sim::Result result = simulate(whole, chip);
    REQUIRE(result.stop == sim::StopReason::finished);
    const NumericalCheck values = check(whole, result);
    CHECK_MESSAGE(values.passed, to_text(values));
  }
}
