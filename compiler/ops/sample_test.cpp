#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

TEST_CASE("grid_sample: where do corners, centres and positions outside lie?") {
  const auto X = real({1, 1, 2, 2}, {0, 1, 2, 3});
  const auto sampled = [&](const char* mode, const char* padding, bool aligned, double x, double y) {
    const auto grid = real({1, 1, 1, 2}, {x, y});
    return run("GridSample", 16,
               {{"mode", std::string(mode)},
                {"padding_mode", std::string(padding)},
                {"align_corners", std::int64_t{aligned}}},
               {X, grid})
        .to_doubles()[0];
  };
  CHECK(sampled("bilinear", "zeros", false, 0, 0) == 1.5);
  CHECK(sampled("bilinear", "zeros", true, -1, -1) == 0);
  CHECK(sampled("bilinear", "zeros", true, 1, 1) == 3);
  CHECK(sampled("bilinear", "zeros", true, 0.5, -1) == 0.75);
  CHECK(sampled("bilinear", "zeros", false, 1, 1) == 0.75);  // the corner of the image: a quarter of its last element
  CHECK(sampled("bilinear", "border", false, 1, 1) == 3);
  CHECK(sampled("nearest", "zeros", false, -3, 0.1) == 0);
  CHECK(sampled("nearest", "border", false, -3, 0.5) == 2);
  CHECK(sampled("nearest", "reflection", true, 3, -1) == 0);  // 3 is one period beyond -1
  CHECK(sampled("bicubic", "border", true, 1, -1) == doctest::Approx(1));
}

TEST_CASE("roi_align: is a region of a plane the plane?") {
  Reals plane;
  each({1, 1, 8, 8}, [&](const Ints& i) { plane.push_back(static_cast<double>(10 * i[2] + i[3])); });
  const ir::Attributes a{{"output_height", std::int64_t{2}},
                         {"output_width", std::int64_t{2}},
                         {"sampling_ratio", std::int64_t{2}},
                         {"coordinate_transformation_mode", std::string("output_half_pixel")}};
  // Region (1, 2) to (5, 6), cells of 2 x 2: the mean over a cell is the plane at its centre.
  check_close(run("RoiAlign", 16, a, {real({1, 1, 8, 8}, plane), real({1, 4}, {1, 2, 5, 6}), ints({1}, {0})}),
              {1, 1, 2, 2}, {32, 34, 52, 54});
  CHECK(refusal("RoiAlign", 16, {}, {sample({1, 1, 8, 8}), sample({1, 4}), ints({1}, {0})}) ==
        "node 'n' (roi_align), attribute 'sampling_ratio': expected 1 or more, since with 0 the number of samples "
        "depends on data, got 0");
}

TEST_CASE("max_roi_pool: do cells cover their region?") {
  const auto X = real({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  check_equal(run("MaxRoiPool", 1, {{"pooled_shape", Ints{1, 2}}}, {X, real({1, 5}, {0, 0, 0, 1, 1})}), {1, 1, 1, 2},
              {4, 5});
}

TEST_CASE("max_unpool: does it put back what max_pool took?") {
  const auto X = sample({1, 2, 4, 4});
  const ir::Attributes a{{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  const auto pooled = run_all("MaxPool", 12, a, {X}, 2);
  const auto back = run("MaxUnpool", 11, a, pooled);
  REQUIRE(back.shape() == X.shape());
  const auto x = X.to_doubles(), y = back.to_doubles(), p = pooled[0].to_doubles();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK((y[i] == 0 || y[i] == x[i]));
    kept += y[i] != 0 ? 1 : 0;
  }
  CHECK(kept <= p.size());
  CHECK(y[static_cast<std::size_t>(pooled[1].to_integers()[3])] == p[3]);
  check_equal(run("MaxUnpool", 11, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}},
                  {real({1, 1, 1}, {5}), ints({1, 1, 1}, {1}), ints({3}, {1, 1, 3})}),
              {1, 1, 3}, {0, 5, 0});
}

TEST_CASE("windows and det: do the formulas hold?") {
  check_close(run("HannWindow", 17, {}, {ints({}, {4})}), {4}, {0, 0.5, 1, 0.5});
  check_close(run("HannWindow", 17, {{"periodic", std::int64_t{0}}}, {ints({}, {3})}), {3}, {0, 1, 0});
  check_close(run("BlackmanWindow", 17, {}, {ints({}, {2})}), {2}, {0, 1});
  check_close(run("HammingWindow", 17, {}, {ints({}, {2})}), {2}, {4.0 / 46, 1});
  check_close(run("Det", 11, {}, {real({2, 2, 2}, {1, 2, 3, 4, 0, 2, 3, 0})}), {2}, {-2, -6});
  check_close(run("Det", 11, {}, {real({3, 3}, {2, 0, 1, 1, 3, 2, 1, 1, 4})}), {}, {18});
  check_equal(run("Det", 11, {}, {real({2, 2}, {1, 2, 2, 4})}), {}, {0});
}
