// Windows with random attributes the whole way: are the values the reference's, whatever the attributes are?
#include "validation/whole/random_windows.hpp"

#include <doctest/doctest.h>

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random windows: are convolutions and pools of any attributes right on a small chip?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  int fit = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const WindowModel model = random_window(seed);
    CAPTURE(seed);
    CAPTURE(model.text);
    const auto fault = fault_of(model, chip);
    if (!fault) continue;
    ++fit;
    CHECK(*fault == "");
  }
  CHECK(fit >= 36);
}
