#include <limits>

#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

TEST_CASE("constant: does each way of writing one become a constant of the graph?") {
  check_equal(run("Constant", 13, {{"value", real({2}, {1, 2})}}, {}), {2}, {1, 2});
  check_equal(run("Constant", 13, {{"value_float", 1.5}}, {}), {}, {1.5});
  check_equal(run("Constant", 13, {{"value_ints", Ints{3, 4}}}, {}), {2}, {3, 4});
  CHECK(import("Constant", 13, {{"value_int", std::int64_t{7}}}, {}).node.op.empty());
  CHECK(refusal("Constant", 13, {{"value_string", std::string("a")}}, {}) ==
        "node 'n' (constant): expected a dense value of numbers, got a sparse one, strings, or none");
}

TEST_CASE("shape: is it known although its operand is not?") {
  ir::Graph g;
  ir::Node n{.op = "",
             .attributes = {{"start", std::int64_t{-2}}},
             .inputs = {g.add_input("x", {f32, {2, 3, 5}})},
             .outputs = {g.add_value("s", {})},
             .source = "shape",
             .body = {}};
  CHECK_FALSE(ops::normalise(g, n, "", "Shape", 15).has_value());
  CHECK(g.value(n.outputs[0]).constant->to_integers() == Ints{3, 5});
  check_equal(run("Size", 13, {}, {sample({2, 3, 5})}), {}, {30});
}

TEST_CASE("shape arithmetic: does a chain of i64 operators fold exactly?") {
  // [2, 3, 40] -> gather 2 -> * 1099511627777 -> the low digits survive, as they would not in a float
  const auto shape = run("Shape", 13, {}, {sample({2, 3, 40})});
  const auto last = run("Gather", 13, {}, {shape, ints({}, {-1})});
  const auto large = run("Mul", 13, {}, {last, ints({}, {1099511627777})});
  CHECK(large.to_integers() == Ints{43980465111080});
  const auto joined = run("Concat", 13, {{"axis", std::int64_t{0}}},
                          {run("Unsqueeze", 13, {}, {last, ints({1}, {0})}), ints({1}, {-1})});
  CHECK(run("Reshape", 13, {}, {sample({2, 3, 40}), joined}).shape() == Shape{40, 6});
}

TEST_CASE("fill, range and eye_like: what do they make?") {
  check_equal(run("ConstantOfShape", 9, {{"value", ints({1}, {7})}}, {ints({2}, {2, 1})}), {2, 1}, {7, 7});
  check_equal(run("ConstantOfShape", 9, {}, {ints({0}, {})}), {}, {0});
  check_equal(run("Range", 11, {}, {ints({}, {2}), ints({}, {9}), ints({}, {3})}), {3}, {2, 5, 8});
  check_equal(run("Range", 11, {}, {ints({}, {5}), ints({}, {-1}), ints({}, {-2})}), {3}, {5, 3, 1});
  check_equal(run("Range", 11, {}, {ints({}, {5}), ints({}, {5}), ints({}, {1})}), {0}, {});
  check_close(run("Range", 11, {}, {real({}, {1}), real({}, {2}), real({}, {0.25})}), {4}, {1, 1.25, 1.5, 1.75});
  check_equal(run("EyeLike", 9, {{"k", std::int64_t{1}}}, {sample({2, 3})}), {2, 3}, {0, 1, 0, 0, 0, 1});
}

TEST_CASE("fill: is an extent beyond 2^31 kept as it is, and one beyond memory refused?") {
  const Node n = import("ConstantOfShape", 9, {}, {ints({1}, {3'000'000'000})});
  REQUIRE_FALSE(n.finding);
  CHECK(n.graph.type(n.node.outputs[0]).shape == Shape{3'000'000'000});
  CHECK(refusal("ConstantOfShape", 9, {}, {ints({1}, {std::int64_t{1} << 62})})
            .find("expected outputs of at most 1099511627776 elements") != std::string::npos);
}

TEST_CASE("range: what is said of more steps than there are integers?") {
  const auto known = [](ElementType type, double v) { return Tensor::of({type, {}}, {v}); };
  CHECK(
      refusal("Range", 11, {}, {known(ElementType::f32, 0), known(ElementType::f32, 1e30), known(ElementType::f32, 1)})
          .find("expected fewer than 1e12 steps") != std::string::npos);
  const Tensor least = Tensor::scalar(ir::Scalar::of(ElementType::i64, std::numeric_limits<std::int64_t>::min()));
  CHECK(refusal("Range", 11, {}, {known(ElementType::i64, 5), least, known(ElementType::i64, -1)})
            .find("expected a limit within 2^63 of the start") != std::string::npos);
}
