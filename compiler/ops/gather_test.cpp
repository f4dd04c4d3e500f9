#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

TEST_CASE("gather: do indices of any rank, on any axis, counted from either end, pick their slices?") {
  const auto X = sample({3, 4, 2});
  const auto x = X.to_doubles();
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{2, 3}}) {
      Ints values;
      for (std::int64_t i = 0; i < ir::element_count(shape); ++i) values.push_back(i % 4 - 2);  // -2 .. 1
      Shape out = X.shape();
      out.erase(out.begin() + axis);
      out.insert(out.begin() + axis, shape.begin(), shape.end());
      Reals y;
      each(out, [&](const Ints& o) {
        Ints i(o.begin(), o.begin() + axis);
        std::int64_t flat = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + o[static_cast<std::size_t>(axis) + d];
        const auto picked = values[static_cast<std::size_t>(flat)];
        i.push_back(picked < 0 ? picked + X.shape()[static_cast<std::size_t>(axis)] : picked);
        i.insert(i.end(), o.begin() + axis + static_cast<std::ptrdiff_t>(shape.size()), o.end());
        y.push_back(at(x, X.shape(), i));
      });
      check_equal(run("Gather", 13, {{"axis", axis}}, {X, ints(shape, values)}), out, y);
    }
}

TEST_CASE("gather: is an index outside the tensor an error of the user?") {
  CHECK_THROWS_AS(run("Gather", 13, {}, {sample({3}), ints({1}, {3})}), UserError);
  CHECK_THROWS_AS(run("Gather", 13, {}, {sample({3}), ints({1}, {-4})}), UserError);
}

TEST_CASE("gather_elements and gather_nd: which coordinates do the indices replace?") {
  const auto X = real({2, 3}, {1, 2, 3, 4, 5, 6});
  check_equal(run("GatherElements", 13, {{"axis", std::int64_t{1}}}, {X, ints({2, 2}, {0, -1, 2, 0})}), {2, 2},
              {1, 3, 6, 4});
  check_equal(run("GatherElements", 13, {}, {X, ints({1, 3}, {1, 0, 1})}), {1, 3}, {4, 2, 6});
  check_equal(run("GatherND", 13, {}, {X, ints({2, 2}, {0, 1, -1, 2})}), {2}, {2, 6});
  check_equal(run("GatherND", 13, {}, {X, ints({2, 1}, {1, 0})}), {2, 3}, {4, 5, 6, 1, 2, 3});
  check_equal(run("GatherND", 13, {{"batch_dims", std::int64_t{1}}}, {X, ints({2, 1}, {2, 0})}), {2}, {3, 4});
}

TEST_CASE("scatter: does the last of colliding updates stay, and do reductions combine them?") {
  const auto X = real({4}, {1, 2, 3, 4}), updates = real({3}, {10, 20, 5});
  const auto where = ints({3}, {1, -2, 1});  // 1, 2, 1
  const auto scatter = [&](const char* reduction) {
    return run("ScatterElements", 18, {{"reduction", std::string(reduction)}}, {X, where, updates});
  };
  check_equal(scatter("none"), {4}, {1, 5, 20, 4});
  check_equal(scatter("add"), {4}, {1, 17, 23, 4});
  check_equal(scatter("mul"), {4}, {1, 100, 60, 4});
  check_equal(scatter("max"), {4}, {1, 10, 20, 4});
  check_equal(scatter("min"), {4}, {1, 2, 3, 4});
  check_equal(run("Scatter", 10, {}, {X, where, updates}), {4}, {1, 5, 20, 4});
  const auto M = real({2, 2}, {1, 2, 3, 4});
  check_equal(run("ScatterND", 16, {}, {M, ints({1, 1}, {1}), real({1, 2}, {8, 9})}), {2, 2}, {1, 2, 8, 9});
  check_equal(
      run("ScatterND", 16, {{"reduction", std::string("add")}}, {M, ints({2, 2}, {0, 1, 0, 1}), real({2}, {10, 20})}),
      {2, 2}, {1, 32, 3, 4});
  CHECK_THROWS_AS(run("ScatterElements", 18, {}, {X, ints({1}, {4}), real({1}, {0})}), UserError);
  CHECK(refusal("ScatterND", 16, {}, {M, ints({1, 1}, {1}), real({1, 3}, {8, 9, 7})}) ==
        "node 'n' (scatter_nd), input 'updates' f32[1,3]: expected shape [1,2], got [1,3]");
}

TEST_CASE("one_hot: on which axis, and what of indices outside?") {
  const auto values = real({2}, {-1, 7});
  check_equal(run("OneHot", 11, {}, {ints({2}, {1, -1}), ints({1}, {3}), values}), {2, 3}, {-1, 7, -1, -1, -1, 7});
  check_equal(run("OneHot", 11, {{"axis", std::int64_t{0}}}, {ints({2}, {0, 5}), ints({1}, {2}), values}), {2, 2},
              {7, -1, -1, -1});
}
