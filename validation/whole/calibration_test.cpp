// Calibration the whole way: what each method leaves of a network's outputs, at no cost in time.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

struct Outcome {
  double sqnr_db = 0;
  Cycles cycles = 0;
  std::int64_t instructions = 0;
};
Outcome outcome(const ir::Graph& graph, const isa::Chip& chip, pim::Calibration kind) {
  const Whole whole = make_whole(graph, chip, Numerics::quantised, 1, {kind});
  const sim::Result result = simulate(whole, chip);
  return {check(whole, result).outputs.at(0).sqnr_db.value(), result.cycles, result.instructions};
}

}  // namespace

TEST_CASE("calibration: does adaptive rounding leave a network more than min-max does, in the same cycles?") {
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  for (const std::string name : {"lenet5", "squeezenet"}) {
    const ir::Graph graph = zoo::build(name).graph;
    const Outcome plain = outcome(graph, chip, pim::Calibration::min_max);
    const Outcome adapted = outcome(graph, chip, pim::Calibration::adaptive);
    CHECK_MESSAGE(adapted.sqnr_db > plain.sqnr_db + 2,
                  fmt::format("{}: {} dB with min-max, {} dB adaptive", name, plain.sqnr_db, adapted.sqnr_db));
    CHECK(adapted.cycles == plain.cycles);
    CHECK(adapted.instructions == plain.instructions);
  }
}
