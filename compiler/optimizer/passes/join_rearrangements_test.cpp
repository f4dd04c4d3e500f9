#include <fmt/format.h>

#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

namespace {
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
const std::string pass = "join-rearrangements";
}  // namespace

TEST_CASE("join-rearrangements: do windows cut out of an image keep their dimensions?") {
  const std::string text =
      changes(pass,
              "graph g (%x : f32[1,4,6,3]) {\n  %s = reshape %x {shape = [1, 2, 2, 2, 3, 3]} : f32[1,2,2,2,3,3] from "
              "\"s\"\n  %t = transpose %s {perm = [0, 1, 3, 2, 4, 5]} : f32[1,2,2,2,3,3] from \"t\"\n"
              "  %y = reshape %t {shape = [4, 6, 3]} : f32[4,6,3] from \"y\"\n  return %y\n}",
              1);
  CHECK(holds(text,
              "%t = rearrange %x {perm = [0, 1, 3, 2, 4, 5], shape = [1, 2, 2, 2, 3, 3], split = [1, 2, 2, 2, 3, 3]} : "
              "f32[1,2,2,2,3,3] from \"s+t\""));
  CHECK(holds(text, "%y = reshape %t {shape = [4, 6, 3]}"));
}
TEST_CASE("join-rearrangements: what do two in a row become?") {
  const std::string heads = "  %s = reshape %x {shape = [4, 2, 3]} : f32[4,2,3] from \"s\"\n";
  const std::string swap = "  %y = transpose %s {perm = [1, 0, 2]} : f32[2,4,3] from \"y\"\n  return %y\n}";
  CHECK(holds(changes(pass, "graph g (%x : f32[4,6]) {\n" + heads + swap, 1), "split = [4, 2, 3]"));
  // the other way round
  CHECK(holds(changes(pass,
                      "graph g (%x : f32[2,4,3]) {\n  %s = transpose %x {perm = [1, 0, 2]} : f32[4,2,3] from \"s\"\n"
                      "  %y = reshape %s {shape = [4, 6]} : f32[4,6] from \"y\"\n  return %y\n}",
                      1),
              "%y = rearrange %x {perm = [1, 0, 2], shape = [4, 6], split = [2, 4, 3]}"));
  // two transpositions are one, and two that undo each other a reshape
  CHECK(holds(changes(pass,
                      "graph g (%x : f32[2,4,3]) {\n  %s = transpose %x {perm = [1, 2, 0]} : f32[4,3,2] from \"s\"\n"
                      "  %y = transpose %s {perm = [2, 1, 0]} : f32[2,3,4] from \"y\"\n  return %y\n}",
                      1),
              "%y = transpose %x {perm = [0, 2, 1]}"));
  CHECK(holds(changes(pass,
                      "graph g (%x : f32[2,4]) {\n  %s = transpose %x {perm = [1, 0]} : f32[4,2] from \"s\"\n"
                      "  %t = transpose %s {perm = [1, 0]} : f32[2,4] from \"t\"\n"
                      "  %y = reshape %t {shape = [8]} : f32[8] from \"y\"\n  return %y\n}",
                      2),
              "%y = reshape %x {shape = [8]}"));
}
TEST_CASE("join-rearrangements: is what is put together otherwise than it was split, split more finely?") {
  // tokens back to an image: 8 channels of 64 tokens are 8 of 8 by 8
  CHECK(holds(changes(pass,
                      "graph g (%x : f32[1,64,8]) {\n  %s = transpose %x {perm = [0, 2, 1]} : f32[1,8,64] from \"s\"\n"
                      "  %y = reshape %s {shape = [1, 8, 8, 8]} : f32[1,8,8,8] from \"y\"\n  return %y\n}",
                      1),
              "%y = rearrange %x {perm = [0, 3, 1, 2], shape = [1, 8, 8, 8], split = [1, 8, 8, 8]}"));
  // a shape that cuts across
  unchanged(pass,
            "graph g (%x : f32[4,6]) {\n  %s = transpose %x {perm = [1, 0]} : f32[6,4] from \"s\"\n"
            "  %y = reshape %s {shape = [4, 6]} : f32[4,6] from \"y\"\n  return %y\n}");
}
TEST_CASE("join-rearrangements: does a reshape of what has become a reshape read what that reads?") {
  const std::string text = changes(
      pass,
      "graph g (%x : f32[4,3]) {\n  %a = transpose %x {perm = [1, 0]} : f32[3,4] from \"a\"\n"
      "  %b = transpose %a {perm = [1, 0]} : f32[4,3] from \"b\"\n  %c = reshape %b {shape = [12]} : f32[12] from "
      "\"c\"\n  %d = reshape %b {shape = [6, 2]} : f32[6,2] from \"d\"\n  return %c, %d\n}",
      3);
  CHECK(holds(text, "%c = reshape %x"));
  CHECK(holds(text, "%d = reshape %x"));
  CHECK_FALSE(holds(text, "%b"));  // nobody reads it any more
}
TEST_CASE(
    "join-rearrangements: is nothing left of two that undo each other, but where an input would become an output?") {
  const std::string twice =
      "  %a = transpose %r {perm = [1, 0]} : f32[3,4] from \"a\"\n"
      "  %b = transpose %a {perm = [1, 0]} : f32[4,3] from \"b\"\n";
  const std::string relu = "graph g (%x : f32[4,3]) {\n  %r = relu %x : f32[4,3] from \"r\"\n" + twice;
  const std::string read_twice = changes(pass,
                                         relu +
                                             "  %y = relu %b : f32[4,3] from \"y\"\n"
                                             "  %z = transpose %b {perm = [1, 0]} : f32[3,4] from \"z\"\n"
                                             "  return %y, %z\n}",
                                         1);
  CHECK(holds(read_twice, "%y = relu %r"));
  CHECK(holds(read_twice, "%z = transpose %r"));
  CHECK_FALSE(holds(read_twice, "reshape"));
  // an output keeps its name
  const std::string output = changes(pass, relu + "  return %b\n}", 1);
  CHECK(holds(output, "%b = relu %x"));
  CHECK_FALSE(holds(output, "reshape"));
  CHECK(holds(changes(pass, relu + "  return %b, %r\n}", 1), "%b = reshape %r"));
  CHECK(holds(changes(pass, "graph g (%r : f32[4,3]) {\n" + twice + "  return %b\n}", 1), "%b = reshape %r"));
}
TEST_CASE("join-rearrangements: what stays as it is?") {
  unchanged(pass,
            "graph g (%x : f32[4,6]) {\n  %s = reshape %x {shape = [4, 2, 3]} : f32[4,2,3] from \"s\"\n"
            "  %y = transpose %s {perm = [1, 0, 2]} : f32[2,4,3] from \"y\"\n  return %y, %s\n}");
  // what was put together is permuted again, across the places where it had been split
  const std::string again =
      "graph g (%x : f32[2,4,3]) {\n  %t = transpose %x {perm = [1, 0, 2]} : f32[4,2,3] from \"t\"\n"
      "  %u = reshape %t {shape = [4, 6]} : f32[4,6] from \"u\"\n"
      "  %y = transpose %u {perm = [1, 0]} : f32[6,4] from \"y\"\n  return %y\n}";
  const std::string text = changes(pass, again, 1);
  CHECK(holds(text, "%u = rearrange %x"));
  CHECK(holds(text, "%y = transpose %u {perm = [1, 0]}"));
}
