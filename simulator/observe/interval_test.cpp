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

TEST_CASE("interval: is it the slope over the middle half, whatever filling and draining take?") {
  // 8 images: from image 2 to image 6
  CHECK(*sim::steady_interval(ended({1000, 1100, 1200, 1300, 1400, 1500, 1600, 1610})) == 100);
  CHECK(*sim::steady_interval(ended({7, 107})) == 100);
  CHECK(*sim::steady_interval(ended({7, 107, 209})) == 101);
}

TEST_CASE("interval: has one image none, and an image that was never stored neither?") {
  CHECK_FALSE(sim::steady_interval(ended({100})).has_value());
  CHECK_FALSE(sim::steady_interval(ended({100, 0, 300})).has_value());
}
