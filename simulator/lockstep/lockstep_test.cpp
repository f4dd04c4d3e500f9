#include <doctest/doctest.h>

#include "isa/program/random.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

TEST_CASE(
    "lockstep: do 216 random programs take the same cycles ahead and in step, with the same contacts and values?") {
  for (std::uint64_t seed = 0; seed < 216; ++seed) {
    const isa::Chip chip = family_chip(seed);
    isa::Program program = isa::random_program(chip, seed);
    if (seed % 4 == 3) program.numerics = Numerics::exact;
    CAPTURE(seed);
    CHECK(disagreement(program, chip, seed) == "");
  }
}

TEST_CASE("lockstep: do 72 random programs agree when the chip's rules are bent at random?") {
  for (std::uint64_t seed = 0; seed < 72 * 5; seed += 5) {
    isa::Chip chip = family_chip(seed);
    bend_at_random(chip, seed);
    const isa::Program program = isa::random_program(chip, seed);
    CAPTURE(seed);
    CHECK(disagreement(program, chip, seed) == "");
  }
}

TEST_CASE("lockstep: do four small programs with messages agree?") {
  const std::vector<std::vector<Lines>> programs = {
      {{"send [0], len 16, core 1, tag 1", "vrelu [0]:i8, [64]:i8, len 16"}, {"recv [0], len 16, core 0, tag 1"}},
      {{"loop 5, body 2", "mvm [256]:i32, [64]:u8, len 4, group 0", "send [256], len 16, core 1, tag 1"},
       {"loop 5, body 2", "recv [0], len 16, core 0, tag 1", "vadd [512]:i32, [512]:i32, [0]:i32, len 4"}},
      {{"recv [0], len 8, core 1, tag 1"}, {"recv [0], len 8, core 0, tag 1"}},
      {{"wait core 0, event 1, value 2", "store [0], [0], len 64"},
       {"load [0], [128], len 64", "sync core 0, event 1, value 2", "store [256], [0], len 64"}}};
  for (const auto& cores : programs)
    for (std::uint64_t n = 0; n < 72 * 5; n += 5) CHECK(disagreement(program(cores), family_chip(n), n) == "");
}

TEST_CASE("lockstep: do 60 random programs agree where products overlap in their array groups?") {
  std::int64_t gained = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    isa::Chip chip = family_chip(seed);
    chip.core.window = 4 + static_cast<int>(seed % 3) * 8;
    const isa::Program program = isa::random_program(chip, seed);
    Options timing;
    timing.timing_only = true;
    const Cycles alone = simulate(program, chip, timing).cycles;
    chip.core.crossbar.overlap = true;
    chip.core.crossbar.stages = static_cast<int>(seed % 2);
    CAPTURE(seed);
    CHECK(disagreement(program, chip, seed) == "");
    gained += seed % 2 == 0 && simulate(program, chip, timing).cycles < alone ? 1 : 0;
  }
  CHECK(gained > 0);
}
