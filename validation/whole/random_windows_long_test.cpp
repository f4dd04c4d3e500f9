// ctest: slow
// The question of random_windows_test.cpp, asked of many more models and of a chip with larger crossbars too.
#include <doctest/doctest.h>

#include "validation/whole/random_windows.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random windows: are 1500 more of them right?") {
  for (const char* name : {"tiny-4", "pimsim-nn-64"}) {
    const isa::Chip chip = isa::load_chip(name);
    int fit = 0;
    int asked = 0;
    for (std::uint64_t seed = 1000; seed < (chip.name == "tiny-4" ? 2200U : 1300U); ++seed) {
      const WindowModel model = random_window(seed);
      CAPTURE(name);
      CAPTURE(seed);
      CAPTURE(model.text);
      const auto fault = fault_of(model, chip);
      ++asked;
      if (!fault) continue;
      ++fit;
      CHECK(*fault == "");
    }
    CHECK(fit * 100 >= asked * 90);
  }
}
