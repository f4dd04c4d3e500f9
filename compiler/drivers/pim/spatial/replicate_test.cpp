#include "compiler/drivers/pim/spatial/replicate.hpp"

#include <doctest/doctest.h>

#include <array>

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

TEST_CASE("replicate: what does the model say of a layer drawn by hand?") {
  // 10 rows of 8 positions, 4 strips of 100 cycles, a partial sum of 10; 2 stripes, 2 strips a core: 2 cores a copy
  ReplicationDemand d;
  d.rows = 10;
  d.positions = 8;
  d.strips = 4;
  d.mvm_cycles = 100;
  d.partial_cycles = 10;
  const Spread s{{1, 2}, 2};
  const isa::Chip chip = chip_of(16, 64);
  CHECK(row_cycles(d, s, chip) == 4 * (2 * 100 + (1 + 1) * 10));
  CHECK(load_cycles(d, s) == 80 * (4 * 100 + 2 * 1 * 10));
  CHECK(class_cycles(d, s, chip) == 10 * 4 * 200);
  isa::Chip wide = chip;
  wide.core.window = 4;  // both strips of a core at once
  CHECK(row_cycles(d, s, wide) == 4 * (100 + 20));
}

TEST_CASE("replicate: is no class longer than an even share of the work when the budget allows it?") {
  ReplicationDemand a;
  a.rows = 16;
  a.positions = 16;
  a.mvm_cycles = 1000;
  ReplicationDemand b = a;
  b.strips = 3;
  b.crossbars = 3;
  const isa::Chip chip = chip_of(4, 100);
  const std::vector<ReplicationDemand> demands{a, b};
  const std::vector<Spread> spreads = replicate(demands, chip, 400);
  const Cycles share = 16 * 16 * 4 * 1000 / 4;
  for (std::size_t i = 0; i < demands.size(); ++i) CHECK(class_cycles(demands[i], spreads[i], chip) <= share);
}

TEST_CASE("replicate: do strips stand together when their partial sums cost more than the wait?") {
  ReplicationDemand d;
  d.rows = 32;
  d.positions = 32;
  d.strips = 4;
  d.crossbars = 4;
  d.mvm_cycles = 10;
  d.partial_cycles = 1000;
  CHECK(replicate({d}, chip_of(16, 64), 1024)[0].strips_per_core == 4);
  d.partial_cycles = 0;
  d.mvm_cycles = 1000;
  CHECK(replicate({d}, chip_of(16, 64), 0)[0].strips_per_core == 1);  // one copy: four cores beat one
}

TEST_CASE("replicate: are partial sums sliced as finely as the goal says, and no finer than parts and lanes allow?") {
  ReplicationDemand d;
  d.rows = 8;
  d.positions = 16;
  d.strips = 12;
  d.crossbars = 12;
  d.columns = 256;
  isa::Chip chip = chip_of(12, 64);
  chip.core.vector.lanes = 32;
  const auto slices = [&](Bytes slice_bytes) {
    SpreadGoal goal;
    goal.slice_bytes = slice_bytes;
    const Spread s = replicate({d}, chip, 0, goal)[0];
    CHECK(s.strips_per_core == 1);
    CHECK(s.grid.copies() == 1);
    return s.slices;
  };
  // one row of one copy: 16 positions of 256 sums of 4 bytes
  CHECK(slices(0) == 0);
  CHECK(slices(4096) == 4);
  CHECK(slices(8192) == 0);  // two, as the rule gives twelve parts
  CHECK(slices(16384) == 0);
  CHECK(slices(1024) == 8);  // 256 columns are eight passes of the vector unit
  d.columns = 1024;
  CHECK(slices(1024) == 12);  // a part adds up one slice
}

TEST_CASE("replicate: is a copy's row cut into pieces of the MVMs that the goal says, eight at most?") {
  ReplicationDemand d;
  d.rows = 4;
  d.mvm_cycles = 1000;
  const isa::Chip chip = chip_of(1, 64);  // one copy
  for (const auto& [positions, mvms, pieces] : std::vector<std::array<std::int32_t, 3>>{
           {6, 0, 1}, {6, 1, 6}, {6, 2, 3}, {7, 2, 3}, {6, 4, 1}, {6, 9, 1}, {8, 1, 8}, {9, 1, 8}, {100, 2, 8}}) {
    d.positions = positions;
    SpreadGoal goal;
    goal.piece_mvms = mvms;
    CHECK(replicate({d}, chip, 0, goal)[0] == Spread{{1, 1}, 1, 0, pieces});
  }
}

TEST_CASE("replicate: is the budget kept, and spent on the layer that gains most per crossbar?") {
  ReplicationDemand cheap;
  cheap.rows = cheap.positions = 32;
  cheap.mvm_cycles = 1000;
  ReplicationDemand dear = cheap;
  dear.crossbars = 40;
  const std::vector<Spread> spreads = replicate({cheap, dear}, chip_of(16, 64), 19);
  CHECK(spreads[0].grid.copies() > 1);
  CHECK(spreads[1].grid.copies() == 1);
  CHECK(spreads[0].grid.copies() + 40 * spreads[1].grid.copies() <= 60);
}

TEST_CASE("replicate: does a model that does not fit name demand, supply and its largest layers?") {
  std::vector<ReplicationDemand> demands(3);
  demands[0].name = "fc6", demands[0].crossbars = 512;
  demands[1].name = "conv5", demands[1].crossbars = 288;
  demands[2].name = "fc8", demands[2].crossbars = 2;
  try {
    replicate(demands, chip_of(4, 100), 400);
    FAIL("accepted");
  } catch (const UserError& e) {
    CHECK(
        std::string(e.what()) ==
        "chip 'drawn', stage graph-to-spatial: 802 crossbars needed, 400 on the chip; largest: 'fc6' 512, 'conv5' 288, "
        "'fc8' 2");
  }
}

TEST_CASE("replicate: is a matrix cut the way that makes fewest products, while the crossbars last?") {
  ReplicationDemand one;
  one.rows = one.positions = 32;
  one.mvm_cycles = 1000;
  one.crossbars = one.strip_crossbars = 2;
  ReplicationDemand four = one;
  four.windows = 4;
  four.positions = 8;
  four.crossbars = four.strip_crossbars = 16;
  const isa::Chip chip = chip_of(4, 64);
  const std::vector<std::vector<ReplicationDemand>> ways{{one, four}};
  const auto windows = [&](std::int64_t spare) { return replicate(ways, chip, spare)[0].grid.windows; };
  CHECK(windows(0) == 1);
  CHECK(windows(13) == 1);
  CHECK(windows(14) == 4);
  CHECK(windows(200) == 4);
}
