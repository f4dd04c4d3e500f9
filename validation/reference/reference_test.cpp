#include "validation/reference/reference.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"
#include "validation/reference/graph_for_tests.hpp"

using namespace pimento;
using namespace pimento::reference;

namespace {

using Values = std::vector<ir::ValueId>;

/// A random graph over an image: convolutions, pooling, element-wise operators, sums, concatenations, normalisations.
ir::Graph random_graph(Random& random) {
  ir::Graph g;
  Values live{g.add_input("x", {ElementType::f32, {1, 2 + random.below(3), 4 + random.below(4), 4 + random.below(4)}})};
  const auto any = [&] { return live[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(live.size())))]; };
  const std::vector<std::string> plain{"relu",     "sigmoid",    "tanh", "abs",  "neg",
                                       "softplus", "hard_swish", "erf",  "floor"};
  for (int step = 0; step < 8; ++step) {
    const ir::ValueId x = any();
    const ir::Shape shape = g.type(x).shape;
    const ir::Shape window{shape[2] > 2 ? 3 : 1, shape[3] > 1 ? 2 : 1};
    const ir::Attributes sliding{{"strides", ir::Shape{1 + random.below(2), 1}},
                                 {"dilations", ir::Shape{1, 1}},
                                 {"pads", ir::Shape{random.below(2), 0, 0, random.below(2)}}};
    switch (random.below(7)) {
      case 0: {
        ir::Attributes attributes = sliding;
        attributes["group"] = std::int64_t{1};
        const ir::Tensor w = random_tensor(random, {1 + random.below(4), shape[1], window[0], window[1]});
        live.push_back(add(g, "conv", {x, g.add_constant("w", w)}, attributes));
        break;
      }
      case 1: {
        ir::Attributes attributes = sliding;
        attributes["kernel_shape"] = window;
        attributes["ceil_mode"] = random.below(2);
        if (random.below(2) == 0) {
          attributes["storage_order"] = std::int64_t{0};
          live.push_back(add(g, "max_pool", {x}, attributes));
        } else {
          attributes["count_include_pad"] = random.below(2);
          live.push_back(add(g, "average_pool", {x}, attributes));
        }
        break;
      }
      case 2: {
        std::vector<ir::ValueId> operands{x};
        for (int i = 0; i < 4; ++i) operands.push_back(g.add_constant("s", random_tensor(random, {shape[1]})));
        std::vector<double> variances(static_cast<std::size_t>(shape[1]), 0.0);
        for (double& v : variances) v = 1 + random.number() / 4;
        operands[4] = g.add_constant("v", ir::Tensor::of({ElementType::f32, {shape[1]}}, variances));
        live.push_back(add(g, "batch_norm", operands, {{"epsilon", 1e-5}}));
        break;
      }
      case 3: {
        const ir::ValueId k = g.add_constant("k", random_tensor(random, {shape[1], 1, 1}));
        const std::vector<std::string> binary{"add", "sub", "mul", "max", "min"};
        live.push_back(add(g, binary[static_cast<std::size_t>(random.below(5))], {x, k}));
        break;
      }
      case 4:
        live.push_back(add(g, "concat", {x, x}, {{"axis", 1 + random.below(3)}}));
        break;
      case 5:
        live.push_back(add(g, "softmax", {x}, {{"axes", ir::Shape{1}}}));
        break;
      default:
        live.push_back(
            add(g, plain[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(plain.size())))], {x}));
    }
  }
  g.outputs = {live.back(), any()};
  if (g.outputs[0] == g.outputs[1]) g.outputs.pop_back();
  return g;
}

}  // namespace

TEST_CASE("reference: do it and the interpreter, which share no operator, agree on random graphs?") {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const ir::Graph g = random_graph(random);
    CAPTURE(ir::print(g));
    const ir::Tensor x = random_tensor(random, g.type(g.inputs[0]).shape);
    const std::vector<ir::Tensor> expected = run(g, {x});
    const std::vector<ir::Tensor> got = ir::interpret(g, {x}, ops::kernels_of).outputs;
    REQUIRE(expected.size() == got.size());
    for (std::size_t o = 0; o < got.size(); ++o) {
      REQUIRE(got[o].type() == expected[o].type());
      double largest = 0;
      double difference = 0;
      for (std::int64_t e = 0; e < got[o].elements(); ++e) {
        largest = std::max(largest, std::fabs(expected[o].at(e).as_double()));
        difference = std::max(difference, std::fabs(got[o].at(e).as_double() - expected[o].at(e).as_double()));
      }
      // f32 sums of at most 100 terms per layer and 8 layers; floor may turn a rounding into 1, so it is bounded apart
      const bool floors = ir::print(g).find("floor") != std::string::npos;
      CHECK(difference <= (floors ? 1.0 : 1e-4) * std::max(largest, 1.0));
    }
  }
}
TEST_CASE("reference: do a NaN and an infinity pass every operator as they pass the interpreter's?") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const ir::Tensor x = ir::Tensor::of(
      {ElementType::f32, {1, 2, 4, 4}},
      {-1, nan, 2, 3, 4, 5, -6, 7, 8, 9, 1, 1, -2, 2, 0, 1, 1, 2, inf, -3, 1, 1, 1, 1, 1, nan, 2, 3, 4, 5, 6, 7});
  const auto agree = [&](const std::string& op, const ir::Attributes& attributes, std::size_t operands) {
    CAPTURE(op);
    ir::Graph g;
    const Values all(operands, g.add_input("x", x.type()));
    g.outputs = {add(g, op, all, attributes)};
    const ir::Tensor expected = run(g, {x}).at(0), got = ir::interpret(g, {x}, ops::kernels_of).outputs.at(0);
    for (std::int64_t e = 0; e < got.elements(); ++e) {
      CAPTURE(e);
      const double a = got.at(e).as_double(), b = expected.at(e).as_double();
      REQUIRE(std::isnan(a) == std::isnan(b));
      if (std::isnan(b)) continue;
      REQUIRE(std::isinf(a) == std::isinf(b));
      if (std::isinf(b))
        CHECK(a == b);
      else
        CHECK(std::fabs(a - b) <= 1e-5 * std::max(1.0, std::fabs(b)));
    }
  };
  for (const char* op : {"relu", "sigmoid", "tanh", "abs", "neg", "softplus", "hard_swish", "erf", "floor", "ceil",
                         "round", "sign", "softsign", "exp", "global_max_pool", "global_average_pool"})
    agree(op, {}, 1);
  for (const char* op : {"leaky_relu", "elu", "celu"}) agree(op, {{"alpha", 0.5}}, 1);
  agree("hard_sigmoid", {{"alpha", 0.2}, {"beta", 0.5}}, 1);
  for (const char* op : {"add", "max", "min"}) agree(op, {}, 2);
  const ir::Attributes axes{{"axes", ir::Shape{2}}, {"keep_dims", std::int64_t{1}}};
  for (const char* op : {"reduce_max", "reduce_min", "reduce_sum", "reduce_log_sum_exp"}) agree(op, axes, 1);
  agree("max_pool",
        {{"kernel_shape", ir::Shape{2, 2}},
         {"strides", ir::Shape{1, 1}},
         {"dilations", ir::Shape{1, 1}},
         {"pads", ir::Shape{1, 0, 0, 0}},
         {"ceil_mode", std::int64_t{0}},
         {"storage_order", std::int64_t{0}}},
        1);
}
TEST_CASE("reference: is an operator that it does not have named with its node?") {
  ir::Graph g = ir::parse_graph(R"(graph g (%x : f32[2]) {
  %y = relu %x : f32[2] from "act_3"
  return %y
})");
  g.nodes[0].op = "no_such";
  try {
    run(g, {ir::Tensor::zeros({ElementType::f32, {2}})});
    FAIL("accepted");
  } catch (const UserError& fault) {
    CHECK(std::string(fault.what()) == "node 'act_3' (no_such): the reference has no such operator");
  }
}
TEST_CASE("reference: what does a loop carry, and what does it stack?") {
  // c = 0; for s in (1, 2, 4): c = c + s, stacked: 1, 3, 7
  auto body = std::make_shared<ir::Graph>();
  body->add_input("i", {ElementType::i64, {}});
  const ir::ValueId c = body->add_input("c", {ElementType::f32, {}});
  const ir::ValueId s = body->add_input("s", {ElementType::f32, {}});
  const ir::ValueId sum = add(*body, "add", {c, s});
  body->outputs = {sum, sum};
  ir::Graph g;
  const ir::ValueId x = g.add_input("x", {ElementType::f32, {3}});
  ir::Node loop;
  loop.op = "loop";
  loop.attributes = {{"trip_count", std::int64_t{3}},
                     {"carried", std::int64_t{1}},
                     {"scan_inputs", std::int64_t{1}},
                     {"scan_outputs", std::int64_t{1}},
                     {"reverse", ir::Shape{0, 1}}};
  loop.inputs = {g.add_constant("zero", ir::Tensor::zeros({ElementType::f32, {}})), x};
  loop.outputs = {g.add_value("last", {ElementType::f32, {}}), g.add_value("all", {ElementType::f32, {3}})};
  loop.body = body;
  g.append(loop);
  g.outputs = loop.outputs;
  const auto outputs = run(g, {ir::Tensor::of({ElementType::f32, {3}}, {1, 2, 4})});
  CHECK(outputs[0].to_doubles() == std::vector<double>{7});
  CHECK(outputs[1].to_doubles() == std::vector<double>{7, 3, 1});  // from the last slice to the first
}
