#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

TEST_CASE("dead-code: do nodes that nobody reads go, with their values?") {
  const std::string text = changes("dead-code", R"(graph g (%x : f32[2]) {
  @k : f32[2] = [1.0, 2.0]
  %a = add %x, @k : f32[2] from "a"
  %b = relu %a : f32[2] from "b"
  %y = relu %x : f32[2] from "y"
  return %y
})",
                                   5);  // two nodes, the values k, a and b
  CHECK(text.find("@k") == std::string::npos);
}
TEST_CASE("dead-code: does an output stay?") {
  unchanged("dead-code", R"(graph g (%x : f32[2]) {
  %a = relu %x : f32[2] from "a"
  %y = relu %a : f32[2] from "y"
  return %a, %y
})");
}
