#include <doctest/doctest.h>

#include "isa/chip/chip_for_tests.hpp"
#include "isa/chip/points.hpp"

using namespace pimento;
using namespace pimento::isa;
namespace {

constexpr const char* analog = "    adc: {bits: 8, latency: 10 cycles}\n";

/// least_chip with an energy of an array read and a supply.
std::string text(const std::string& read_energy, const std::string& supply, const std::string& more = "") {
  return changed(analog,
                 std::string(analog) + "    read_energy: " + read_energy + more + "\n  supply: " + supply + "\n");
}

}  // namespace

TEST_CASE("supply: is a table over the voltage linear between its points, and printed as it stands?") {
  const std::string table = "[4 pJ at 0.8 V, 6 pJ at 1 V, 12 pJ at 1.2 V]";
  for (const auto& [volts, energy] : {std::pair{"0.8 V", 4.0}, {"0.9 V", 5.0}, {"1 V", 6.0}, {"1.1 V", 9.0}}) {
    const Chip chip = parse_chip(text(table, std::string("{voltage: ") + volts + "}"), "c.yaml");
    CHECK(*chip.core.crossbar.read_energy_pj == doctest::Approx(energy));
    CHECK(key_value(chip, "core.crossbar.read_energy") == table);
    CHECK(parse_chip(chip.yaml, "again.yaml").core.crossbar.read_energy_pj == chip.core.crossbar.read_energy_pj);
  }
  const std::string nowhere = changed(analog, std::string(analog) + "    read_energy: " + table + "\n");
  CHECK_FALSE(parse_chip(nowhere, "c.yaml").core.crossbar.read_energy_pj);
}

TEST_CASE("supply: is a table over the outputs read at their mean code, times the law of the voltage?") {
  const std::string law = "{voltage: 1.6 V, nominal: 0.8 V, energy_exponent: 2}";
  const Chip chip = parse_chip(text("[3 pJ at 0, 5 pJ at 4]", law, "\n    mean_output: 1"), "c.yaml");
  CHECK(*chip.core.crossbar.read_energy_pj == doctest::Approx(3.5 * 4));
  for (const double mean : {0.0, 1.0, 4.0}) CHECK(tables_reach(chip, mean));
  for (const double mean : {-0.5, 4.25}) CHECK_FALSE(tables_reach(chip, mean));
  CHECK(has_table_over(chip, Over::mean_output));
  CHECK_FALSE(has_table_over(chip, Over::voltage));
}

TEST_CASE("supply: do times and energies of the core follow their laws, and the network's not?") {
  const Chip chip =
      parse_chip(text("8 pJ", "{voltage: 1.4 V, nominal: 0.7 V, time_exponent: 1, energy_exponent: 3}"), "c.yaml");
  CHECK(chip.core.clock.period_fs == 500'000);
  CHECK(chip.core.crossbar.read_latency_fs == 15'000'000);
  CHECK(chip.network.clock.period_fs == 1'000'000);
  CHECK(*chip.core.crossbar.read_energy_pj == doctest::Approx(64));
  CHECK(key_value(chip, "core.clock") == key_value(parse_chip(least_chip, "c.yaml"), "core.clock"));
  CHECK_FALSE(chip.core.vector.energy_pj);  // unknown stays unknown
}

TEST_CASE("supply: what do wrong tables answer?") {
  const auto answer = [](const char* energy) { return complaint(text(energy, "{voltage: 2 V}")); };
  CHECK(answer("[4 pJ]") == "c.yaml:15:19: 'core.crossbar.read_energy': expected a point, 'VALUE at X', got '4 pJ'");
  CHECK(answer("[4 pJ at 1 V, 3 pJ at 2]").ends_with("expected points over the voltage or over codes, got both"));
  CHECK(answer("[4 pJ at 2 V, 3 pJ at 1 V]")
            .ends_with("expected points in ascending order, got '3 pJ at 1 V' behind '4 pJ at 2 V'"));
  CHECK(answer("[4 pJ at 1 V, 5 pJ at 1.5 V]")
            .ends_with("expected core.supply.voltage within 1 .. 1.5, where the table has points, got 2"));
  CHECK(answer("[4 mW at 1 V]").find("expected an energy with unit") != std::string::npos);
}

TEST_CASE("chip: what do the parts of a chip read, print and refuse?") {
  const auto with = [](const std::string& part) {
    return changed("cores: 4\n", "cores: 4\nparts:\n  - \"" + part + "\"\n");
  };
  const Chip chip = parse_chip(with("bus of 3 wires, 2 per core, 7 mW, unknown"), "c.yaml");
  REQUIRE(chip.parts.size() == 1);
  CHECK(chip.parts[0].name == "bus of 3 wires");
  CHECK(chip.parts[0].count == 2);
  CHECK(chip.parts[0].per_core);
  CHECK(chip.parts[0].power_mw == 7.0);
  CHECK_FALSE(chip.parts[0].area_mm2);
  CHECK(key_value(chip, "parts") == "[\"bus of 3 wires, 2 per core, 7 mW, unknown\"]");
  CHECK(
      complaint(with("bus, 2 per tile, 7 mW, unknown")) ==
      "c.yaml:4:5: 'parts': expected \"NAME, COUNT per core|chip, POWER, AREA\", got 'bus, 2 per tile, 7 mW, unknown'");
  CHECK(complaint(with("bus, 2 per core, 7 pJ, unknown")).find("expected a power") != std::string::npos);
}

TEST_CASE("supply: is what its laws take out of every range refused, not wrapped?") {
  const std::string supply = "{voltage: 50 mV, nominal: 10 V, time_exponent: 10}";
  CHECK_THROWS_AS(parse_chip(text("8 pJ", supply), "c.yaml"), UserError);
}
