// Does the simulator give, bit for bit, what a plain integer execution of the same program gives?
#include <doctest/doctest.h>

#include "models/zoo/zoo.hpp"
#include "validation/reference/program.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

void check_network(const ir::Graph& graph, const std::string& chip_name, const pim::CalibrationMethod& method = {}) {
  CAPTURE(graph.name);
  CAPTURE(chip_name);
  const isa::Chip chip = isa::load_chip(chip_name);
  const Whole whole = make_whole(graph, chip, Numerics::quantised, 1, method);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const sim::PortData& input : whole.options.inputs) inputs.push_back(input.bytes);
  const auto expected = reference::run_program(whole.compiled.program, chip.core.local_memory.capacity, inputs);
  const sim::Result result = simulate(whole, chip);
  REQUIRE(result.outputs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(result.outputs[i].bytes == expected[i]);
}

}  // namespace

TEST_CASE("integers: is lenet5 the reference's on every chip that it fits, with any calibration?") {
  const ir::Graph graph = zoo::build("lenet5").graph;
  for (const std::string chip : {"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144", "isaac"})
    check_network(graph, chip);
  check_network(graph, "pimcomp-144", {pim::Calibration::adaptive});
}
TEST_CASE("integers: is squeezenet the reference's?") { check_network(zoo::build("squeezenet").graph, "pimcomp-144"); }
TEST_CASE("integers: are random networks the reference's?") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    check_network(random_network(seed), "pimcomp-144");
  }
}
