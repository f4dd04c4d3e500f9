// Chains of random operators the whole way: are the values the reference's, whatever follows what?
#include "validation/whole/random_chains.hpp"

#include <doctest/doctest.h>

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random chains: are moves, reductions and arithmetic behind each other right on a small chip?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  int fit = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const WindowModel model = random_chain(seed);
    CAPTURE(seed);
    CAPTURE(model.text);
    const auto fault = fault_of(model, chip);
    if (!fault) continue;
    ++fit;
    CHECK(*fault == "");
  }
  CHECK(fit >= 54);
}
