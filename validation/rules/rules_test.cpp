#include "validation/rules/rules.hpp"

#include <doctest/doctest.h>

#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using isa::peers::micro;
using isa::peers::micro_names;

TEST_CASE("rules: do the steps from pimsim-nn's code to its documents add up to the whole difference?") {
  const isa::Chip bent = isa::load_chip("pimsim-nn-64-as-built"), plain = isa::load_chip("pimsim-nn-64");
  for (const std::string& name : micro_names()) {
    CAPTURE(name);
    std::vector<std::string> warnings;
    const isa::Program program = isa::peers::load_peer_program(micro(name), bent, warnings);
    const validation::RuleTable table = validation::rule_table(program, bent);
    CHECK(table.steps.size() == 15);
    Cycles sum = 0;
    for (const validation::RuleStep& each : table.steps) sum += each.step;
    CHECK(sum == table.with_rules - table.without);
    CHECK(validation::rule_table(program, plain).with_rules == table.without);
  }
}

TEST_CASE("rules: what does one MVM owe to each of them?") {
  // 5199 there: 5168 of computing and 2 of writing, 16 accesses to read 8 times 128 bytes of 64 (2 without the rule),
  // 2 before the first issue, and 1 before its start, 1 behind its end, 1 more behind an MVM's; 8 instructions of 1
  // cycle and one wait for the window are the rest.
  const isa::Chip bent = isa::load_chip("pimsim-nn-64-as-built");
  std::vector<std::string> warnings;
  const isa::Program program = isa::peers::load_peer_program(micro("mvmul_x1"), bent, warnings);
  const validation::RuleTable table = validation::rule_table(program, bent);
  const auto step = [&](const std::string& rule) {
    for (const validation::RuleStep& each : table.steps)
      if (each.rule == rule) return each.step;
    FAIL(rule);
    return Cycles{-1};
  };
  CHECK(table.with_rules == 5199);
  CHECK(step("mvm_input_reads") == 14);
  CHECK(step("first_issue") == 2);
  CHECK(step("start_latency") == 1);
  CHECK(step("retire_latency") == 1);
  CHECK(step("mvm_retire_latency") == 1);
  CHECK(step("load_data_free") == 0);
  CHECK(validation::print(table).find("mvm_input_reads                 8 -> 1") != std::string::npos);
}

TEST_CASE("rules: has a chip without them an empty table?") {
  const isa::Chip plain = isa::load_chip("pimsim-nn-64");
  std::vector<std::string> warnings;
  const isa::Program program = isa::peers::load_peer_program(micro("vvadd_128_x3"), plain, warnings);
  CHECK(validation::rule_table(program, plain).steps.empty());
}
