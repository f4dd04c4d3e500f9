#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento::optimizer;

TEST_CASE("fold-constants: is a chain of known operands computed?") {
  CHECK(changes("fold-constants", R"(graph g (%x : f32[2]) {
  @a : f32[2] = [1.0, 2.0]
  @b : f32[2] = [3.0, 4.0]
  %c = add @a, @b : f32[2] from "c"
  %d = mul %c, @b : f32[2] from "d"
  %y = add %x, %d : f32[2] from "y"
  return %y
})",
                2)
            .find("@d : f32[2] = [12.0, 24.0]") != std::string::npos);
}
TEST_CASE("fold-constants: does an operand that is not known stop it?") {
  unchanged("fold-constants", R"(graph g (%x : f32[2]) {
  @a : f32[2] = [1.0, 2.0]
  %y = add %x, @a : f32[2] from "y"
  return %y
})");
}
TEST_CASE("fold-constants: does a result that is much larger than its operand stop it?") {
  unchanged("fold-constants", R"(graph g (%x : f32[1]) {
  @a : f32[1] = [1.0]
  %b = expand @a {shape = [5000, 5000]} : f32[5000,5000] from "b"
  %c = reduce_sum %b {axes = [0, 1], keep_dims = 1} : f32[1,1] from "c"
  %y = add %x, %c : f32[1,1] from "y"
  return %y
})");
}
