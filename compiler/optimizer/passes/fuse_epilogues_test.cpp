#include "compiler/optimizer/pass_for_tests.hpp"

using namespace pimento;
using namespace pimento::optimizer;

namespace {

const std::string head = R"(graph g (%x : f32[1,2,3,3]) {
  @w : f32[2,2,1,1] = [1.0, 2.0, 3.0, 4.0]
)";
/// A 1x1 convolution of `in`.
std::string conv(const std::string& out, const std::string& in) {
  return "  %" + out + " = conv %" + in +
         ", @w {dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : f32[1,2,3,3] from \"" + out +
         "\"\n";
}
std::string op(const std::string& out, const std::string& call, const std::string& attributes = "") {
  return "  %" + out + " = " + call + attributes + " : f32[1,2,3,3] from \"" + out + "\"\n";
}
std::vector<std::string> operators(const ir::Graph& g) {
  std::vector<std::string> names;
  for (const ir::Node& n : g.nodes) names.push_back(n.op);
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("fuse-epilogues: does the contraction take the element-wise nodes behind it, and begin the body?") {
  const std::string text = head + conv("c", "x") + op("s", "mul %c, %x") + op("r", "relu %s") + "  return %r\n}";
  changes("fuse-epilogues", text, 1);
  const Trial trial("fuse-epilogues", text);
  REQUIRE(operators(trial.after) == Names{"group"});
  const ir::Node& group = trial.after.nodes[0];
  CHECK(operators(*group.body) == Names{"conv", "mul", "relu"});
  CHECK(group.source == "c+s+r");
  CHECK(group.inputs.size() == 2);  // x and the constant weight: each once
  CHECK(trial.after.is_constant(group.inputs[1]));
}
TEST_CASE("fuse-epilogues: does a residual addition go to the contraction that is ready last?") {
  const std::string text = head + conv("a", "x") + op("r", "relu %a") + conv("b", "r") + conv("shortcut", "x") +
                           op("sum", "add %b, %shortcut") + op("y", "relu %sum") + "  return %y\n}";
  changes("fuse-epilogues", text, 2);
  const Trial trial("fuse-epilogues", text);
  CHECK(operators(trial.after) == Names{"group", "conv", "group"});
  CHECK(trial.after.nodes[1].source == "shortcut");
  CHECK(trial.after.nodes[2].source == "b+sum+y");
}
TEST_CASE("fuse-epilogues: does a value that two nodes read join when they meet again?") {
  const std::string text =
      head + conv("c", "x") + op("s", "sigmoid %c") + op("y", "mul %c, %s") + "  return %y\n}";  // x * sigmoid(x)
  changes("fuse-epilogues", text, 1);
  CHECK(operators(Trial("fuse-epilogues", text).after) == Names{"group"});
}
TEST_CASE("fuse-epilogues: does a reader outside end the group?") {
  const std::string text =
      head + conv("c", "x") + op("r", "relu %c") + conv("d", "r") + op("y", "add %d, %r") + "  return %y\n}";
  const Trial trial("fuse-epilogues", text);
  CHECK(operators(trial.after) == Names{"group", "group"});
  CHECK(trial.difference() == 0);
  CHECK(trial.after.nodes[0].source == "c+r");
}
TEST_CASE("fuse-epilogues: what stops it?") {
  unchanged("fuse-epilogues", head + conv("c", "x") + op("y", "relu %c") + "  return %y, %c\n}");     // it leaves
  unchanged("fuse-epilogues", head + op("s", "relu %x") + op("y", "sigmoid %s") + "  return %y\n}");  // no contraction
  unchanged(
      "fuse-epilogues",
      head + conv("c", "x") + "  %y = transpose %c {perm = [0, 1, 3, 2]} : f32[1,2,3,3] from \"y\"\n  return %y\n}");
  unchanged("fuse-epilogues", R"(graph g (%x : f32[2,2], %w : f32[2,2]) {
  %c = matmul %x, %w : f32[2,2] from "c"
  %y = relu %c : f32[2,2] from "y"
  return %y
})");  // no constant factor
  unchanged("fuse-epilogues", R"(graph g (%x : f32[1,2], %z : f32[3,2]) {
  @w : f32[2,2] = [1.0, 2.0, 3.0, 4.0]
  %c = matmul %x, @w : f32[1,2] from "c"
  %y = add %z, %c : f32[3,2] from "y"
  return %y
})");  // the sum has another shape
}
