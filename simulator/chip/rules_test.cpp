// What each rule of the chip section `rules` that concerns two instructions or two messages does: the smallest program
// that shows it, before and after.
#include <doctest/doctest.h>

#include "simulator/chip/simulate.hpp"

using namespace pimento;

namespace {
using Values = std::map<std::string, std::string>;

/// Four cores, window 4: one access of local memory and one vector pass take 10 cycles, so that what waits shows.
Cycles cycles(const std::string& program, const Values& rules) {
  Values values{{"core.window", "4"},
                {"core.local_memory.read_latency", "10 cycles"},
                {"core.local_memory.write_latency", "10 cycles"},
                {"core.local_memory.ports", "2"},
                {"core.vector.latency", "10 cycles"},
                {"network.topology", "table"},
                {"network.table", "[[0,9,9,9,9],[9,0,9,9,9],[9,9,0,9,9],[9,9,9,0,9],[9,9,9,9,0]]"},
                {"network.receive_buffer_messages", "0"},
                {"network.multicast", "false"}};
  values.insert(rules.begin(), rules.end());
  const isa::Chip chip = isa::with_values(isa::load_chip("tiny-4"), values);
  std::string text = ".model \"rules\"\n.numerics quantised\n" + program;
  for (const char* core : {".core 0\n", ".core 1\n", ".core 2\n", ".core 3\n"})
    if (program.find(core) == std::string::npos) text += core;
  const isa::Program assembled = isa::assemble(text, "rules");
  isa::verify_program(assembled, chip);
  sim::Options options;
  options.timing_only = true;
  const sim::Result result = sim::simulate(assembled, chip, options);
  REQUIRE(result.stop == sim::StopReason::finished);
  options.lockstep = true;
  CHECK(sim::simulate(assembled, chip, options).cycles == result.cycles);
  return result.cycles;
}
/// Cycles with the rule less cycles without.
Cycles adds(const std::string& program, const std::string& rule, const Values& also = {}) {
  Values with = also;
  with["rules." + rule] = "true";
  return cycles(program, with) - cycles(program, also);
}
}  // namespace

TEST_CASE("rules: may a later write overtake an earlier one where that is unchecked?") {
  // The move is free of the addition but for the byte that both write.
  CHECK(adds(".core 0\n  vadd [0]:i8, [512]:i8, [1024]:i8, len 16\n  move [0], [2048], len 16\n",
             "write_after_write_unchecked") < 0);
  CHECK(adds(".core 0\n  vadd [0]:i8, [512]:i8, [1024]:i8, len 16\n  move [256], [2048], len 16\n",
             "write_after_write_unchecked") == 0);
}

TEST_CASE("rules: does a write wait for the end of an earlier reader, not only for its reading?") {
  CHECK(adds(".core 0\n  vadd [0]:i8, [512]:i8, [1024]:i8, len 16\n  move [512], [2048], len 16\n",
             "write_after_read_waits_for_end") > 0);
  CHECK(adds(".core 0\n  vadd [0]:i8, [512]:i8, [1024]:i8, len 16\n  move [528], [2048], len 16\n",
             "write_after_read_waits_for_end") == 0);
}

TEST_CASE("rules: do ranges conflict that only touch?") {
  const auto reads = [](int from) {
    return ".core 0\n  vadd [0]:i8, [512]:i8, [1024]:i8, len 16\n  move [2048], [" + std::to_string(from) +
           "], len 16\n";
  };
  CHECK(adds(reads(16), "touching_ranges_conflict") > 0);
  CHECK(adds(reads(17), "touching_ranges_conflict") == 0);
}

TEST_CASE("rules: is a load's local address 0 for hazards?") {
  const auto loads = [](int writes, int to) {
    return ".core 0\n  vadd [" + std::to_string(writes) + "]:i8, [512]:i8, [1024]:i8, len 16\n  load [" +
           std::to_string(to) + "], [0], len 16\n";
  };
  CHECK(adds(loads(0, 4096), "load_hazards_at_zero") > 0);     // a conflict that is none
  CHECK(adds(loads(4096, 4096), "load_hazards_at_zero") < 0);  // one that is not seen
  CHECK(adds(loads(256, 4096), "load_hazards_at_zero") == 0);
}

TEST_CASE("rules: do request and grant take a flit each, before the data are read?") {
  // 9 cycles there and 9 back.
  CHECK(adds(".core 0\n  send [0], len 16, core 1, tag 0\n.core 1\n  recv [0], len 16, core 0, tag 0\n",
             "request_and_grant") == 18);
}

TEST_CASE("rules: does a send end early, and what it sends next leave in its turn?") {
  const std::string program =
      ".core 0\n  send [0], len 256, core 1, tag 0\n  send [0], len 16, core 2, tag 0\n"
      ".core 1\n  recv [0], len 256, core 0, tag 0\n.core 2\n  recv [0], len 16, core 0, tag 0\n"
      "  vadd [1024]:i8, [0]:i8, [512]:i8, len 1024\n";
  // The second message leaves while the first is still on its way, unless messages leave one after the other.
  CHECK(adds(program, "sends_end_early") < 0);
  CHECK(adds(program, "messages_in_turn") == 0);
  CHECK(adds(program, "messages_in_turn", {{"rules.sends_end_early", "true"}}) > 0);
}

TEST_CASE("rules: are steps that do not divide evenly rounded down?") {
  // 8 bits in steps of 3: 3, or 2 when rounded down.
  const std::string program =
      ".tile rows 32 cols 8 crossbars 1 1 type i8 bytes 256 reals 0\n.core 0\n.group crossbars 1 1 tile 0\n"
      "  mvm [1024]:i32, [0]:u8, len 32, group 0\n";
  CHECK(adds(program, "rounded_down", {{"core.crossbar.dac_bits", "3"}}) < 0);
}
