#include "isa/support/counted.hpp"

#include <doctest/doctest.h>

using pimento::counted;

TEST_CASE("counted: is one thing one, and any other number several?") {
  CHECK(counted(1, "byte") == "1 byte");
  CHECK(counted(0, "byte") == "0 bytes");
  CHECK(counted(21, "column block") == "21 column blocks");
  CHECK(counted(std::size_t{2}, "row") == "2 rows");
}
