// Compiled networks in pimsim-nn's form: the same work and messages, in nearly the same time.
#include <doctest/doctest.h>

#include "isa/peers/peer_files_for_tests.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {
sim::Result timed(const isa::Program& program, const isa::Chip& chip) {
  sim::Options options;
  options.timing_only = true;
  sim::Result result = sim::simulate(program, chip, options);
  REQUIRE(result.stop == sim::StopReason::finished);
  return result;
}
}  // namespace

TEST_CASE("emit: does a network compiled for pimsim-nn's chip do the same there?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const isa::peers::Folder folder;
  for (const char* name : {"mlp", "lenet5"}) {
    CAPTURE(name);
    const isa::Program ours = make_whole(zoo::build(name).graph, chip, Numerics::quantised).compiled.program;
    const isa::peers::WriteReport report =
        isa::peers::write_peer_json(ours, chip, folder.at("p.json.gz"), {.times_only = true});
    CHECK(report.times_only > 0);  // each layer's results are scaled to 8 bits
    std::vector<std::string> warnings;
    const isa::Program theirs = isa::peers::load_peer_program(folder.at("p.json.gz"), chip, warnings);
    CHECK(warnings.empty());
    const sim::Result here = timed(ours, chip), there = timed(theirs, chip);
    CHECK(there.mvms == here.mvms);
    CHECK(there.messages == here.messages);
    CHECK(there.injected == here.injected);
    // Registers to load, and copies where there is no view: less than 3 % more, or less by what loops cost.
    CHECK(there.cycles > here.cycles * 97 / 100);
    CHECK(there.cycles < here.cycles * 103 / 100);
    CHECK_THROWS_WITH_AS(isa::peers::write_peer_json(ours, chip, folder.at("q.json")), doctest::Contains("(node '"),
                         UserError);
  }
}
