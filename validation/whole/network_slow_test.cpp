// ctest: slow
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "models/zoo/zoo.hpp"
#include "validation/whole/network.hpp"

using namespace pimento;
using namespace pimento::validation;

// Of the zoo's other networks, alexnet, resnet101, resnet152 and those named vgg11 and up have more weights than the
// chip.
TEST_CASE("network: do messages and flits take the cycles of the zoo's larger networks within 5 % on pimcomp-144?") {
  for (const std::string network :
       {"resnet18", "resnet20", "resnet34", "resnet50", "squeezenet", "vgg8", "transformer_block", "mobilenet_v2"}) {
    const Levels cycles = by_message_and_by_flit(zoo::build(network).graph, isa::load_chip("pimcomp-144"));
    MESSAGE(network, ": ", cycles.message, " by message, ", cycles.flit, " by flit");
    CHECK(std::abs(cycles.deviation()) < 0.05);
  }
}
