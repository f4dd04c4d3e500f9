#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

TEST_CASE("remove-identities: do nodes that repeat their input go?") {
  const std::string text = changes("remove-identities", R"(graph g (%x : f32[2,1,3]) {
  %a = identity %x : f32[2,1,3] from "a"
  %b = transpose %a {perm = [0, 1, 2]} : f32[2,1,3] from "b"
  %c = cast %b {to = "f32"} : f32[2,1,3] from "c"
  %d = reshape %c {shape = [2, 1, 3]} : f32[2,1,3] from "d"
  %e = pad %d {mode = "constant", pads = [0, 0, 0, 0, 0, 0], value = 0.0} : f32[2,1,3] from "e"
  %y = relu %e : f32[2,1,3] from "y"
  return %y
})",
                                   5);
  CHECK(text.find("%y = relu %x") != std::string::npos);
}
TEST_CASE("remove-identities: does a node that moves, converts or reshapes stay?") {
  unchanged("remove-identities", R"(graph g (%x : f32[2,2]) {
  %a = transpose %x {perm = [1, 0]} : f32[2,2] from "a"
  %b = cast %a {to = "i32"} : i32[2,2] from "b"
  %c = reshape %b {shape = [4]} : i32[4] from "c"
  return %c
})");
}
TEST_CASE("remove-identities: does an input that is an output keep its node?") {
  unchanged("remove-identities", R"(graph g (%x : f32[2]) {
  %y = identity %x : f32[2] from "y"
  return %y
})");
}
TEST_CASE("remove-identities: does an output keep its name?") {
  const std::string text = changes("remove-identities", R"(graph g (%x : f32[2]) {
  %a = relu %x : f32[2] from "a"
  %y = identity %a : f32[2] from "y"
  return %y
})",
                                   1);
  CHECK(text.find("%y = relu %x") != std::string::npos);
}
