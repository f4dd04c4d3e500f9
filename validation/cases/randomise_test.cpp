#include "validation/cases/randomise.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/frontend/import.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "compiler/pipeline/calibrate.hpp"

using namespace pimento;

namespace {

/// Two convolutions of 64 x 3 x 3 inputs whose weights are all 0.02, a batch norm behind each.
ir::Graph constant_weights() {
  return frontend::import_text(R"(g (float[1,8,12,12] x) => (float[1,64,12,12] y) {
    v = Constant <value_float = 0.02> ()
    s1 = Constant <value_ints = [64,8,3,3]> ()  w1 = Expand (v, s1)
    s2 = Constant <value_ints = [64,64,3,3]> ()  w2 = Expand (v, s2)
    c = Constant <value_ints = [64]> ()  k = Expand (v, c)
    a = Conv <pads = [1,1,1,1]> (x, w1)
    b = BatchNormalization (a, k, k, k, k)
    r = Relu (b)
    d = Conv <pads = [1,1,1,1]> (r, w2)
    y = BatchNormalization (d, k, k, k, k) })");
}

double deviation(const ir::Tensor& t) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    const auto x = static_cast<double>(t.data<float>()[i]);
    sum += x, squares += x * x;
  }
  const auto n = static_cast<double>(t.elements());
  return std::sqrt(squares / n - sum / n * sum / n);
}

}  // namespace

TEST_CASE("random weights: have products He's scale, and is what leaves a batch norm near mean 0 and deviation 1?") {
  const ir::Graph graph = validation::randomise_weights(constant_weights(), 5);
  // 8 * 3 * 3 = 72 inputs an output: sqrt(2 / 72) = 0.1667; 64 * 9 = 576: 0.0589
  CHECK(deviation(*graph.value(graph.nodes[0].inputs[1]).constant) == doctest::Approx(0.1667).epsilon(0.05));
  CHECK(deviation(*graph.value(graph.nodes[3].inputs[1]).constant) == doctest::Approx(0.0589).epsilon(0.05));
  const ir::Tensor x =
      seeded_normal({ElementType::f32, {1, 8, 12, 12}}, 77);  // another input than it was calibrated on
  const ir::Tensor y = ir::interpret(graph, {x}, ops::kernels_of).outputs[0];
  CHECK(deviation(y) > 0.7);
  CHECK(deviation(y) < 1.4);
}
TEST_CASE("random weights: is a seed one model, and another seed another?") {
  const auto of = [](std::uint64_t seed) {
    return ir::fingerprint(validation::randomise_weights(constant_weights(), seed));
  };
  CHECK(of(1) == of(1));
  CHECK_FALSE(of(1) == of(2));
}
