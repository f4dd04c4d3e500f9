#include "compiler/drivers/pim/spatial/rounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// 4 cores of 8 crossbars.
isa::Chip drawn() {
  isa::Chip chip;
  chip.name = "drawn";
  chip.cores = 4;
  chip.core.crossbars = 8;
  chip.core.clock.period_fs = chip.global_memory.clock.period_fs = 1'000'000;
  chip.core.crossbar.rows = chip.core.crossbar.cols = 4;
  chip.core.crossbar.cell_bits = 8;
  chip.global_memory.width = 4;
  chip.global_memory.read_latency_cycles = 3;
  return chip;
}
ReplicationDemand layer(std::int32_t strips, std::int32_t blocks = 1, std::int32_t rows = 1) {
  ReplicationDemand d;
  d.name = "layer";
  d.rows = rows;
  d.strips = strips;
  d.blocks = blocks;
  d.crossbars = strips * blocks;
  d.mvm_cycles = 10;
  return d;
}
std::string refusal(const std::vector<ReplicationDemand>& demands, int rounds) {
  try {
    plan_rounds(demands, drawn(), rounds, 1, {});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
/// Crossbars of each round; rounds must rise from tile to tile, layer to layer.
std::vector<std::int64_t> taken(const Rounds& rounds, int count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count), 0);
  for (const auto& demand : rounds)
    for (const std::int32_t r : demand) ++all.at(static_cast<std::size_t>(r));
  return all;
}

}  // namespace

TEST_CASE("rounds: does a model that fits need one, and how many does one need that does not?") {
  CHECK(range_of_rounds({layer(16), layer(16)}, drawn()).least == 1);
  CHECK(range_of_rounds({layer(16), layer(17)}, drawn()).least == 2);
  CHECK(range_of_rounds({layer(20), layer(20), layer(20)}, drawn()).least == 3);  // no two together
  CHECK(range_of_rounds({layer(20), layer(20), layer(20)}, drawn()).most == 3);
  CHECK(range_of_rounds({layer(70)}, drawn()).least == 3);  // cut between strips: 32 a round
  CHECK(range_of_rounds({layer(1, 70)}, drawn()).least == 3);
  CHECK(range_of_rounds({layer(2, 70)}, drawn()).least == 5);  // no strip of 70 blocks fits: cut between blocks
}
TEST_CASE("rounds: do layers that add up to the chip and do not pack come apart in two rounds?") {
  // 4 cores of 8: each layer of 5 takes a core of its own
  const ReplicationDemand d = [] {
    ReplicationDemand one = layer(1);
    one.crossbars = one.strip_crossbars = 5;
    return one;
  }();
  const std::vector<ReplicationDemand> demands(5, d);  // 25 of 32 crossbars
  CHECK(range_of_rounds(demands, drawn()).least == 1);
  CHECK(range_of_rounds(demands, drawn(), true).least == 2);
  CHECK(range_of_rounds({layer(4)}, drawn(), true).least == 2);
  CHECK(range_of_rounds({layer(4)}, drawn(), true).most == 1);  // one layer that is not cut
}
TEST_CASE("rounds: are layers cut into consecutive rounds, each within the chip?") {
  const Rounds rounds = plan_rounds({layer(20), layer(10), layer(9), layer(20)}, drawn(), 2, 1, {});
  CHECK(rounds[0] == std::vector<std::int32_t>(20, 0));
  CHECK(rounds[1] == std::vector<std::int32_t>(10, 0));
  CHECK(rounds[2] == std::vector<std::int32_t>(9, 1));
  CHECK(rounds[3] == std::vector<std::int32_t>(20, 1));
}
TEST_CASE("rounds: do the layers with most work get the room for copies?") {
  // 8 rows beside 1: what is computed longest stands with fewer others
  std::vector<ReplicationDemand> demands{layer(8, 1, 1), layer(8, 1, 1), layer(8, 1, 64)};
  demands[2].positions = 64;
  const Rounds rounds = plan_rounds(demands, drawn(), 2, 1, {});
  CHECK(rounds[1].front() == 0);
  CHECK(rounds[2].front() == 1);
}
TEST_CASE(
    "rounds: is a layer larger than the chip cut between strips, else between column blocks, and each tile once?") {
  for (const auto& [its_strips, blocks] : std::vector<std::pair<int, int>>{{70, 1}, {35, 2}, {1, 70}, {2, 35}}) {
    const auto& strips = its_strips;
    CAPTURE(strips);
    const bool by_strips = strips > 2;  // a strip of 35 blocks or more is larger than the chip
    const ReplicationDemand big = layer(strips, blocks);
    const Rounds rounds = plan_rounds({layer(4), big, layer(4)}, drawn(), 3, 1, {});
    for (const std::int64_t crossbars : taken(rounds, 3)) CHECK(crossbars <= 32);
    // blocks share the cut between strips, so that their sums are alike
    for (int b = 1; b < blocks && by_strips; ++b)
      for (int s = 0; s < strips; ++s)
        CHECK(rounds[1][static_cast<std::size_t>(b * strips + s)] == rounds[1][static_cast<std::size_t>(s)]);
    CHECK(std::is_sorted(rounds[1].begin(), rounds[1].begin() + strips));
    std::int64_t strips_in_all = 0, crossbars = 0;
    for (std::int32_t r = 0; r < 3; ++r) {
      const ReplicationDemand part = part_of_round(big, rounds[1], r);
      const bool here = std::count(rounds[1].begin(), rounds[1].end(), r) > 0;
      CHECK(part.crossbars == std::count(rounds[1].begin(), rounds[1].end(), r));
      if (!here) continue;
      CHECK(part.one_copy);
      CHECK(std::int64_t{part.strips} * part.blocks == part.crossbars);
      strips_in_all += part.strips;
      crossbars += part.crossbars;
    }
    CHECK(crossbars == 70);
    if (by_strips) CHECK(strips_in_all == strips);
  }
}
TEST_CASE("rounds: is a layer of few strips and many blocks cut so that every piece fits?") {
  for (const auto& [its_strips, its_blocks] : std::vector<std::pair<int, int>>{{2, 70}, {2, 100}, {31, 33}, {32, 40}}) {
    const auto& blocks = its_blocks;
    const auto& strips = its_strips;
    CAPTURE(strips);
    CAPTURE(blocks);
    const ReplicationDemand wide = layer(strips, blocks);
    const int least = range_of_rounds({wide}, drawn()).least;
    for (const std::int64_t crossbars : taken(plan_rounds({wide}, drawn(), least, 1, {}), least)) {
      CHECK(crossbars > 0);
      CHECK(crossbars <= 32);
    }
  }
}
TEST_CASE("rounds: do copies cost what bringing and writing their weights costs?") {
  isa::Chip chip = drawn();
  // 16 weights: 4 accesses of 3 cycles; rows are written at once on 4 cores
  CHECK(crossbar_cycles(chip, 1) == doctest::Approx(4 * 3));
  CHECK(crossbar_cycles(chip, 2) == doctest::Approx(8 * 3));
  CHECK(crossbar_cycles(chip, 4) == doctest::Approx(16 * 3));  // f32
  // a row of 8 bytes holds two of them: two rows, each closed before it is opened
  chip.global_memory.row_size = 8;
  chip.global_memory.activate_cycles = 5;
  chip.global_memory.precharge_cycles = 6;
  CHECK(crossbar_cycles(chip, 1) == doctest::Approx(4 * 3 + 2 * (5 + 6)));
  chip.global_memory.row_size = 0;
  chip.core.crossbar.program_latency_fs = 10'000'000;
  CHECK(crossbar_cycles(chip, 1) == doctest::Approx(4 * 3 + 4 * 10 / 4.0));
  ReplicationDemand d = layer(1, 1, 8);
  d.positions = 8;
  SpreadGoal goal{};
  CHECK(replicate({d}, chip, 31, goal)[0].grid.copies() > 1);
  goal.crossbar_cycles = 1e6;
  CHECK(replicate({d}, chip, 31, goal)[0].grid.copies() == 1);
  goal.crossbar_cycles = 0;
  d.one_copy = true;
  CHECK(replicate({d}, chip, 31, goal)[0].grid.copies() == 1);
}
TEST_CASE("rounds: is a round that holds everything mapped as if there were no rounds?") {
  ReplicationDemand late = layer(6, 1, 16);
  late.positions = 8;
  const std::vector<ReplicationDemand> demands{layer(4, 2, 8), late};
  const SpreadGoal goal{1, 20};
  const Rounds all{std::vector<std::int32_t>(8, 0), std::vector<std::int32_t>(6, 0)};
  std::vector<ReplicationDemand> parts;
  for (std::size_t d = 0; d < demands.size(); ++d) parts.push_back(part_of_round(demands[d], all[d], 0));
  // 32 crossbars, 14 in one copy of each; 0.6 of the other 18 are 10
  const auto [spare, first] = allowance(parts, drawn(), 0.6, goal, false);
  CHECK(spare == 10);
  CHECK(first == goal);
  CHECK(replicate(parts, drawn(), spare, first) == replicate(demands, drawn(), 10, goal));
  const auto [again, later] = allowance(parts, drawn(), 0.6, goal, true);
  CHECK(again == 10);
  CHECK(later.crossbar_cycles == crossbar_cycles(drawn(), 1));
}
TEST_CASE("rounds: what is refused?") {
  CHECK(refusal({layer(33, 34)}, 40) ==
        "chip 'drawn', stage graph-to-spatial: layer 'layer' has 33 strips of 34 column blocks; 32 crossbars on the "
        "chip hold neither one strip of all blocks nor all strips of one block at a time");
  CHECK(refusal({layer(20), layer(20)}, 3) == "3 rounds: expected at most 2, into which the weights are cut");
  CHECK(
      refusal({layer(20), layer(20), layer(20)}, 2) ==
      "chip 'drawn', stage graph-to-spatial: 60 crossbars needed, 32 on the chip: 2 rounds do not hold them, 3 would");
}
