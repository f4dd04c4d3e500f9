// ctest: slow
// The question of random_windows_test.cpp, asked of many more models and of a chip with larger crossbars too.
#include <doctest/doctest.h>

#include "validation/whole/many.hpp"
#include "validation/whole/random_windows.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random windows: are 1500 more of them right?") {
  check_many(random_window, isa::load_chip("tiny-4"), 1000, 2199);
  check_many(random_window, isa::load_chip("pimsim-nn-64"), 1000, 1299);
}
