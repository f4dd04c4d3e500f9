#include "compiler/drivers/pim/lower/refusals.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/text.hpp"
#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {
/// A determinant, a scatter and a relu.
ir::Graph mixed() {
  ir::Graph g;
  const ir::ValueId x = g.add_input("x", {ElementType::f32, {3, 3}});
  const ir::ValueId at = g.add_input("at", {ElementType::i64, {3, 3}});
  const auto add = [&](const std::string& op, std::vector<ir::ValueId> inputs, const ir::Attributes& attributes,
                       const std::string& source) {
    ir::Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.attributes = attributes;
    node.source = source;
    node.outputs = {g.add_value(source, {})};
    g.value(node.outputs[0]).type = ops::infer_or_throw(g, node)[0];
    return g.append(node).outputs[0];
  };
  const ir::ValueId d = add("det", {x}, {}, "volume");
  const ir::ValueId s = add("scatter_elements", {x, at, x}, {{"axis", std::int64_t{0}}}, "spread");
  const ir::ValueId r = add("relu", {x}, {}, "cut");
  g.outputs = {d, s, r};
  return g;
}
}  // namespace

TEST_CASE("refusals: are all nodes that cannot be lowered named at once, and no others?") {
  const ir::Graph g = mixed();
  const std::vector<Refused> nodes = refused_nodes(g);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].node == "volume");
  CHECK(nodes[1].node == "spread");
  std::string said;
  try {
    refuse(nodes, isa::load_chip("tiny-4"));
  } catch (const CannotLower& e) {
    said = e.what();
  }
  CHECK(said == "chip 'tiny-4': 2 nodes cannot be lowered\n  node 'volume' (det): " + nodes[0].reason +
                    "\n  node 'spread' (scatter_elements): " + nodes[1].reason);
  CHECK_NOTHROW(refuse({}, isa::load_chip("tiny-4")));
}
