#include "simulator/crossbar/devices.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "isa/instruction/samples.hpp"
#include "simulator/chip/bench.hpp"
#include "simulator/crossbar/analog.hpp"

using namespace pimento;
using namespace pimento::sim;
namespace {

constexpr int rows = 100, cols = 70;

isa::Chip chip_of(const isa::Nonideal& nonideal, bool ideal_adc = true,
                  isa::WeightEncoding encoding = isa::WeightEncoding::flipped) {
  isa::Chip chip;
  isa::Crossbar& x = chip.core.crossbar;
  x.rows = 64;
  x.cols = 128;
  x.rows_active = 48;
  x.cell_bits = 2;
  x.encoding = encoding;
  x.adc.bits = 5;
  x.adc.ideal = ideal_adc;
  x.nonideal = nonideal;
  return chip;
}

isa::Tile random_tile(std::uint64_t seed) {
  isa::Random random(seed);
  isa::Tile tile;
  tile.rows = rows;
  tile.cols = cols;
  std::vector<std::uint8_t> weights;
  for (int k = 0; k < rows * cols; ++k) weights.push_back(static_cast<std::uint8_t>(random.between(0, 255)));
  tile.weights = isa::Blob<std::uint8_t>::own(std::move(weights));
  return tile;
}

std::vector<std::int32_t> inputs(std::uint64_t seed) {
  isa::Random random(seed + 99);
  std::vector<std::int32_t> x;
  for (int r = 0; r < rows; ++r) x.push_back(static_cast<std::int32_t>(random.between(-128, 127)));
  return x;
}

std::vector<std::int32_t> product(const isa::Chip& chip, std::uint64_t index = 0, std::uint64_t seed = 1) {
  AnalogTile tile(random_tile(seed), chip, index);
  std::vector<std::int32_t> sums(cols);
  tile.multiply(inputs(seed), ElementType::i8, sums);
  return sums;
}

/// Root of the mean squared difference from the product of ideal devices.
double error(const isa::Nonideal& nonideal) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto ideal = product(chip_of({}), 0, seed), real = product(chip_of(nonideal), 0, seed);
    for (std::size_t c = 0; c < cols; ++c) sum += std::pow(double(real[c]) - double(ideal[c]), 2);
  }
  return std::sqrt(sum / (4 * cols));
}

/// Cells that are devices, of which nothing is amiss.
isa::Nonideal nearly_none() {
  isa::Nonideal n;
  n.stuck_at_0 = 1e-300;
  return n;
}

}  // namespace

TEST_CASE("devices: are conductances that are exact levels the bit planes' product, bit for bit?") {
  for (const auto encoding :
       {isa::WeightEncoding::offset, isa::WeightEncoding::differential, isa::WeightEncoding::flipped})
    for (const auto sign : {isa::InputSign::offset, isa::InputSign::magnitude})
      for (const bool ideal_adc : {true, false}) {
        isa::Chip chip = chip_of({}, ideal_adc, encoding);
        chip.core.crossbar.signed_inputs = sign;
        const auto planes = product(chip);
        chip.core.crossbar.nonideal = nearly_none();
        CHECK(product(chip) == planes);
      }
}

TEST_CASE("devices: does more of each non-ideality mean more error, and none of it none?") {
  struct Knob {
    const char* name;
    std::function<void(isa::Nonideal&, double)> set;
    std::vector<double> values;
  };
  const std::vector<Knob> knobs{
      {"variation", [](isa::Nonideal& n, double v) { n.variation = v; }, {0, 0.02, 0.1, 0.4}},
      {"stuck_at_0", [](isa::Nonideal& n, double v) { n.stuck_at_0 = v; }, {0, 0.001, 0.01, 0.2}},
      {"stuck_at_1", [](isa::Nonideal& n, double v) { n.stuck_at_1 = v; }, {0, 0.001, 0.01, 0.2}},
      {"read_noise", [](isa::Nonideal& n, double v) { n.read_noise = v; }, {0, 0.001, 0.01, 0.1}},
      {"drift_exponent", [](isa::Nonideal& n, double v) { n.drift_age = 100, n.drift_exponent = v; }, {0, 0.01, 0.1}},
      {"drift_age", [](isa::Nonideal& n, double v) { n.drift_exponent = 0.05, n.drift_age = v; }, {1, 10, 1e6}},
      {"drift_spread",
       [](isa::Nonideal& n, double v) { n.drift_exponent = 0.05, n.drift_age = 20, n.drift_spread = v; },
       {0.01, 1}},
      {"wire_resistance", [](isa::Nonideal& n, double v) { n.wire_resistance = v; }, {0, 1e-5, 1e-4, 1e-3}}};
  for (const Knob& knob : knobs) {
    CAPTURE(knob.name);
    double before = -1;
    for (const double value : knob.values) {
      isa::Nonideal n;
      knob.set(n, value);
      const double now = error(n);
      CHECK(now > before);
      if (!n.any()) CHECK(now == 0);
      before = now;
    }
  }
}

TEST_CASE("devices: are the same seed and tile the same devices, and others others?") {
  isa::Nonideal n;
  n.variation = 0.1;
  n.read_noise = 0.01;
  isa::Nonideal other = n;
  other.seed = 2;
  CHECK(product(chip_of(n)) == product(chip_of(n)));
  CHECK(product(chip_of(n)) != product(chip_of(other)));
  CHECK(product(chip_of(n), 0) != product(chip_of(n), 1));
}

TEST_CASE("devices: can the order of products not change them?") {
  isa::Nonideal n;
  n.read_noise = 0.02;
  const isa::Chip chip = chip_of(n);
  AnalogTile tile(random_tile(1), chip);
  const auto of = [&](std::uint64_t seed) {
    std::vector<std::int32_t> sums(cols);
    tile.multiply(inputs(seed), ElementType::i8, sums);
    return sums;
  };
  const auto a = of(1), b = of(2);
  CHECK(of(2) == b);
  CHECK(of(1) == a);
}

TEST_CASE("devices: is the normal number normal?") {
  // quantiles to six digits: 0.975, 0.5, 0.001
  CHECK(normal(0xF999999999999999ULL) == doctest::Approx(1.959964).epsilon(1e-6));
  CHECK(std::abs(normal(0x8000000000000000ULL)) < 1e-9);
  CHECK(normal(18446744073709551ULL) == doctest::Approx(-3.090232).epsilon(1e-6));
  double sum = 0, squares = 0;
  constexpr int count = 100'000;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double x = normal(bits_for(7, Chance::conductance, 0, k, 0));
    sum += x, squares += x * x;
  }
  CHECK(std::abs(sum / count) < 0.015);  // 4.7 sigma
  CHECK(std::abs(squares / count - 1) < 0.02);
}

TEST_CASE("devices: what does a conductance become after drift, and how far does variation spread?") {
  isa::Nonideal n;
  n.drift_exponent = 0.1;
  n.drift_age = 1000;
  CHECK(Devices(chip_of(n), 0).conductance(3, 1, 1) == doctest::Approx(3 * std::pow(10, -0.3)));
  n = {};
  n.variation = 0.1;
  const Devices varied(chip_of(n), 0);
  double squares = 0;
  for (int k = 0; k < 10'000; ++k) squares += std::pow(varied.conductance(2, k, 5) / 2 - 1, 2);
  CHECK(std::sqrt(squares / 10'000) == doctest::Approx(0.1).epsilon(0.03));
  n = {};
  n.stuck_at_0 = 0.2, n.stuck_at_1 = 0.3;
  const Devices stuck(chip_of(n), 0);
  int at_0 = 0, at_1 = 0;
  for (int k = 0; k < 10'000; ++k) {
    const double g = stuck.conductance(1, k, 5);
    at_0 += g == 0, at_1 += g == 3;
  }
  CHECK(at_0 == doctest::Approx(2000).epsilon(0.1));
  CHECK(at_1 == doctest::Approx(3000).epsilon(0.1));
}

TEST_CASE("devices: what do wires take from two cells of one array?") {
  // Two rows, two columns of largest level 3 (G = 1), r = 0.1, all lines driven at half: 0.05 per segment and current.
  // Word lines: column 0 sees 2, column 1 sees 2 + 1. Bit lines of an array of 3 rows: row 1 has two segments with both
  // rows' currents, 4; row 0 one more with its own, 5.
  isa::Nonideal n;
  n.wire_resistance = 0.1;
  std::vector<float> cells{3, 3, 3, 3};
  Devices(chip_of(n), 0).wire(cells, 2, 0, 2, 3);
  CHECK(cells[0] == doctest::Approx(3 / (1 + 0.05 * (2 + 5))));
  CHECK(cells[1] == doctest::Approx(3 / (1 + 0.05 * (3 + 5))));
  CHECK(cells[2] == doctest::Approx(3 / (1 + 0.05 * (2 + 4))));
  CHECK(cells[3] == doctest::Approx(3 / (1 + 0.05 * (3 + 4))));
}

TEST_CASE("devices: do they change values and no cycle, ahead and in step?") {
  isa::Program program =
      bench::program({{"mvm [1024]:i32, [0]:u8, len 4, group 0", "store [0], [1024], len 16", "halt"}});
  bench::put(program, 0, 0, {9, 200, 31, 77});
  bench::watch(program, 16);
  isa::Chip chip = bench::plain_chip();
  const Result ideal = simulate(program, chip, {});
  chip.core.crossbar.nonideal.variation = 0.3;
  const Result real = simulate(program, chip, {});
  CHECK(real.cycles == ideal.cycles);
  CHECK(real.outputs[0].bytes != ideal.outputs[0].bytes);
  CHECK(bench::disagreement(program, chip, 1) == "");
}

TEST_CASE("account: do a run's own values say where a table of energies over outputs is read?") {
  // One row of 2-bit cells under one digit of 8 bits: with the largest digit, codes of 2 bits are the cells.
  const std::string text = R"(name: few
cores: 1
core:
  clock: 1 GHz
  instruction_memory: 64 KiB
  crossbars: 1
  vector: {lanes: 8, latency: 2 cycles, types: [i8, i32]}
  local_memory: {capacity: 16 KiB, width: 16 B, read_energy: 0 pJ, write_energy: 0 pJ}
  crossbar:
    rows: 1
    cols: 4
    cell_bits: 2
    dac_bits: 8
    read_latency: 1 ns
    read_energy: "TABLE"
    dac_energy: 0 pJ
    shift_add_energy: 0 pJ
    adc: {bits: 2, latency: 1 cycle, energy: 0 pJ}
network: {clock: 1 GHz, topology: mesh, width: 1, height: 1, flit: 8 B}
global_memory: {clock: 1 GHz, capacity: 1 MiB, width: 16 B, attached_to: [0]}
static_power: {core: 0 mW, network: 0 mW, global_memory: 0 mW}
)";
  const auto chip_with = [&](const std::string& table) {
    std::string t = text;
    return isa::parse_chip(t.replace(t.find("\"TABLE\""), 7, table), "few.yaml");
  };
  isa::Program program = bench::program({{"mvm [1024]:i32, [0]:u8, len 1, group 0", "halt"}});
  isa::Tile& tile = program.tiles[0];
  tile.rows = tile.cols = 1;
  tile.weights = isa::Blob<std::uint8_t>::own({0x4E});  // 78 + 128 = 206 = 0b11001110: digits 2, 3, 0, 3
  tile.real = isa::Blob<float>::own({78});
  program.cores[0].groups = {{0, 1, 1}};
  bench::put(program, 0, 0, {255});  // the largest digit: sums are 255 times the cells, codes the cells
  isa::Chip chip = chip_with("[1 pJ at 0, 4 pJ at 3]");
  const auto read_energy = [&](bool timing_only, bool lockstep) {
    Options options;
    options.timing_only = timing_only;
    options.lockstep = lockstep;
    for (const EnergyEntry& e : simulate(program, chip, options).energy)
      if (e.event == "array read") return e.per_event;
    return std::optional<Picojoules>(-1);
  };
  CHECK(*read_energy(false, false) == doctest::Approx(1 + (2 + 3 + 0 + 3) / 4.0));
  CHECK(*read_energy(false, true) == doctest::Approx(3));
  CHECK_FALSE(read_energy(true, false));  // without values nobody knows
  chip = chip_with("[1 pJ at 2.5, 4 pJ at 3]");
  CHECK_FALSE(read_energy(false, false));  // the mean, 2, lies outside of the table: unknown, and the run stands
}
