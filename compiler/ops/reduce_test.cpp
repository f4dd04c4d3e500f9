#include <algorithm>
#include <limits>

#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
struct Formula {
  const char* name;
  double first;
  double (*take)(double sum, double x);
  double (*finish)(double sum, double count);
};
const std::vector<Formula> formulas{
    {"ReduceSum", 0, [](double s, double x) { return s + x; }, [](double s, double) { return s; }},
    {"ReduceMean", 0, [](double s, double x) { return s + x; }, [](double s, double n) { return s / n; }},
    {"ReduceMax", -1e30, [](double s, double x) { return std::max(s, x); }, [](double s, double) { return s; }},
    {"ReduceMin", 1e30, [](double s, double x) { return std::min(s, x); }, [](double s, double) { return s; }},
    {"ReduceProd", 1, [](double s, double x) { return s * x; }, [](double s, double) { return s; }},
    {"ReduceL1", 0, [](double s, double x) { return s + std::fabs(x); }, [](double s, double) { return s; }},
    {"ReduceL2", 0, [](double s, double x) { return s + x * x; }, [](double s, double) { return std::sqrt(s); }},
    {"ReduceSumSquare", 0, [](double s, double x) { return s + x * x; }, [](double s, double) { return s; }},
    {"ReduceLogSum", 0, [](double s, double x) { return s + x; }, [](double s, double) { return std::log(s); }},
    {"ReduceLogSumExp", 0, [](double s, double x) { return s + std::exp(x); },
     [](double s, double) { return std::log(s); }},
};
}  // namespace

TEST_CASE("reductions: does each equal its loop over every set of axes, with and without kept dimensions?") {
  const Shape shape{2, 1, 5, 3};
  for (const auto& f : formulas) {
    for (unsigned set = 0; set < 16; ++set) {
      CAPTURE(fmt::format("{} over set {}", f.name, set));
      auto X = sample(shape);
      if (std::string(f.name) == "ReduceLogSum") X = run("Abs", 13, {}, {run("Add", 13, {}, {X, real({}, {3})})});
      const auto x = X.to_doubles();
      const auto gone = [&](std::size_t d) { return set == 0 || (set >> d & 1U) != 0; };
      Ints axes;
      Shape kept, squeezed;
      for (std::size_t d = 0; d < 4; ++d) {
        if (set != 0 && gone(d)) axes.push_back(static_cast<std::int64_t>(d) - 4);
        kept.push_back(gone(d) ? 1 : shape[d]);
        if (!gone(d)) squeezed.push_back(shape[d]);
      }
      Reals y;
      each(kept, [&](const Ints& o) {
        double sum = f.first, count = 0;
        each(shape, [&](const Ints& i) {
          for (std::size_t d = 0; d < 4; ++d)
            if (!gone(d) && i[d] != o[d]) return;
          sum = f.take(sum, at(x, shape, i));
          count += 1;
        });
        y.push_back(f.finish(sum, count));
      });
      ir::Attributes old{{"keepdims", std::int64_t{0}}};
      if (!axes.empty()) old["axes"] = axes;
      check_close(run(f.name, 11, old, {X}), squeezed, y);
      std::vector<Tensor> inputs{X};
      if (!axes.empty()) inputs.push_back(ints({static_cast<std::int64_t>(axes.size())}, axes));
      check_close(run(f.name, 18, {}, inputs), kept, y);
    }
  }
}

TEST_CASE("reductions: what do no axes, a scalar, integers and infinities give?") {
  const auto X = real({2, 2}, {1, 2, 3, 4});
  check_equal(run("ReduceSum", 13, {{"noop_with_empty_axes", std::int64_t{1}}}, {X, ints({0}, {})}), {2, 2},
              {1, 2, 3, 4});
  check_equal(run("ReduceSum", 13, {}, {real({}, {5})}), {}, {5});
  const auto mean = run("ReduceMean", 13, {{"keepdims", std::int64_t{0}}}, {ints({2}, {-3, -4})});
  CHECK(mean.element_type() == i64);
  check_equal(mean, {}, {-3});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_equal(run("ReduceLogSumExp", 13, {{"keepdims", std::int64_t{0}}}, {real({2}, {-infinity, -infinity})}), {},
              {-infinity});
  check_close(run("ReduceLogSumExp", 13, {{"keepdims", std::int64_t{0}}}, {real({2}, {1000, 1000})}), {},
              {1000 + std::log(2.0)});
  CHECK(refusal("ReduceSum", 11, {{"axes", Ints{2}}}, {X}) ==
        "node 'n' (reduce_sum), attribute 'axes': expected an axis in [-2, 1], got 2");
}

TEST_CASE("arg_max and arg_min: which of equals is taken, on every axis?") {
  const auto X = real({2, 3}, {1, 3, 3, 5, -1, 5});
  check_equal(run("ArgMax", 13, {{"axis", std::int64_t{1}}}, {X}), {2, 1}, {1, 0});
  check_equal(
      run("ArgMax", 13,
          {{"axis", std::int64_t{-1}}, {"select_last_index", std::int64_t{1}}, {"keepdims", std::int64_t{0}}}, {X}),
      {2}, {2, 2});
  check_equal(run("ArgMin", 13, {}, {X}), {1, 3}, {0, 1, 0});
  check_equal(run("ArgMin", 13, {{"axis", std::int64_t{1}}}, {ints({1, 3}, {-5, 2, -5})}), {1, 1}, {0});
}

TEST_CASE("lp_normalization: is a row of zeros left alone?") {
  check_close(run("LpNormalization", 13, {}, {real({2, 2}, {3, 4, 0, 0})}), {2, 2}, {0.6, 0.8, 0, 0});
  check_close(run("LpNormalization", 13, {{"p", std::int64_t{1}}, {"axis", std::int64_t{0}}}, {real({2, 1}, {3, -1})}),
              {2, 1}, {0.75, -0.25});
}

TEST_CASE("cum_sum: do direction and exclusion combine on every axis?") {
  const auto X = sample({2, 5, 3});
  const auto x = X.to_doubles();
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        Reals y;
        each(X.shape(), [&](const Ints& o) {
          double sum = 0;
          const auto a = static_cast<std::size_t>(axis);
          for (std::int64_t t = 0; t < X.shape()[a]; ++t) {
            auto i = o;
            i[a] = t;
            if (reverse ? t > o[a] : t < o[a]) sum += at(x, X.shape(), i);
            if (t == o[a] && !exclusive) sum += at(x, X.shape(), i);
          }
          y.push_back(sum);
        });
        check_equal(run("CumSum", 14, {{"exclusive", std::int64_t{exclusive}}, {"reverse", std::int64_t{reverse}}},
                        {X, ints({}, {axis - 3})}),
                    X.shape(), y);
      }
}

TEST_CASE("top_k: are the elements in order, equals by position, and is one output alone allowed?") {
  const auto X = real({2, 4}, {1, 4, 4, 2, -1, -3, 0, -3});
  const auto got = run_all("TopK", 11, {}, {X, ints({1}, {3})}, 2);
  check_equal(got[0], {2, 3}, {4, 4, 2, 0, -1, -3});
  check_equal(got[1], {2, 3}, {1, 2, 3, 2, 0, 1});
  const auto smallest =
      run_all("TopK", 11, {{"largest", std::int64_t{0}}, {"axis", std::int64_t{0}}}, {X, ints({1}, {1})}, 2);
  check_equal(smallest[1], {1, 4}, {1, 1, 1, 1});
  check_equal(run("TopK", 1, {{"k", std::int64_t{1}}}, {X}), {2, 1}, {4, 0});
  CHECK(refusal("TopK", 11, {}, {X, ints({1}, {5})}, 2) ==
        "node 'n' (top_k), attribute 'k': expected at most 4, the extent of dimension 1, got 5");
}
