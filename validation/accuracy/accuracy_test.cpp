#include "validation/accuracy/accuracy.hpp"

#include <doctest/doctest.h>

#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"

using namespace pimento;
using namespace pimento::validation;
namespace {

std::vector<AccuracyPoint> points(const AccuracyGrid& grid, std::uint64_t device_seed = 1) {
  AccuracyOptions options;
  options.inputs = 2;
  options.device_seed = device_seed;
  return accuracy(zoo::cached("lenet5") + "/model.onnx", isa::load_chip("tiny-4"), grid, options);
}

}  // namespace

TEST_CASE("accuracy: do fewer ADC bits and more variation leave less, at the same cycles?") {
  AccuracyGrid grid;
  grid.adc_bits = {3, 5};
  grid.variation = {0, 0.2};
  const auto p = points(grid);
  REQUIRE(p.size() == 4);
  CHECK(*p[0].sqnr_db < *p[2].sqnr_db);  // 3 bits below 5
  CHECK(*p[3].sqnr_db < *p[2].sqnr_db);  // variation below none
  for (const AccuracyPoint& each : p) {
    CHECK(each.cycles == p[0].cycles);
    CHECK(each.decided == 2);
  }
}
TEST_CASE("accuracy: is a chip with nothing amiss its own ideal, and does another seed give other devices?") {
  const auto same = points({});
  REQUIRE(same.size() == 1);
  CHECK_FALSE(same[0].sqnr_db);
  CHECK(same[0].agreeing == same[0].decided);
  AccuracyGrid varied;
  varied.variation = {0.1};
  CHECK(*points(varied, 1)[0].sqnr_db == *points(varied, 1)[0].sqnr_db);
  CHECK(*points(varied, 1)[0].sqnr_db != *points(varied, 2)[0].sqnr_db);
}
TEST_CASE("accuracy: is a value that the chip does not take refused before anything runs?") {
  AccuracyGrid grid;
  grid.rows_active = {99999};
  CHECK_THROWS_AS(points(grid), UserError);
}
