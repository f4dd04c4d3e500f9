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

TEST_CASE("replicate: are stripes cut before rows, and only as many as the block asks for?") {
  CHECK(grid_for(56, 56, 56 * 8) == Grid{1, 7});  // 8 columns each
  CHECK(grid_for(56, 56, 56 * 56) == Grid{1, 1});
  CHECK(grid_for(100, 1, 30) == Grid{4, 1});  // one column of 100 rows: 4 blocks of 25
  CHECK(grid_for(4, 5, 4) == Grid{1, 5});
}

TEST_CASE("replicate: is no class longer than an even share of the work when the budget allows it?") {
  // a: 100 positions, b: 100 positions of 3 tiles; 10 cycles each: 4000 in all, 1000 a core on 4 cores
  const std::vector<ReplicationDemand> demands{{"a", 10, 10, 1, 1, 10}, {"b", 10, 10, 3, 3, 10}};
  const isa::Chip chip = chip_of(4, 100);
  const std::vector<Grid> grids = replicate(demands, chip, 400);
  for (std::size_t i = 0; i < demands.size(); ++i) CHECK(layer_cycles(demands[i], grids[i], 4) <= 1000);
}

TEST_CASE("replicate: do spare crossbars go where a row shrinks most per crossbar?") {
  // both rows take 8 positions; a's copy costs 1 crossbar, b's 10; 1 spare crossbar
  const std::vector<ReplicationDemand> demands{{"a", 1, 8, 1, 1, 10}, {"b", 1, 8, 1, 10, 10}};
  const std::vector<Grid> grids = replicate(demands, chip_of(1, 12), 12);
  CHECK(grids[0].copies() == 1);  // one core: a second copy would wait for the first
  const std::vector<Grid> wider = replicate(demands, chip_of(8, 12), 30);
  CHECK(wider[0].positions == 8);
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
