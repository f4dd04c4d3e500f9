// Every chip in configs/chips is compiled for and run; a chip that has no room for a network says so.
#include <doctest/doctest.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/shipped.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("shipped chips: does each run lenet5 with right values, or say that it is too small?") {
  run_on_shipped_chips(zoo::build("lenet5").graph, {"isaac", "pimcomp-144", "pimsim-nn-64", "pimsim-nn-64-as-built",
                                                    "pimsim-nn-64-wide", "puma", "sram-cim-64", "tiny-4"});
}

TEST_CASE("shipped chips: do 16 bits lose less than 8, though sums stay within 32 bits?") {
  const ir::Graph graph = zoo::build("lenet5").graph;
  const auto sqnr = [&](const std::string& name) {
    const isa::Chip chip = isa::load_chip(name);
    const Whole whole = make_whole(graph, chip, Numerics::quantised);
    return check(whole, simulate(whole, chip)).outputs.at(0).sqnr_db.value();
  };
  CHECK(sqnr("isaac") > sqnr("pimcomp-144") + 20);
}

TEST_CASE("shipped chips: is one product of the published machines as long as published?") {
  const auto product = [](const std::string& name, isa::cost::TileShape tile) {
    return isa::cost::mvm_compute(isa::load_chip(name), tile, ElementType::u16);
  };
  CHECK(product("puma", {128, 128, 1, 8}) == 2304);  // at 1 GHz
  // ISAAC: 16 steps of 100 ns, and one for the last conversions, of 128 cycles each
  CHECK(product("isaac", {128, 128, 1, 8}) == 17 * 128);
}

TEST_CASE("shipped chips: does ISAAC's tile take 330 mW at full rate, and its chip 85.4 mm2?") {
  const isa::Chip chip = isa::load_chip("isaac");
  const isa::Crossbar& x = chip.core.crossbar;
  // in one step of 100 ns: every array read, 128 rows driven and columns converted; 1 KB of the eDRAM; two vector lanes
  const double arrays = 96 * (*x.read_energy_pj + 128 * (*x.dac_energy_pj + *x.adc.energy_pj + *x.shift_add_energy_pj));
  const double memory = 32 * *chip.core.local_memory.read_energy_pj;
  const double vectors = 128 * 2 * *chip.core.vector.energy_pj;
  const double routers = 42.0 / 4 * 100;
  CHECK((arrays + memory + vectors + routers) / 100 == doctest::Approx(329.8).epsilon(0.002));  // pJ / ns = mW
  const isa::Area& area = chip.area;
  CHECK(chip.cores * *area.core_mm2 + *area.network_mm2 + *area.global_memory_mm2 ==
        doctest::Approx(85.42).epsilon(0.002));
}
