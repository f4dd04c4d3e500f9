// The zoo's small networks the whole way: right values, and one number of cycles in every mode and numerics.
#include <doctest/doctest.h>

#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

Cycles cycles(Whole& whole, const isa::Chip& chip, bool timing_only, bool lockstep) {
  whole.options.timing_only = timing_only;
  whole.options.lockstep = lockstep;
  const sim::Result result = simulate(whole, chip);
  CHECK(result.stop == sim::StopReason::finished);
  return result.cycles;
}

void check_network(const std::string& name, const std::string& chip_name) {
  CAPTURE(name);
  CAPTURE(chip_name);
  const isa::Chip chip = isa::load_chip(chip_name);
  const ir::Graph graph = zoo::build(name).graph;
  Whole quantised = make_whole(graph, chip, Numerics::quantised);
  Whole exact = make_whole(graph, chip, Numerics::exact);
  const sim::Result rounded = simulate(quantised, chip);
  const sim::Result real = simulate(exact, chip);
  CHECK_MESSAGE(check(quantised, rounded).passed, to_text(check(quantised, rounded)));
  CHECK_MESSAGE(check(exact, real).passed, to_text(check(exact, real)));
  CHECK(real.cycles == rounded.cycles);
  CHECK(cycles(quantised, chip, true, false) == rounded.cycles);
  CHECK(cycles(quantised, chip, false, true) == rounded.cycles);
}

}  // namespace

TEST_CASE("zoo: is mlp right, in the same cycles in every mode, on every chip that it fits?") {
  for (const std::string chip : {"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144"}) check_network("mlp", chip);
}
TEST_CASE("zoo: is lenet5 right, in the same cycles in every mode?") {
  for (const std::string chip : {"pimsim-nn-64-wide", "pimcomp-144"}) check_network("lenet5", chip);
}
