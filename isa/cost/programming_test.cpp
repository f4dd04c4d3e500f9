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
