#include "simulator/observe/interval.hpp"

#include <doctest/doctest.h>

using namespace pimento;

namespace {
sim::Result ended(std::vector<Cycles> ends) {
  sim::Result result;
  result.image_ends = std::move(ends);
  return result;
}
}  // namespace

TEST_CASE("interval: is it the slope between filling and draining, whatever these take?") {
  // 8 images: from image 2 to image 5
  CHECK(*sim::steady_interval(ended({1000, 1050, 1200, 1300, 1400, 1500, 1510, 1520})) == 100);
  CHECK(*sim::steady_interval(ended({7, 107})) == 100);
  CHECK(*sim::steady_interval(ended({7, 107, 209})) == 100);
}

TEST_CASE("interval: is there none while images come ever faster or slower?") {
  CHECK(sim::steady_interval(ended({1, 100, 200, 300, 401, 501, 600, 700})).has_value());
  CHECK_FALSE(sim::steady_interval(ended({1, 100, 200, 300, 390, 480, 570, 660})).has_value());
  CHECK_FALSE(sim::steady_interval(ended({1, 100, 200, 300, 420, 540, 660, 780})).has_value());
}

TEST_CASE("interval: has one image none, and an image that was never stored neither?") {
  CHECK_FALSE(sim::steady_interval(ended({100})).has_value());
  CHECK_FALSE(sim::steady_interval(ended({100, 0, 300})).has_value());
}
