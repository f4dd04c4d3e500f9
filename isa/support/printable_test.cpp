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

TEST_CASE("printable: are bytes that are no UTF-8 written out, and those that are left alone?") {
  const std::string good = "h\xc3\xa4ndler \xe2\x82\xac \xf0\x9f\x8c\xb6";
  CHECK(printable(good) == good);
  CHECK(printable("a\xff"
                  "b\xc3") == "a\\xffb\\xc3");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // a '/' that is too long
  CHECK(printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");  // the same
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half a surrogate pair
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");  // an escape sequence of one character
}
