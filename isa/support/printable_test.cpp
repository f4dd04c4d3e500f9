#include "isa/support/printable.hpp"

#include <doctest/doctest.h>

using namespace pimento;

TEST_CASE("printable: can a name steer a terminal or forge a line?") {
  CHECK(printable("conv1/relu") == "conv1/relu");
  CHECK(printable("a\x1b[31mb\x7f") == "a\\x1b[31mb\\x7f");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("one\ntwo\tthree\r") == "one\\ntwo\\tthree\\x0d");
  CHECK(printable("one\ntwo\x07", true) == "one\ntwo\\x07");
  CHECK(printable("größe") == "größe");
}
