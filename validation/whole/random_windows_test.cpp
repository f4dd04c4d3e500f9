// Windows with random attributes the whole way: are the values the reference's, whatever the attributes are?
#include "validation/whole/random_windows.hpp"

#include <doctest/doctest.h>

#include "validation/whole/many.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random windows: are convolutions and pools of any attributes right on a small chip?") {
  check_many(random_window, isa::load_chip("tiny-4"), 1, 40);
}
