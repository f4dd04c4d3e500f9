// ctest: slow
// The zoo's larger networks one cycle at a time: the oracle's cycles and contacts are those of running ahead.
#include <doctest/doctest.h>

#include <string>

#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;

TEST_CASE("zoo: do the larger networks take the same cycles ahead and in step, with the same contacts and traffic?") {
  struct Row {
    std::string network, chip;
  };
  for (const Row& row : {Row{"resnet20", "pimcomp-144"},
                         {"vgg8", "pimsim-nn-64-wide"},
                         {"squeezenet", "pimcomp-144"},
                         {"transformer_block", "pimsim-nn-64-wide"},
                         {"mobilenet_v2", "pimcomp-144"},
                         {"resnet18", "pimsim-nn-64-wide"},
                         {"resnet50", "pimsim-nn-64-wide"}}) {
    CAPTURE(row.network);
    CAPTURE(row.chip);
    const isa::Chip chip = isa::load_chip(row.chip);
    const isa::Program program = compile_graph(zoo::build(row.network).graph, chip, {}).program;
    sim::Options options;
    options.timing_only = true;
    options.record_contacts = true;
    const sim::Result ahead = sim::simulate(program, chip, options);
    options.lockstep = true;
    const sim::Result stepped = sim::simulate(program, chip, options);
    CHECK(ahead.stop == sim::StopReason::finished);
    CHECK(sim::bench::difference(ahead, stepped) == "");
  }
}
