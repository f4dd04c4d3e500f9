#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

TEST_CASE("groups: are inner values temporaries, and may an output be read inside, given twice, or be an input?") {
  ir::Graph body;
  const auto x = body.add_input("x", {f32, {2, 3}});
  const auto b = body.add_constant("b", real({3}, {1, -2, 0.5}));
  const auto sum = body.add_node("add", {x, b}, {f32, {2, 3}});
  const auto soft = body.add_node("softmax", {sum}, {f32, {2, 3}}, {{"axes", Ints{1}}});
  const auto twice = body.add_node("mul", {soft, soft}, {f32, {2, 3}});
  body.outputs = {twice, sum, twice, x, b};
  ir::Graph g;
  const auto in = g.add_constant("in", sample({2, 3}));
  ir::Node node{.op = "group",
                .attributes = {},
                .inputs = {in},
                .outputs = {},
                .source = "fused",
                .body = std::make_shared<ir::Graph>(body)};
  for (const auto v : body.outputs) node.outputs.push_back(g.add_value("", body.type(v)));
  CHECK(ops::infer_or_throw(g, node).size() == 5);
  const auto got = ops::fold(g, node);
  const auto apart = ir::interpret(body, {sample({2, 3})}, ops::kernels_of).outputs;
  REQUIRE(got.size() == apart.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == apart[i]);
}

TEST_CASE("foldable: is a node with a computed operand left alone, unless no kernel reads it?") {
  ir::Graph g;
  const auto x = g.add_input("x", {f32, {2}}), c = g.add_constant("c", real({2}, {1, 2}));
  g.add_node("add", {x, c}, {f32, {2}});
  g.add_node("add", {c, c}, {f32, {2}});
  CHECK_FALSE(ops::is_foldable(g, g.nodes[0]));
  CHECK(ops::is_foldable(g, g.nodes[1]));
  check_equal(ops::fold(g, g.nodes[1])[0], {2}, {2, 4});
}

TEST_CASE("check: are unknown operators, wrong types and wrong attributes found, in bodies too?") {
  ir::Graph g;
  const auto x = g.add_input("x", {f32, {2}});
  g.add_node("rellu", {x}, {f32, {2}});
  g.add_node("relu", {x}, {f32, {3}});
  g.add_node("relu", {x}, {f32, {2}}, {{"alpha", 1.0}});
  g.add_node("concat", {x}, {f32, {2}});
  for (auto& n : g.nodes) n.source = std::string("a");
  const auto findings = ops::check(g);
  REQUIRE(findings.size() == 4);
  CHECK(ops::to_string(findings[0]) == "node 'a': unknown operator 'rellu'; nearest: 'relu'");
  CHECK(ops::to_string(findings[1]) == "node 'a' (relu), output 0: expected f32[2], got f32[3]");
  CHECK(ops::to_string(findings[2]) == "node 'a' (relu): unknown attribute 'alpha'; it has none");
  CHECK(ops::to_string(findings[3]) == "node 'a' (concat), attribute 'axis': expected int >= 0, got none");
}

TEST_CASE("operands: are missing, surplus and wrongly typed ones named?") {
  CHECK(refusal("Conv", 13, {}, {sample({1, 1, 3})}) == "node 'n' (conv): expected input 'W', got none");
  CHECK(refusal("Relu", 13, {}, {sample({1}), sample({1})}) == "node 'n' (relu): expected at most 1 input, got 2");
  CHECK(refusal("Exp", 13, {}, {ints({1}, {1})}) == "node 'n' (exp), input 'X' i64[1]: expected a float, got i64");
  CHECK(refusal("Add", 13, {}, {ints({1}, {1}), sample({1})}) ==
        "node 'n' (add), input 'B' f32[1]: expected i64, as 'A' has, got f32");
  CHECK(refusal("Relu", 13, {}, {sample({1})}, 2) == "node 'n' (relu): expected at most 1 output, got 2");
  CHECK(refusal("NonZero", 13, {}, {sample({1})}) ==
        "node 'n' (NonZero): the output's shape depends on data; shapes are static");
}
