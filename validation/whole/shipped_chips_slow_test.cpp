// ctest: slow
// ResNet-18 on every chip in configs/chips.
#include <doctest/doctest.h>

#include "models/zoo/zoo.hpp"
#include "validation/whole/shipped.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("shipped chips: does each run resnet18 with right values, or say that it is too small?") {
  const ir::Graph graph = zoo::build("resnet18").graph;
  run_on_shipped_chips(graph, {"isaac", "pimcomp-144", "pimsim-nn-64", "pimsim-nn-64-as-built", "pimsim-nn-64-wide",
                               "puma", "sram-cim-64"});
  CHECK_THROWS_WITH_AS(make_whole(graph, isa::load_chip("tiny-4"), Numerics::quantised),
                       doctest::Contains("crossbars needed, 384 on the chip"), pim::NoRoom);
}
