// ctest: slow
// The question of random_chains_test.cpp, asked of many more.
#include <doctest/doctest.h>

#include "validation/whole/random_chains.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random chains: are 1500 more of them right?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  int fit = 0;
  for (std::uint64_t seed = 1000; seed < 2500; ++seed) {
    const WindowModel model = random_chain(seed);
    CAPTURE(seed);
    CAPTURE(model.text);
    const auto fault = fault_of(model, chip);
    if (!fault) continue;
    ++fit;
    CHECK(*fault == "");
  }
  CHECK(fit >= 1350);
}
