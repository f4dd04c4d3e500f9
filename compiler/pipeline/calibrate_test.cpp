// Are ranges measured on as many samples as are asked for, those that are missing made up as a stream's images are?
#include "compiler/pipeline/calibrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace pimento;

namespace {

const ir::TensorType of_input{ElementType::f32, {1, 4}};

/// The scale of an input of 4 elements, symmetric round 0.
double scale(const std::vector<ir::Tensor>& given, std::int64_t samples) {
  ir::Graph g;
  const ir::ValueId x = g.add_input("x", of_input);
  g.outputs = {g.add_node("relu", {x}, of_input, {}, "y")};
  CalibrationOptions options;
  options.inputs = given;
  options.seed = 5;
  options.samples = samples;
  return calibrated_plan(g, isa::load_chip("tiny-4"), Numerics::quantised, options).of(x).scale;
}
double largest(const ir::Tensor& t) {
  double most = 0;
  for (std::int64_t i = 0; i < t.elements(); ++i) most = std::max<double>(most, std::abs(t.data<float>()[i]));
  return most;
}

}  // namespace

TEST_CASE("calibration: do missing samples widen the ranges by what their images hold?") {
  double most = 0;
  std::int64_t widest = 0;  // the sample with the largest element
  for (std::int64_t s = 0; s < 8; ++s)
    if (const double each = largest(seeded_normal(of_input, 5 + static_cast<std::uint64_t>(s))); each > most)
      most = each, widest = s;
  REQUIRE(widest > 0);
  CHECK(scale({}, 1) < scale({}, 8));
  CHECK(scale({}, widest) < scale({}, widest + 1));
  CHECK(scale({}, widest + 1) == scale({}, 8));
  CHECK(scale({seeded_normal(of_input, 5 + static_cast<std::uint64_t>(widest))}, 1) == scale({}, 8));
}

TEST_CASE("calibration: does a given sample stand for the first, and the made-up ones keep their numbers?") {
  const ir::Tensor nothing = ir::Tensor::zeros(of_input);
  const double second = scale({seeded_normal(of_input, 6)}, 1);
  CHECK(scale({nothing}, 2) == second);
  CHECK(scale({nothing, nothing}, 2) == scale({nothing}, 1));
  CHECK(scale({nothing}, 1) != second);
}
