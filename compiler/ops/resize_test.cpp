#include <limits>

#include <algorithm>

#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
Tensor resize(const ir::Attributes& attributes, const Tensor& X, const Reals& scales) {
  return run("Resize", 13, attributes, {X, Tensor{}, real({static_cast<std::int64_t>(scales.size())}, scales)});
}
Tensor resize_to(const ir::Attributes& attributes, const Tensor& X, const Ints& sizes) {
  return run("Resize", 19, attributes, {X, Tensor{}, Tensor{}, ints({static_cast<std::int64_t>(sizes.size())}, sizes)});
}
ir::Attributes mode(const char* name, const char* coordinates = "half_pixel",
                    const char* nearest = "round_prefer_floor") {
  return {{"mode", std::string(name)},
          {"coordinate_transformation_mode", std::string(coordinates)},
          {"nearest_mode", std::string(nearest)}};
}
}  // namespace

TEST_CASE("resize: which element is nearest, in every rounding?") {
  const auto X = real({4}, {0, 1, 2, 3});
  // 4 to 2, half_pixel: sources 0.5 and 2.5
  check_equal(resize(mode("nearest"), X, {0.5}), {2}, {0, 2});
  check_equal(resize(mode("nearest", "half_pixel", "round_prefer_ceil"), X, {0.5}), {2}, {1, 3});
  check_equal(resize(mode("nearest", "half_pixel", "floor"), X, {0.5}), {2}, {0, 2});
  check_equal(resize(mode("nearest", "half_pixel", "ceil"), X, {0.5}), {2}, {1, 3});
  // asymmetric, twice as large: sources 0, 0.5, 1, ...
  check_equal(resize(mode("nearest", "asymmetric", "floor"), X, {2}), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  check_equal(run("Upsample", 9, {}, {X, real({1}, {2})}), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  check_equal(run("Upsample", 7, {{"scales", Reals{2}}}, {X}), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  check_equal(run("Resize", 10, {}, {X, real({1}, {0.5})}), {2}, {0, 2});
}

TEST_CASE("resize: where does each coordinate mode look, linearly?") {
  const auto X = real({1, 3}, {0, 6, 12});
  check_close(resize_to(mode("linear"), X, {1, 6}), {1, 6}, {0, 1.5, 4.5, 7.5, 10.5, 12});        // (o + 0.5) / 2 - 0.5
  check_close(resize_to(mode("linear", "asymmetric"), X, {1, 6}), {1, 6}, {0, 3, 6, 9, 12, 12});  // o / 2
  check_close(resize_to(mode("linear", "align_corners"), X, {1, 5}), {1, 5}, {0, 3, 6, 9, 12});   // o * 2 / 4
  check_close(resize_to(mode("linear", "align_corners"), X, {1, 1}), {1, 1}, {0});
  check_close(resize_to(mode("linear", "pytorch_half_pixel"), X, {1, 1}), {1, 1}, {0});
  check_close(resize_to(mode("linear"), X, {1, 1}), {1, 1}, {6});
  // 3 * 1.5 = 4.5 makes 4 elements; symmetric: 1.5 * (1 - 4 / 4.5) + (o + 0.5) / 1.5 - 0.5 = o / 1.5
  check_close(run("Resize", 19, mode("linear", "half_pixel_symmetric"), {X, Tensor{}, real({2}, {1, 1.5})}), {1, 4},
              {0, 4, 8, 12});
}

TEST_CASE("resize: is a plane the product of its directions, whatever the sizes?") {
  const auto X = sample({1, 2, 3, 5});
  const auto x = X.to_doubles();
  for (const Ints& size : {Ints{1, 1}, Ints{7, 11}, Ints{2, 13}, Ints{3, 5}}) {
    Reals y;
    const auto source = [](std::int64_t o, std::int64_t in, std::int64_t out) {
      return std::min(
          std::max((static_cast<double>(o) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5, 0.0),
          static_cast<double>(in - 1));
    };
    each({1, 2, size[0], size[1]}, [&](const Ints& o) {
      const double r = source(o[2], 3, size[0]), c = source(o[3], 5, size[1]);
      double sum = 0;
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 5; ++j)
          sum += std::max(0.0, 1 - std::fabs(r - static_cast<double>(i))) *
                 std::max(0.0, 1 - std::fabs(c - static_cast<double>(j))) * at(x, X.shape(), {0, o[1], i, j});
      y.push_back(sum);
    });
    check_close(resize_to(mode("linear"), X, {1, 2, size[0], size[1]}), {1, 2, size[0], size[1]}, y);
  }
}

TEST_CASE("resize: does the cubic keep a straight line, and antialiasing the mean?") {
  const auto line = real({8}, {0, 1, 2, 3, 4, 5, 6, 7});
  auto catmull = mode("cubic");
  catmull["cubic_coeff_a"] = -0.5;  // the one parameter for which the cubic is exact on a line
  const auto twice = resize(catmull, line, {2}).to_doubles();
  for (std::size_t o = 4; o < 12; ++o) CHECK(twice[o] == doctest::Approx((static_cast<double>(o) + 0.5) / 2 - 0.5));
  auto smooth = mode("linear");
  smooth["antialias"] = std::int64_t{1};
  // A quarter of the size: triangles of half width 4, normalised. Symmetric, so the two results add up to 7.
  const auto quarter = run("Resize", 18, smooth, {line, Tensor{}, real({1}, {0.25})}).to_doubles();
  REQUIRE(quarter.size() == 2);
  CHECK(quarter[0] + quarter[1] == doctest::Approx(7));
  CHECK(quarter[0] > 1.5);  // the edge cannot pull below the plain average
}

TEST_CASE("resize: do crops take the extrapolation value outside, and do axes and policies choose sizes?") {
  const auto X = real({4}, {0, 1, 2, 3});
  auto crop = mode("linear", "tf_crop_and_resize");
  crop["extrapolation_value"] = 10.0;
  // begin 0, end 2: positions o * 2 * 3 / 3 = 0, 2, 4, 6
  check_close(run("Resize", 13, crop, {X, real({2}, {0, 2}), Tensor{}, ints({1}, {4})}), {4}, {0, 2, 10, 10});
  auto some = mode("nearest");
  some["axes"] = Ints{1};
  CHECK(run("Resize", 18, some, {sample({2, 3}), Tensor{}, real({1}, {2})}).shape() == Shape{2, 6});
  auto kept = mode("nearest");
  kept["keep_aspect_ratio_policy"] = std::string("not_larger");
  CHECK(run("Resize", 18, kept, {sample({2, 3}), Tensor{}, Tensor{}, ints({2}, {6, 6})}).shape() == Shape{4, 6});
  CHECK(refusal("Resize", 13, {}, {X}) == "node 'n' (resize): expected scales or sizes, got none");
  CHECK(refusal("Resize", 13, {}, {X, Tensor{}, real({1}, {0})}) ==
        "node 'n' (resize), attribute 'scales': expected scales above 0, got 0");
  for (const double beyond : {1e30, std::numeric_limits<double>::infinity()})  // no integer holds the extent
    CHECK(refusal("Resize", 13, {}, {X, Tensor{}, real({1}, {beyond})}).find("expected extents below 1099511627776") !=
          std::string::npos);
  CHECK(refusal("Resize", 13, {}, {X, Tensor{}, real({1}, {1e-30})}).find("expected scales above 9.09495e-13") !=
        std::string::npos);
}
