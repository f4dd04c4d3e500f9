#include "compiler/drivers/pim/spatial/replicate.hpp"

#include <doctest/doctest.h>

#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {
isa::Chip chip_of(int cores, int crossbars) {
  isa::Chip chip;
  chip.name = "drawn";
  chip.cores = cores;
  chip.core.crossbars = crossbars;
  return chip;
}
}  // namespace

TEST_CASE("replicate: is the largest block of the grid as small as the copies allow?") {
  // 56 x 56 in 64 blocks: 7 x 7 each, exactly
  CHECK(best_grid(56, 56, 64) == Grid{8, 8});
  // 14 x 14 in 3 blocks: 3 x 1 gives 5 * 14 = 70, 1 x 3 the same; fewest row blocks wins
  CHECK(best_grid(14, 14, 3).copies() == 3);
  CHECK(best_grid(14, 14, 3) == Grid{1, 3});
  // 5 positions in 4 blocks: 3 blocks of at most 2 do as well as 4
  CHECK(best_grid(1, 5, 4) == Grid{1, 3});
}

TEST_CASE("replicate: does the budget go where it wins most time per crossbar?") {
  // layer a: 100 positions, 1 crossbar; layer b: 10 positions, 10 crossbars; 12 crossbars in all, 4 cores
  const std::vector<ReplicationDemand> demands{{"a", 1, 100, 1, 1, 10}, {"b", 1, 10, 1, 10, 10}};
  const std::vector<Grid> grids = replicate(demands, chip_of(4, 3), 12);
  CHECK(grids[0].copies() == 2);  // the one spare crossbar
  CHECK(grids[1].copies() == 1);
}

TEST_CASE("replicate: is a layer never given more copies than its tiles can use on the cores?") {
  // 2 tiles per copy on 4 cores: the third copy would queue behind the others
  const std::vector<ReplicationDemand> demands{{"a", 1, 64, 2, 2, 10}};
  CHECK(replicate(demands, chip_of(4, 100), 400)[0].copies() == 2);
}

TEST_CASE("replicate: does a model that does not fit name demand, supply and its largest layers?") {
  const std::vector<ReplicationDemand> demands{
      {"fc6", 1, 1, 8, 512, 1}, {"conv5", 4, 4, 8, 288, 1}, {"fc8", 1, 1, 1, 2, 1}};
  try {
    replicate(demands, chip_of(4, 100), 400);
    FAIL("accepted");
  } catch (const UserError& e) {
    CHECK(std::string(e.what()) ==
          "chip 'drawn', stage graph-to-spatial: 802 crossbars needed, 400 on the chip; largest: 'fc6' 512, 'conv5' "
          "288, 'fc8' 2");
  }
}
