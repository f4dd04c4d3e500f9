// ctest: slow
// The question of random_networks_test.cpp, asked of many more networks, on every shipped chip, in every numerics.
#include <doctest/doctest.h>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/ir/text.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

/// 1 when the network fits the chip, or -1 when the compiler says that it does not.
int run(std::uint64_t seed, const isa::Chip& chip, Numerics numerics) {
  const ir::Graph graph = random_network(seed);
  CAPTURE(seed);
  CAPTURE(chip.name);
  CAPTURE(to_string(numerics));
  CAPTURE(ir::print(graph, {.inline_elements = 2}));
  try {
    const Whole whole = make_whole(graph, chip, numerics);
    const sim::Result result = simulate(whole, chip);
    CHECK(result.stop == sim::StopReason::finished);
    const NumericalCheck values = check(whole, result);
    CHECK_MESSAGE(values.passed, to_text(values));
  } catch (const pim::NoRoom&) {
    return -1;
  }
  return 1;
}

}  // namespace

TEST_CASE("random networks: do many of them come out right on every chip in every numerics?") {
  for (const std::string& name : isa::shipped_chips()) {
    CAPTURE(name);
    int balance = 0;
    const isa::Chip chip = isa::load_chip(name);
    for (const Numerics numerics : {Numerics::quantised, Numerics::exact, Numerics::f32}) {
      if (numerics == Numerics::f32 && !chip.numerics.f32) continue;
      for (std::uint64_t seed = 1000; seed < 1150; ++seed) balance += run(seed, chip, numerics);
    }
    if (chip.cores > 1) CHECK(balance > 0);  // more of them fit than not
  }
}
