#include "isa/cost/programming.hpp"

#include <doctest/doctest.h>

using namespace pimento;
using namespace pimento::isa;

namespace {

/// Core 0 holds two tiles, core 1 one of them.
Program loaded() {
  Program p;
  for (const int rows : {8, 20}) {
    Tile& tile = p.tiles.emplace_back();
    tile.rows = rows;
    tile.cols = 4;
  }
  p.cores.resize(3);
  p.cores[0].groups = {{0, 1, 1}, {1, 1, 1}, {no_tile, 1, 1}};
  p.cores[1].groups = {{1, 1, 1}};
  return p;
}

}  // namespace

TEST_CASE("programming: do cores write at once and the groups of a core one after another?") {
  const Chip chip = with_values(load_chip("tiny-4"),
                                {{"core.crossbar.program_latency", "1 us"}, {"core.crossbar.program_energy", "2 pJ"}});
  const cost::Programming p = cost::initial_programming(chip, loaded());
  CHECK(p.groups == 3);
  CHECK(p.cells == (8 + 20 + 20) * 4 * chip.columns_per_weight());
  CHECK(p.cycles == (8 + 20) * (1'000'000'000 / chip.core.clock.period_fs));
  CHECK(p.energy == doctest::Approx(2.0 * static_cast<double>(p.cells)));
  CHECK(p.unknown.empty());
}

TEST_CASE("programming: is what the chip does not say unknown, with its key, and never zero?") {
  const cost::Programming p = cost::initial_programming(load_chip("pimcomp-144"), loaded());
  CHECK_FALSE(p.cycles.has_value());
  CHECK_FALSE(p.energy.has_value());
  CHECK(p.unknown == std::vector<std::string>{"core.crossbar.program_latency", "core.crossbar.program_energy"});
}

TEST_CASE("programming: does a program without weights take nothing on any chip?") {
  Program p;
  p.cores.resize(2);
  const cost::Programming none = cost::initial_programming(load_chip("pimcomp-144"), p);
  CHECK(none.cycles == 0);
  CHECK(none.energy == 0.0);
  CHECK(none.unknown.empty());
}

TEST_CASE("programming: what does a program write while it runs?") {
  const Chip chip = with_values(load_chip("tiny-4"),
                                {{"core.crossbar.program_latency", "1 us"}, {"core.crossbar.program_energy", "2 pJ"}});
  Program p = loaded();
  // 20 rows of 4 bytes in two pieces on core 0; 8 rows at once, three times over, on core 1
  p.cores[0].instructions = Blob<Instruction>::own({parse("write [0] stride 4, x16 len 4, group 2, tile 1, row 0"),
                                                    parse("write [64] stride 4, x4 len 4, group 2, tile 1, row 16")});
  p.cores[1].instructions =
      Blob<Instruction>::own({parse("loop 3, body 1"), parse("write [0] stride 4, x8 len 4, group 0, tile 0, row 0")});
  const cost::Rewriting r = cost::rewriting(chip, p);
  CHECK(r.groups == 1 + 3);
  CHECK(r.cells == (20 + 3 * 8) * 4 * chip.columns_per_weight());
  CHECK(r.bytes == (20 + 3 * 8) * 4);
  CHECK(r.energy == doctest::Approx(2.0 * static_cast<double>(r.cells)));
  const Cycles row = 1'000'000'000 / chip.core.clock.period_fs;
  // reading 32 bytes takes some cycles, three times
  CHECK(r.cycles.value() > 24 * row);
  CHECK(r.cycles.value() < 25 * row);
  CHECK(cost::rewriting(chip, loaded()).groups == 0);
  const cost::Rewriting unknown = cost::rewriting(load_chip("pimcomp-144"), p);
  CHECK_FALSE(unknown.cycles.has_value());
  CHECK(unknown.bytes == r.bytes);
}
