#include "compiler/ir/join.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/verify.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {
Graph doubled(const std::string& op) {
  Graph g;
  g.name = "g";
  const ValueId x = g.add_input("x", {ElementType::f32, {2}});
  g.outputs = {g.add_node(op, {x, x}, {ElementType::f32, {2}}, {}, "y")};
  g.nodes.back().source = op == "add" ? "sum" : "";
  g.metadata["key"] = op;
  return g;
}
}  // namespace

TEST_CASE("join: does each graph keep its inputs, outputs and values under its own name?") {
  const Graph all = join({{"a", doubled("add")}, {"b", doubled("mul")}});
  require_valid(all, "join");
  CHECK(all.name == "a+b");
  REQUIRE(all.inputs.size() == 2);
  CHECK(all.value(all.inputs[0]).name == "a/x");
  CHECK(all.value(all.inputs[1]).name == "b/x");
  CHECK(all.value(all.outputs[0]).name == "a/y");
  CHECK(all.value(all.outputs[1]).name == "b/y");
  CHECK(all.nodes[0].source == "a/sum");
  CHECK(all.nodes[1].source == "b/mul");  // a node without a name goes by its operator
  CHECK(all.metadata.at("a/key") == "add");
  CHECK(all.metadata.at("b/key") == "mul");
}

TEST_CASE("join: does no node read a value of another graph?") {
  const Graph all = join({{"a", doubled("add")}, {"b", doubled("mul")}, {"c", doubled("add")}});
  for (std::size_t n = 0; n < all.nodes.size(); ++n) {
    CHECK(all.nodes[n].inputs == std::vector<ValueId>{all.inputs[n], all.inputs[n]});
    CHECK(all.nodes[n].outputs == std::vector<ValueId>{all.outputs[n]});
  }
}
TEST_CASE("join: is a state moved with its values?") {
  Graph g = doubled("add");
  g.states = {{g.inputs[0], g.outputs[0], Tensor::zeros({ElementType::f32, {2}})}};
  g.inputs.clear();
  const Graph all = join({{"a", doubled("mul")}, {"b", g}});
  REQUIRE(all.states.size() == 1);
  CHECK(all.value(all.states[0].current).name == "b/x");
  CHECK(all.value(all.states[0].next).name == "b/y");
  CHECK(all.states[0].initial.has_value());
}
