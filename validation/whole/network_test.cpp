// Whole networks over every topology and level: the same values whatever carries them, and nearly the same cycles
// whether messages or flits are simulated.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "models/zoo/zoo.hpp"
#include "validation/whole/network.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("network: do messages and flits take a small network's cycles within 5 %, on the shipped chips?") {
  for (const std::string network : {"mlp", "lenet5"})
    for (const std::string name : {"pimcomp-144", "sram-cim-64", "puma", "isaac"}) {
      CAPTURE(network);
      CAPTURE(name);
      const Levels cycles = by_message_and_by_flit(zoo::build(network).graph, isa::load_chip(name));
      MESSAGE(network, " on ", name, ": ", cycles.message, " by message, ", cycles.flit, " by flit");
      CHECK(std::abs(cycles.deviation()) < 0.05);
    }
}

TEST_CASE("network: are values right and the same over every topology, by message and by flit, ahead and in step?") {
  const ir::Graph graph = zoo::build("mlp").graph;
  using Values = std::map<std::string, std::string>;
  for (const Values& values :
       {Values{{"network.topology", "torus"}}, Values{{"network.topology", "ring"}},
        Values{{"network.topology", "crossbar"}}, Values{{"network.topology", "tree"}, {"network.tree_arity", "4"}},
        Values{{"network.cores_per_router", "4"}, {"network.width", "4"}, {"network.height", "4"}}})
    for (const std::string level : {"message", "flit"}) {
      const isa::Chip chip =
          isa::with_values(isa::with_values(isa::load_chip("sram-cim-64"), values), {{"network.level", level}});
      CAPTURE(chip.network.topology);
      CAPTURE(level);
      const Whole whole = make_whole(graph, chip, Numerics::quantised);
      const NumericalCheck right = check(whole, run_every_way(whole, chip));
      CHECK_MESSAGE(right.passed, to_text(right));
    }
}
