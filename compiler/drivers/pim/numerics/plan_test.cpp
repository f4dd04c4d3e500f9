#include "compiler/drivers/pim/numerics/plan.hpp"

#include <doctest/doctest.h>

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
