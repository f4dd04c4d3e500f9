#include "compiler/drivers/pim/numerics/plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/ir/text.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

ir::Tensor tensor(const std::vector<double>& values) {
  return ir::Tensor::of({ElementType::f32, {static_cast<std::int64_t>(values.size())}}, values);
}
Observed observed(const std::vector<double>& values) {
  Observed seen;
  seen.take(tensor(values));
  return seen;
}
ValueFormat format(const Observed& seen, const CalibrationMethod& method) {
  const ir::Graph graph = ir::parse_graph("graph g (%x : f32[4]) {\n  return %x\n}\n");
  return plan_numerics(graph, isa::load_chip("tiny-4"), Numerics::quantised, {{"x", seen}}, method).formats[0];
}
/// 999 values of 0 .. 1 and one far away.
std::vector<double> with_outlier(double outlier) {
  std::vector<double> values;
  for (int k = 0; k < 9990; ++k) values.push_back((k % 1000) / 1000.0);
  values.push_back(outlier);
  return values;
}

}  // namespace

TEST_CASE("observed: do two parts add up to the whole, in either order?") {
  const std::vector<double> small{0.1, -0.2, 0, 0.3}, large{100, -3, 0.125};
  std::vector<double> all = small;
  all.insert(all.end(), large.begin(), large.end());
  Observed a = observed(small), b = observed(large);
  const Observed small_first = [&] {
    Observed o = a;
    o.join(b);
    return o;
  }();
  const Observed large_first = [&] {
    Observed o = b;
    o.join(a);
    return o;
  }();
  const Observed whole = observed(all);
  for (const double scale : {0.01, 0.5, 1.0}) {
    CHECK(small_first.squared_error(scale, -127, 127) == whole.squared_error(scale, -127, 127));
    CHECK(large_first.squared_error(scale, -127, 127) == whole.squared_error(scale, -127, 127));
  }
  CHECK(small_first.low() == -3);
  CHECK(small_first.high() == 100);
}
TEST_CASE("observed: is a value that was not finite said to be so?") {
  CHECK(observed({1, 2}).finite());
  CHECK_FALSE(observed({1, std::numeric_limits<double>::infinity()}).finite());
  CHECK_FALSE(observed({std::numeric_limits<double>::quiet_NaN(), 1}).finite());
}
TEST_CASE("calibration: min-max gives the largest magnitude the largest code") {
  CHECK(format(observed(with_outlier(5.1)), {Calibration::min_max}).scale == doctest::Approx(5.1 / 255));
  CHECK(format(observed(with_outlier(5.1)), {Calibration::min_max}).type == ElementType::u8);
  CHECK(format(observed(with_outlier(-2.54)), {Calibration::min_max}).scale == doctest::Approx(2.54 / 127));
  CHECK(format(observed(with_outlier(-2.54)), {Calibration::min_max}).type == ElementType::i8);
}
TEST_CASE("calibration: percentile lets its share saturate and no more") {
  const Observed seen = observed(with_outlier(50));
  CHECK(format(seen, {Calibration::percentile, 0.999}).scale == doctest::Approx(1.0 / 255).epsilon(0.02));
  CHECK(format(seen, {Calibration::percentile, 1.0}).scale == doctest::Approx(50.0 / 255).epsilon(0.001));
}
TEST_CASE("calibration: does mse find the scale of least error, and unsigned codes for a value barely negative?") {
  Observed seen = observed({1.1});
  for (int k = 0; k < 10; ++k) seen.take(tensor(with_outlier(0.5)));
  const ValueFormat best = format(seen, {Calibration::mse});
  const double full = 1.1 / 255, least = seen.squared_error(best.scale, 0, 255);
  CHECK(best.scale < 0.95 * full);  // one value of 1.1 among 100,000 is worth saturating
  for (int percent = 30; percent <= 100; ++percent)
    CHECK(least <= seen.squared_error(full * percent / 100, 0, 255) * 1.001);
  CHECK(format(observed(with_outlier(-0.001)), {Calibration::mse}).type == ElementType::u8);
  CHECK(format(observed(with_outlier(-0.5)), {Calibration::mse}).type == ElementType::i8);
}
TEST_CASE("calibration: a range alone scales as min-max does, whatever the method") {
  for (const auto kind : {Calibration::min_max, Calibration::percentile, Calibration::mse, Calibration::adaptive})
    CHECK(format(Observed(-1, 2.54), {kind}).scale == doctest::Approx(2.54 / 127));
}

namespace {
/// The code of 1 in the format of the input of a graph whose values lie in 0 .. 1, and reach it.
double code_of_one(const std::string& graph, int activation_bits) {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.numerics.activation_bits = activation_bits;
  Ranges ranges;
  for (const char* value : {"a", "b", "y"}) ranges.emplace(value, Observed(0, 1));
  return 1 / plan_numerics(ir::parse_graph(graph), chip, Numerics::quantised, ranges).formats[0].scale;
}
std::string product_of(std::int64_t terms) {
  return fmt::format(
      "graph g (%a : f32[1,{0}], %b : f32[{0},1]) {{\n  %y = matmul %a, %b : f32[1,1]\n  return %y\n}}\n", terms);
}
std::string mean_of(std::int64_t terms) {
  return fmt::format(
      "graph g (%a : f32[1,{0}]) {{\n  %y = reduce_mean %a {{axes = [1], keep_dims = 1}} : f32[1,1]\n  return %y\n}}\n",
      terms);
}
std::string squares_of(std::int64_t terms) {
  return fmt::format(
      "graph g (%a : f32[1,{0}]) {{\n  %y = reduce_sum_square %a {{axes = [1], keep_dims = 1}} : f32[1,1]\n"
      "  return %y\n}}\n",
      terms);
}
}  // namespace

TEST_CASE(
    "numerics: from how many terms on do codes become smaller, so that sums of computed values keep within i32?") {
  // half of i32 is for the products: 2^30 / 255^2 = 16,512.8; the other half lasts up to 2^31 / 255^2 = 33,025.5
  CHECK(code_of_one(product_of(16512), 8) == doctest::Approx(255));
  CHECK(code_of_one(product_of(16513), 8) == doctest::Approx(254));
  CHECK(code_of_one(product_of(33025), 8) == doctest::Approx(180));  // sqrt(2^30 / 33,025) = 180.3
  CHECK(code_of_one(product_of(33026), 8) == doctest::Approx(180));
  CHECK(code_of_one(squares_of(16512), 8) == doctest::Approx(255));
  CHECK(code_of_one(squares_of(16513), 8) == doctest::Approx(254));
  CHECK(code_of_one(product_of(1), 16) == doctest::Approx(32768));
  CHECK(code_of_one(product_of(100), 16) == doctest::Approx(3276));  // sqrt(2^30 / 100) = 3,276.8
  // elements: 2^30 / 65,535 = 16,384.25; 2^30 / 255 = 4,210,752.25
  CHECK(code_of_one(mean_of(16384), 16) == doctest::Approx(65535));
  CHECK(code_of_one(mean_of(16385), 16) == doctest::Approx(65532));  // 2^30 / 16,385 = 65,532.0
  CHECK(code_of_one(mean_of(4210752), 8) == doctest::Approx(255));
  CHECK(code_of_one(mean_of(4210753), 8) == doctest::Approx(254));
}
TEST_CASE("numerics: does the largest sum of a product with constants keep within i32, with 8 bits too?") {
  constexpr double i32_end = 2147483648.0;
  for (const std::int64_t terms : {16512, 33026, 70000}) {
    CAPTURE(terms);
    ir::Graph graph;
    const ir::ValueId a = graph.add_input("a", {ElementType::f32, {1, terms}});
    const ir::ValueId w = graph.add_constant(
        "w", ir::Tensor::of({ElementType::f32, {terms, 1}}, std::vector<double>(static_cast<std::size_t>(terms), 1.0)));
    const ir::ValueId y = graph.add_value("y", {ElementType::f32, {1, 1}});
    graph.append({.op = "matmul", .attributes = {}, .inputs = {a, w}, .outputs = {y}, .source = "m", .body = {}});
    graph.outputs = {y};
    const NumericsPlan plan = plan_numerics(graph, isa::load_chip("tiny-4"), Numerics::quantised,
                                            {{"a", Observed(0, 1)}, {"y", Observed(0, static_cast<double>(terms))}});
    const double input = 1 / plan.of(a).scale, weight = 1 / plan.weight_scales[0].at(0);
    CHECK(static_cast<double>(terms) * std::round(input) * std::round(weight) < i32_end);
  }
}
