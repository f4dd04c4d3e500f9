// Random networks the whole way: are values right and cycles one number, however the program is run?
#include <doctest/doctest.h>

#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"
#include "validation/whole/contacts.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

/// The network's program on this chip, or nothing when it does not fit: then the message says what is short.
std::optional<Whole> fitting(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics) {
  try {
    return make_whole(graph, chip, numerics);
  } catch (const UserError& fault) {
    const std::string message = fault.what();
    const bool room = message.find("on the chip") != std::string::npos || message.find("on chip") != std::string::npos;
    if (!room) throw;
    return {};
  }
}

}  // namespace

TEST_CASE("random networks: are the values of exact numerics the reference's?") {
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ir::Graph graph = random_network(seed);
    CAPTURE(seed);
    CAPTURE(ir::print(graph, {.inline_elements = 2}));
    const auto whole = fitting(graph, chip, Numerics::exact);
    REQUIRE(whole);
    const sim::Result result = simulate(*whole, chip);
    REQUIRE(result.stop == sim::StopReason::finished);
    const NumericalCheck values = check(*whole, result);
    CHECK_MESSAGE(values.passed, to_text(values));
  }
}
TEST_CASE("random networks: are the cycles the same with values, without, in exact numerics and in lockstep?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  int fit = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const ir::Graph graph = random_network(seed);
    CAPTURE(seed);
    CAPTURE(ir::print(graph, {.inline_elements = 2}));
    const auto quantised = fitting(graph, chip, Numerics::quantised);
    if (!quantised) continue;
    ++fit;
    const sim::Result result = run_every_way(*quantised, chip);
    const NumericalCheck values = check(*quantised, result);
    CHECK_MESSAGE(values.passed, to_text(values));
    const auto exact = fitting(graph, chip, Numerics::exact);
    REQUIRE(exact);
    CHECK(simulate(*exact, chip).cycles == result.cycles);
  }
  CHECK(fit >= 10);
}
TEST_CASE("random networks: does the unrolled program make the same contacts and the same values?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  int fit = 0;
  for (std::uint64_t seed = 200; seed < 215; ++seed) {
    CAPTURE(seed);
    auto whole = fitting(random_network(seed), chip, Numerics::quantised);
    if (!whole) continue;
    ++fit;
    whole->options.record_contacts = true;
    const sim::Result looped = simulate(*whole, chip);
    const auto contacts = exchanges(whole->compiled.program, looped);
    whole->compiled.program = isa::unroll(whole->compiled.program);
    const sim::Result unrolled = simulate(*whole, chip);
    CHECK(unrolled.mvms == looped.mvms);
    CHECK(unrolled.vector_instructions == looped.vector_instructions);
    CHECK(first_difference(contacts, exchanges(whole->compiled.program, unrolled)) == "");
    REQUIRE(unrolled.outputs.size() == looped.outputs.size());
    for (std::size_t o = 0; o < looped.outputs.size(); ++o) CHECK(unrolled.outputs[o].bytes == looped.outputs[o].bytes);
  }
  CHECK(fit >= 5);
}
