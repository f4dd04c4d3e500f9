#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

TEST_CASE("common-subexpressions: is what stands twice computed once?") {
  const std::string text = changes("common-subexpressions", R"(graph g (%x : f32[2]) {
  @k : f32[2] = [1.0, 2.0]
  @l : f32[2] = [1.0, 2.0]
  %a = add %x, @k : f32[2] from "a"
  %b = add %x, @l : f32[2] from "b"
  %y = mul %a, %b : f32[2] from "y"
  return %y
})",
                                   2);  // the constant l, the node b
  CHECK(text.find("%y = mul %a, %a") != std::string::npos);
}
TEST_CASE("common-subexpressions: do other attributes, operands and types stop it?") {
  unchanged("common-subexpressions", R"(graph g (%x : f32[2,2], %z : f32[2,2]) {
  %a = leaky_relu %x {alpha = 0.1} : f32[2,2] from "a"
  %b = leaky_relu %x {alpha = 0.2} : f32[2,2] from "b"
  %c = leaky_relu %z {alpha = 0.2} : f32[2,2] from "c"
  %d = add %a, %b : f32[2,2] from "d"
  %y = add %d, %c : f32[2,2] from "y"
  return %y
})");
}
TEST_CASE("common-subexpressions: does a second output keep its node?") {
  unchanged("common-subexpressions", R"(graph g (%x : f32[2]) {
  %a = relu %x : f32[2] from "a"
  %b = relu %x : f32[2] from "b"
  return %a, %b
})");
}
