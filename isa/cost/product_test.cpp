#include <doctest/doctest.h>

#include "isa/chip/chip_for_tests.hpp"
#include "isa/cost/cost.hpp"

using namespace pimento;
using namespace pimento::isa;
namespace {

/// Reads of 30 cycles, 64 columns on 4 converters of 10 cycles: a slice takes 30 + 160 (1 GHz).
Chip chip_with(std::map<std::string, std::string> values) {
  values.try_emplace("core.crossbar.adc.per_crossbar", "4");
  return with_values(parse_chip(least_chip, "c.yaml"), values);
}
constexpr cost::TileShape whole{128, 16, 1, 1};
Cycles product(std::map<std::string, std::string> values, ElementType type = ElementType::u8) {
  values["core.crossbar.pipelined"] = "false";
  return cost::mvm_compute(chip_with(std::move(values)), whole, type);
}

}  // namespace

TEST_CASE("product: what do pulses of inputs take?") {
  CHECK(product({}) == 8 * (30 + 160));
  CHECK(product({{"core.crossbar.dac_bits", "4"}}) == 2 * (30 + 160));
  CHECK(product({{"core.crossbar.dac_bits", "4"}, {"core.crossbar.input", "pulse_count"}}) == 2 * (15 * 30 + 160));
  CHECK(product({{"core.crossbar.dac_bits", "4"}, {"core.crossbar.input", "pulse_width"}}) == 2 * (16 * 30 + 160));
}

TEST_CASE("product: has a magnitude a bit less, and the last slice what is left?") {
  const std::map<std::string, std::string> pulses{{"core.crossbar.dac_bits", "4"},
                                                  {"core.crossbar.input", "pulse_count"},
                                                  {"core.crossbar.signed_inputs", "magnitude"}};
  CHECK(product(pulses, ElementType::i8) == (15 + 7) * 30 + 2 * 160);
  CHECK(product(pulses, ElementType::u8) == (15 + 15) * 30 + 2 * 160);
  CHECK(product({{"core.crossbar.input_bits", "1"}, {"core.crossbar.signed_inputs", "magnitude"}}, ElementType::i8) ==
        30 + 160);
}

TEST_CASE("product: do conversions take time by their bits, fewer for later slices?") {
  // 16 columns to a converter, each 10 + 6 * 2 cycles; the second slice's 4 bits fewer
  std::map<std::string, std::string> steps{{"core.crossbar.dac_bits", "4"},
                                           {"core.crossbar.adc.steps", "6"},
                                           {"core.crossbar.adc.step_latency", "2 cycles"}};
  CHECK(product(steps) == 2 * (30 + 16 * 22));
  steps["core.crossbar.adc.fewer_steps"] = "true";
  CHECK(product(steps) == 2 * 30 + 16 * 22 + 16 * 14);
}

TEST_CASE("product: what do phases, stages, rows and columns add?") {
  CHECK(product({{"core.crossbar.phases", "4"}}) == 4 * 8 * (30 + 160));
  CHECK(product({{"core.crossbar.adc.per_crossbar", "0"}}) == 8 * 30);
  // 128 rows in 2 stages of 1 ns each, 4 + 3 columns of 2 ns; a stage is as long as a slice
  CHECK(product({{"core.crossbar.adc.per_crossbar", "0"},
                 {"core.crossbar.stages", "2"},
                 {"core.crossbar.row_latency", "1 ns"},
                 {"core.crossbar.column_latency", "2 ns"},
                 {"core.crossbar.extra_columns", "3"}}) == 8 * 3 * (30 + 64 + 14));
  const Chip c = chip_with({{"core.crossbar.stages", "2"}});
  CHECK(cost::mvm_compute(c, whole, ElementType::u8) == 30 + 8 * 160 + 2 * 160);
}

TEST_CASE("product: what keeps an array group when products overlap?") {
  const Chip c = chip_with({{"core.crossbar.overlap", "true"}});
  CHECK(cost::mvm_occupancy(c, whole, ElementType::u8) == 8 * 160);
  Instruction i;
  i.opcode = Opcode::mvm;
  i.type_a = ElementType::u8;
  i.type_d = ElementType::i32;
  i.len = 128;
  i.count = 1;
  CHECK(cost::mvm(c, whole, i).occupies == 8 * 160);
  CHECK(cost::mvm(chip_with({}), whole, i).occupies == -1);
}

TEST_CASE("product: what is counted without converters, and how many cells are written?") {
  const Chip c = chip_with({{"core.crossbar.adc.per_crossbar", "0"}, {"core.crossbar.extra_columns", "3"}});
  Instruction i;
  i.opcode = Opcode::mvm;
  i.type_a = ElementType::u8;
  i.len = 128;
  i.count = 1;
  const cost::Events e = cost::events(c, i, &whole);
  CHECK(e.crossbar_reads == 8);
  CHECK(e.adc_conversions == 0);
  CHECK(e.shift_adds == 8 * 64);
  CHECK(c.weights_per_crossbar_row() == 64 / (4 + 3));
  i.opcode = Opcode::program;
  CHECK(cost::events(c, i, &whole).cells_programmed == 128 * 16 * 4);
}
