// What does writing rows of a tile into an array group do and take, and what is refused?
#include <doctest/doctest.h>

#include "isa/program/program.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// One core of 2 crossbars: group 0 holds tile 0 (weights 1 .. 16), group 1 shares its crossbars, group 2 is apart.
/// Tile 1 (weights 101 .. 116) stands in local memory from 256 on.
isa::Program rewriting(const Lines& lines) {
  isa::Program p = program({lines});
  isa::Tile other = p.tiles[0];
  std::vector<std::uint8_t> weights;
  for (int k = 1; k <= 16; ++k) weights.push_back(static_cast<std::uint8_t>(100 + k));
  other.weights = isa::Blob<std::uint8_t>::own(weights);
  p.tiles.push_back(other);
  p.cores[0].groups = {{0, 1, 2}, {isa::no_tile, 1, 2}};
  put(p, 0, 0, {1, 0, 0, 0});  // picks the first row
  put(p, 0, 256, weights);
  watch(p, 32);
  return p;
}
isa::Chip small_chip() {
  isa::Chip chip = plain_chip();
  chip.core.crossbars = 2;
  return chip;
}
constexpr const char* use_old = "mvm [64]:i32, [0]:u8, len 4, group 0";
constexpr const char* use_new = "mvm [80]:i32, [0]:u8, len 4, group 1";
constexpr const char* keep = "store [0], [64], len 32";

std::string refusal(const Lines& lines) {
  try {
    simulate(rewriting(lines), small_chip(), {});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
Cycles cycles(const Lines& lines, const isa::Chip& chip) {
  Options options;
  options.timing_only = true;
  return simulate(rewriting(lines), chip, options).cycles;
}

}  // namespace

TEST_CASE("write: do products before and after it see their own weights, and is every cell counted?") {
  const isa::Chip chip = small_chip();
  const Result r =
      simulate(rewriting({use_old, "write [256] stride 4, x4 len 4, group 1, tile 1, row 0", use_new, keep}), chip, {});
  const std::vector<std::uint8_t>& out = r.outputs.at(0).bytes;
  CHECK(out[0] == 1);  // row 0 of tile 0: 1 2 3 4
  CHECK(out[12] == 4);
  CHECK(out[16] == 101);  // row 0 of tile 1
  CHECK(out[28] == 104);
  for (const EnergyEntry& entry : r.energy)
    if (std::string(entry.event) == "cell programmed") CHECK(entry.count == 16 * chip.cell_columns());
  CHECK(std::any_of(r.energy.begin(), r.energy.end(),
                    [](const EnergyEntry& e) { return std::string(e.event) == "cell programmed"; }));
}
TEST_CASE("write: how long does it take, and whom does it wait for?") {
  isa::Chip chip = small_chip();
  chip.core.window = 1;
  // reads 16 bytes in one cycle, then 4 rows of 10 ns
  CHECK(cycles({"write [256] stride 4, x4 len 4, group 1, tile 1, row 0"}, chip) == 1 + 4 * 10);
  CHECK(cycles({"write [256] stride 4, x2 len 4, group 1, tile 1, row 0",
                "write [264] stride 4, x2 len 4, group 1, tile 1, row 2"},
               chip) == 2 * (1 + 2 * 10));
  chip.core.window = 4;
  const Cycles product = 12;  // one cycle of reading, 10, one of writing
  CHECK(cycles({use_old}, chip) == product);
  // the other group has the crossbars until its product ends
  CHECK(cycles({use_old, "write [256] stride 4, x4 len 4, group 1, tile 1, row 0"}, chip) == product + 41);
  chip.core.crossbars = 4;  // now they stand apart: it begins in the cycle after
  CHECK(cycles({use_old, "write [256] stride 4, x4 len 4, group 1, tile 1, row 0"}, chip) == 1 + 41);
}
TEST_CASE("write: does a chip that does not say how long a row takes leave that part out?") {
  isa::Chip chip = small_chip();
  chip.core.window = 1;
  chip.core.crossbar.program_latency_fs.reset();
  CHECK(cycles({"write [256] stride 4, x4 len 4, group 1, tile 1, row 0"}, chip) == 1);
}
TEST_CASE("write: what is refused?") {
  CHECK(refusal({"write [256] stride 4, x4 len 4, group 1, tile 1, row 0", use_old})
            .find("array group 0 holds no tile") != std::string::npos);
  CHECK(refusal({"write [256] stride 4, x3 len 4, group 1, tile 1, row 0", use_new})
            .find("array group 1 still lacks 1 rows of tile 1") != std::string::npos);
  CHECK(refusal({"write [256] stride 4, x3 len 4, group 1, tile 1, row 1"})
            .find("expected the rows of tile 1 in order, from row 0") != std::string::npos);
  CHECK(refusal({"write [260] stride 4, x4 len 4, group 1, tile 1, row 0"})
            .find("the 4 bytes at 260 are not row 0 of tile 1") != std::string::npos);
}
TEST_CASE("write: must a loop's next turn find the groups that it uses as its first one did?") {
  const char* const half = "write [256] stride 4, x2 len 4, group 0, tile 1, row 0";
  CHECK(refusal({"loop 3, body 2", use_old, half})
            .find("instruction 0 'loop 3, body 2': its body finds array group 0 with tile 0 of 4x4 weights and leaves "
                  "it with tile 1 but for 2 of its 4 rows, expected a tile of the same size for its next turn") !=
        std::string::npos);
  // in the loop inside, too, and seen from the loop outside
  CHECK(refusal({"loop 3, body 3", "loop 2, body 1", use_old, half}).find("'loop 3, body 3': its body finds") !=
        std::string::npos);
  CHECK(refusal({"loop 3, body 3", use_old, "loop 2, body 1", half}).find("'loop 3, body 3': its body finds") !=
        std::string::npos);
  // rows that go on where others stopped are a use as well
  CHECK(refusal({half, "loop 2, body 1", "write [264] stride 4, x2 len 4, group 0, tile 1, row 2"})
            .find("with tile 1 but for 2 of its 4 rows and leaves it with tile 1 of 4x4 weights") != std::string::npos);
  CHECK(refusal({"loop 3, body 2", use_old, "write [256] stride 4, x4 len 4, group 1, tile 1, row 0"})
            .find("its body finds array group 0 with tile 0 of 4x4 weights and leaves it with no tile") !=
        std::string::npos);
  CHECK(refusal({"loop 3, body 2", use_old, "write [256] stride 4, x4 len 4, group 0, tile 1, row 0"}) == "accepted");
}
TEST_CASE("write: may a loop fill a group that lies over one which nobody uses?") {
  const char* const fill = "write [256] stride 4, x4 len 4, group 1, tile 1, row 0";
  const Lines lines = {"loop 3, body 2", fill, use_new, keep};
  const Result r = simulate(rewriting(lines), small_chip(), {});
  CHECK(r.outputs.at(0).bytes[16] == 101);
  CHECK(disagreement(rewriting(lines), small_chip(), 0) == "");
  // but not where it may not run: what is behind it would find another tile
  CHECK(refusal({"loop 0, body 2", fill, use_new, use_old})
            .find("finds array group 1 with no tile and leaves it with tile 1 of 4x4 weights, expected a tile of the "
                  "same size, for it may not run") != std::string::npos);
}
TEST_CASE("write: does a group that lost its crossbars lack no rows any more?") {
  CHECK(refusal({"write [256] stride 4, x2 len 4, group 1, tile 1, row 0",
                 "write [256] stride 4, x4 len 4, group 0, tile 1, row 0", use_new})
            .find("array group 1 holds no tile") != std::string::npos);
}
TEST_CASE("write: do run-ahead and lock-step agree over windows, ports and overlapping products?") {
  const Lines lines = {use_old,
                       "vrelu [512]:i8, [768]:i8, len 64",
                       "write [256] stride 4, x2 len 4, group 1, tile 1, row 0",
                       "mvm [96]:i32, [0]:u8, len 4, group 2",
                       "write [264] stride 4, x2 len 4, group 1, tile 1, row 2",
                       use_new,
                       "mvm [112]:i32, [4]:u8, len 4, group 1",
                       keep};
  for (std::uint64_t n = 0; n < 72; ++n) {
    isa::Chip chip = family_chip(n);
    chip.core.crossbars = 3;
    chip.core.array_group.max_columns = 4;
    chip.core.crossbar.overlap = n % 2 == 0;
    isa::Program p = rewriting(lines);
    p.cores[0].groups = {{0, 1, 2}, {isa::no_tile, 1, 2}, {0, 1, 1}};
    // round the crossbars: 0..2, 0..2, 2..3
    CAPTURE(n);
    CHECK(disagreement(p, chip, n) == "");
    const Result result = simulate(p, chip, {});
    REQUIRE(result.stop == StopReason::finished);
    const std::vector<std::uint8_t>& out = result.outputs.at(0).bytes;
    for (std::size_t column = 0; column < 4; ++column) {
      CHECK(out.at(4 * column) == 1 + column);         // row 0 of tile 0
      CHECK(out.at(16 + 4 * column) == 101 + column);  // row 0 of tile 1
    }
  }
}
