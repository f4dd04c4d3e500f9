#include "compiler/drivers/pim/numerics/not_finite.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

using namespace pimento;
using namespace pimento::pim;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

ir::Tensor real(const ir::Shape& shape, const std::vector<double>& values) {
  return ir::Tensor::of({ElementType::f32, shape}, values);
}
/// The cause named for the value that one node makes of x and these constants.
std::string cause(const std::string& op, const std::vector<ir::Tensor>& constants) {
  ir::Graph g;
  std::vector<ir::ValueId> operands{g.add_input("x", {ElementType::f32, {1, 2}})};
  for (const ir::Tensor& t : constants) operands.push_back(g.add_constant("c" + std::to_string(operands.size()), t));
  const ir::ValueId y = g.add_node(op, operands, {ElementType::f32, {1, 2}}, {}, "y");
  g.nodes.back().source = "the node";
  return cause_of_not_finite(g, y);
}

}  // namespace

TEST_CASE("not finite: is the first such element named by its place?") {
  CHECK(not_finite(real({2, 3}, {1, 2, 3, 4, 5, nan})) == "[1, 2] is nan");
  CHECK(not_finite(real({2}, {-inf, nan})) == "[0] is -inf");
  CHECK(not_finite(real({}, {inf})) == "[] is inf");
  CHECK_FALSE(not_finite(real({2}, {1, 2})));
  CHECK_FALSE(not_finite(ir::Tensor::of_integers({ElementType::i32, {1}}, {7})));
}

TEST_CASE("not finite: is the constant, or the variance, behind it named with its node?") {
  CHECK(cause("add", {real({2}, {1, nan})}) == "node 'the node': 'c1' at [1] is nan");
  CHECK(cause("add", {real({2}, {1, 2})}) == "node 'the node'");
  const ir::Tensor ones = real({2}, {1, 1});
  CHECK(cause("batch_norm", {ones, ones, ones, real({2}, {1, -1})}) ==
        "node 'the node': its variance 'c4' at [1] is -1");
  CHECK(cause("batch_norm", {ones, real({2}, {1, -1}), ones, ones}) == "node 'the node'");
  ir::Graph g;
  // the variance of what is fused, given from outside of the body
  auto body = std::make_shared<ir::Graph>();
  const ir::ValueId b = body->add_input("b", {ElementType::f32, {1, 2}});
  const ir::ValueId v = body->add_input("v", {ElementType::f32, {2}});
  const ir::ValueId one = body->add_constant("one", ones);
  body->outputs = {body->add_node("batch_norm", {b, one, one, one, v}, {ElementType::f32, {1, 2}}, {}, "n")};
  ir::Graph fused;
  ir::Node group;
  group.op = "group";
  group.source = "cv+bn";
  group.body = body;
  group.inputs = {fused.add_input("x", {ElementType::f32, {1, 2}}), fused.add_constant("var", real({2}, {-1, 1}))};
  group.outputs = {fused.add_value("y", {ElementType::f32, {1, 2}})};
  fused.append(group);
  CHECK(cause_of_not_finite(fused, group.outputs[0]) == "node 'cv+bn': its variance 'var' at [0] is -1");
  CHECK(cause_of_not_finite(g, g.add_input("x", {ElementType::f32, {2}})) == "an input of the model");
}
