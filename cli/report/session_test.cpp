// Does a program bring the chip that it is for?
#include "cli/report/session.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "isa/program/small_program.hpp"
#include "simulator/chip/simulate.hpp"

using namespace pimento;
using namespace pimento::cli;

TEST_CASE("session: does a program run on the chip that it carries, one whose settings left a key without effect?") {
  isa::Chip chip = isa::with_values(
      isa::load_chip("tiny-4"), {{"core.crossbar.nonideal.seed", "7"}, {"core.crossbar.nonideal.variation", "0.1"}});
  chip = isa::with_values(chip, {{"core.crossbar.nonideal.variation", "0"}});
  const isa::Program program = isa::small_program(chip);
  std::ostringstream out, err;
  const isa::Chip read = chip_of(program, "small.pim", Arguments(parse_usage("[--chip CHIP]"), {}), {out, err});
  CHECK(read.core.crossbar.nonideal.seed == 7);
  CHECK(read.fingerprints == chip.fingerprints);
  sim::Options options;
  options.timing_only = true;
  CHECK(sim::simulate(program, read, options).cycles == sim::simulate(program, chip, options).cycles);
  CHECK(err.str() == "");
}
