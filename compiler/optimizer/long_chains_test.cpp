// Chains of 20,000 nodes: a pass that walked the graph anew for each node would not end in the suite's time.
#include <doctest/doctest.h>

#include "compiler/optimizer/optimizer.hpp"

using namespace pimento;

namespace {
constexpr int length = 20'000;

/// x -> op -> op -> ... -> y
ir::Graph chain(const std::string& op) {
  ir::Graph graph;
  const ir::TensorType type{ElementType::f32, {1, 8}};
  ir::ValueId v = graph.add_input("x", type);
  for (int i = 0; i < length; ++i) v = graph.add_node(op, {v}, type, {}, "v" + std::to_string(i));
  graph.outputs = {v};
  return graph;
}
}  // namespace

TEST_CASE("long chains: is one of identities nothing but the one that keeps the output's name?") {
  ir::Graph graph = chain("identity");
  CHECK(optimizer::run_pass("remove-identities", graph) == length - 1);
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].inputs[0] == graph.inputs[0]);
  CHECK(graph.nodes[0].outputs[0] == graph.outputs[0]);
}
TEST_CASE("long chains: is an element-wise one a single group?") {
  ir::Graph graph = chain("sigmoid");
  CHECK(optimizer::run_pass("fuse-elementwise", graph) == 1);
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].body->nodes.size() == length);
}
TEST_CASE("long chains: are 20,000 equal nodes on one input one node?") {
  ir::Graph graph;
  const ir::TensorType type{ElementType::f32, {1, 8}};
  const ir::ValueId x = graph.add_input("x", type);
  ir::ValueId sum = graph.add_node("sigmoid", {x}, type, {}, "first");
  for (int i = 0; i < length; ++i) {
    const ir::ValueId again = graph.add_node("sigmoid", {x}, type, {}, "v" + std::to_string(i));
    sum = graph.add_node("add", {sum, again}, type, {}, "s" + std::to_string(i));
  }
  graph.outputs = {sum};
  CHECK(optimizer::run_pass("common-subexpressions", graph) == length);
}
