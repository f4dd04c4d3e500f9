#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento;
using namespace pimento::optimizer;

TEST_CASE("fuse-elementwise: does a chain become one node?") {
  const std::string text = R"(graph g (%x : f32[2,3], %z : f32[3]) {
  %a = add %x, %z : f32[2,3] from "a"
  %b = sigmoid %a : f32[2,3] from "b"
  %y = mul %a, %b : f32[2,3] from "y"
  return %y
})";
  changes("fuse-elementwise", text, 1);
  const Trial trial("fuse-elementwise", text);
  REQUIRE(trial.after.nodes.size() == 1);
  CHECK(trial.after.nodes[0].source == "a+b+y");
  CHECK(trial.after.nodes[0].inputs.size() == 2);
}
TEST_CASE("fuse-elementwise: does a value that leaves end the chain?") {
  const std::string text = R"(graph g (%x : f32[2]) {
  %a = relu %x : f32[2] from "a"
  %b = neg %a : f32[2] from "b"
  %y = exp %b : f32[2] from "y"
  return %y, %a
})";
  const Trial trial("fuse-elementwise", text);
  CHECK(trial.after.nodes.size() == 2);
  CHECK(trial.after.nodes[1].source == "b+y");
}
TEST_CASE("fuse-elementwise: do another shape, a reduction and a movement stop it?") {
  unchanged("fuse-elementwise", R"(graph g (%x : f32[2], %z : f32[3,2]) {
  %a = relu %x : f32[2] from "a"
  %y = add %a, %z : f32[3,2] from "y"
  return %y
})");
  unchanged("fuse-elementwise", R"(graph g (%x : f32[2,2]) {
  %a = relu %x : f32[2,2] from "a"
  %t = transpose %a {perm = [1, 0]} : f32[2,2] from "t"
  %s = softmax %t {axes = [1]} : f32[2,2] from "s"
  %y = neg %s : f32[2,2] from "y"
  return %y
})");
}
