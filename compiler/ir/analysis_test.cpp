#include "compiler/ir/analysis.hpp"

#include <doctest/doctest.h>
#include <functional>

#include "compiler/ir/text.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

const ExprNames xy{{"x", "y"}, {{"I", {ElementType::u8, {9}}, OperandRole::input}}, {}, {}};
/// First and last value of an index expression for x in 0 .. 9 and y in 0 .. 3.
Range of(const std::string& text) {
  const Range r = interval(parse_expr(text, xy), {{0, 10}, {0, 4}});
  return {r.begin, r.end - 1};
}
Kernel conv3x3(int stride, int pad) {
  const int out = (14 + 2 * pad - 3) / stride + 1;
  const std::string o = std::to_string(out), s = std::to_string(stride), p = std::to_string(pad);
  return parse_kernel("kernel conv (m: 4, y: " + o + ", x: " + o + " | c: 2, ky: 3, kx: 3) {\n  acc : f32 += X[c, " +
                      s + " * y + ky - " + p + ", " + s + " * x + kx - " + p +
                      "] outside 0.0 * W[m, c, ky, kx]\n  Y[m, y, x] = acc + B[m]\n} where X : f32[2,14,14], W : "
                      "f32[4,2,3,3], B : f32[4], Y : out f32[4," +
                      o + "," + o + "]");
}

}  // namespace

TEST_CASE("interval: are affine forms, divisions, tables and data bounded?") {
  CHECK(of("2 * x - y + 1") == Range{-2, 19});
  CHECK(of("x - x") == Range{0, 0});  // affine forms are exact
  CHECK(of("x // 4") == Range{0, 2});
  CHECK(of("(x - 5) // 4") == Range{-2, 1});
  CHECK(of("x % 4") == Range{0, 3});
  CHECK(of("(y + 4) % 4") == Range{0, 3});  // 4 .. 7 lies in one period
  CHECK(of("min(x, 3) + max(y, 2)") == Range{2, 6});
  CHECK(of("table<i64>[5, -1, 7, 2][y]") == Range{-1, 7});
  CHECK(of("cast<i64>(I[x])") == Range{0, 255});
  CHECK(of("select(x == 0, y, -7)") == Range{-7, 3});
}
TEST_CASE("analysis: which input rows does output row 3 need?") {
  const Kernel k = conv3x3(2, 1);
  // 2 * 3 - 1 = 5, three rows of kernel; all columns: from -1, clipped to 0, to 2 * 6 + 2 - 1 = 13
  CHECK(needed(k, "X", {{0, 4}, {3, 4}, {0, 7}}) == Box{{0, 2}, {5, 8}, {0, 14}});
  CHECK(needed(k, "X", {{0, 4}, {0, 1}, {6, 7}}) == Box{{0, 2}, {0, 2}, {11, 14}});  // above the image nothing is read
  CHECK(needed(k, "W", {{1, 3}, {3, 4}, {0, 7}}) == Box{{1, 3}, {0, 2}, {0, 3}, {0, 3}});
  CHECK(needed(k, "B", {{2, 3}, {0, 7}, {0, 7}}) == Box{{2, 3}});
  CHECK(is_empty(needed(k, "X", {{0, 0}, {0, 7}, {0, 7}})));
}
TEST_CASE("analysis: do grouped output maps narrow their group?") {
  const Kernel k =
      parse_kernel(R"(kernel grouped (g: 4, m: 3, x: 5 | c: 2) { acc : f32 += X[2 * g + c, x] * W[3 * g + m, c]
    Y[3 * g + m, x] = acc } where X : f32[8,5], W : f32[12,2], Y : out f32[12,5])");
  CHECK(needed(k, "X", {{3, 6}, {0, 5}}) == Box{{2, 4}, {0, 5}});  // output channels 3 .. 5 are group 1: inputs 2 and 3
  CHECK(needed(k, "W", {{4, 5}, {1, 2}}) == Box{{4, 5}, {0, 2}});
  CHECK(axes_for(k, 0, {{4, 5}, {1, 2}}) == std::vector<Range>{{1, 2}, {1, 2}, {1, 2}, {0, 2}});
  CHECK(written(k, 0, {{1, 2}, {0, 3}, {0, 5}, {0, 2}}) == Box{{3, 6}, {0, 5}});
}
TEST_CASE("analysis: do reshapes by division, scans, gathers and scatters need the right parts?") {
  const Kernel reshape = parse_kernel(
      "kernel reshape (i: 24) { Y[i // 4, i % 4] = X[i // 12, i % 12] } where X : f32[2,12], Y : out f32[6,4]");
  CHECK(needed(reshape, "X", {{4, 5}, {0, 4}}) ==
        Box{{1, 2}, {4, 8}});  // row 4 is elements 16 .. 19: row 1, columns 4 .. 7
  const Kernel scan = parse_kernel(
      "kernel scan (i: 2 | | t: 9) { state s : f32 = 0.0 then s + X[i, t]\n Y[i, t] = s } where X : f32[2,9], Y : out "
      "f32[2,9]");
  CHECK(needed(scan, "X", {{1, 2}, {4, 5}}) == Box{{1, 2}, {0, 5}});  // everything up to step 4
  const Kernel gather = parse_kernel(
      "kernel gather (i: 3, j: 2) { Y[i, j] = D[I[i], j] } where D : f32[7,2], I : i64[3], Y : out f32[3,2]");
  CHECK(needed(gather, "D", {{1, 2}, {0, 1}}) == Box{{0, 7}, {0, 1}});
  CHECK(needed(gather, "I", {{1, 2}, {0, 1}}) == Box{{1, 2}});
  const Kernel scatter = parse_kernel(
      "kernel scatter (i: 3) { Y[I[i]] += U[i] from D } where D : f32[9], I : i64[3], U : f32[3], Y : out f32[9]");
  CHECK(needed(scatter, "D", {{4, 6}}) == Box{{4, 6}});
  CHECK(needed(scatter, "U", {{4, 6}}) == Box{{0, 3}});
}
TEST_CASE("analysis: what is a contraction, and by which axes?") {
  const auto c = as_contraction(conv3x3(1, 1));
  REQUIRE(c);
  CHECK(c->left_only == std::vector<int>{1, 2});
  CHECK(c->right_only == std::vector<int>{0});
  CHECK(c->batch.empty());
  CHECK(c->reduction == std::vector<int>{3, 4, 5});
  const auto is = [](const std::string& text) { return is_contraction(parse_kernel(text)); };
  CHECK(
      is("kernel q (i: 4 | k: 5) { acc : i32 += (cast<i32>(A[i, k]) - cast<i32>(Z[])) * cast<i32>(B[k])\n Y[i] = acc } "
         "where A : u8[4,5], Z : u8[], B : i8[5], Y : out i32[4]"));
  CHECK_FALSE(
      is("kernel max (i: 4 | k: 5) { acc : f32 max= A[i, k] * B[k]\n Y[i] = acc } where A : f32[4,5], B : f32[5], Y : "
         "out f32[4]"));
  CHECK_FALSE(is("kernel sum (i: 4 | k: 5) { acc : f32 += A[i, k]\n Y[i] = acc } where A : f32[4,5], Y : out f32[4]"));
  CHECK_FALSE(
      is("kernel gathered (i: 4 | k: 5) { acc : f32 += A[i, I[k]] * B[k]\n Y[i] = acc } where A : f32[4,5], I : "
         "i64[5], B : f32[5], Y : out f32[4]"));
  CHECK_FALSE(
      is("kernel weighted (i: 4 | k: 5) { acc : f32 += A[i, k] * cast<f32>(k)\n Y[i] = acc } where A : f32[4,5], Y : "
         "out f32[4]"));
}
TEST_CASE("analysis: what is element-wise, a movement, injective, data-dependent?") {
  const Kernel add = parse_kernel(
      "kernel add (i: 4, j: 5) { Y[i, j] = relu(A[i, j] + B[j]) } where A : f32[4,5], B : f32[5], Y : out f32[4,5]");
  CHECK(is_elementwise(add));
  CHECK_FALSE(is_data_movement(add));
  CHECK(writes_are_injective(add));
  CHECK(operations(add) == 4 * 5 * 2);
  const Kernel slice = parse_kernel("kernel slice (i: 2) { Y[i] = A[2 * i + 1] } where A : f32[4], Y : out f32[2]");
  CHECK_FALSE(is_elementwise(slice));
  CHECK(is_data_movement(slice));
  const Kernel folded =
      parse_kernel("kernel folded (i: 4, j: 3) { Y[2 * i + j] += A[i, j] } where A : f32[4,3], Y : out f32[9]");
  CHECK_FALSE(writes_are_injective(folded));  // (0, 2) and (1, 0) both write 2
  CHECK_FALSE(has_data_dependent_map(folded));
  CHECK(operations(conv3x3(1, 1)) == 4 * 14 * 14 * (2 * 18 + 1));
}

namespace {
/// The smallest box of `to` that holds what `box` holds of `from`, element by element.
Box enumerated(const Box& box, const Shape& from, const Shape& to) {
  Box all;
  for (std::int64_t flat = 0; flat < element_count(from); ++flat) {
    const auto index_in = [&](const Shape& shape) {
      Shape index(shape.size());
      std::int64_t rest = flat;
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
      return index;
    };
    const Shape at = index_in(from);
    bool inside = true;
    for (std::size_t d = 0; d < at.size(); ++d) inside = inside && box[d].begin <= at[d] && at[d] < box[d].end;
    if (!inside) continue;
    Box one;
    for (const std::int64_t i : index_in(to)) one.push_back({i, i + 1});
    all = all.empty() ? one : bounding(all, one);
  }
  return all;
}
}  // namespace

TEST_CASE("analysis: is a box under another shape the smallest round its elements where dimensions split or join?") {
  struct Pair {
    Shape from, to;
  };
  for (const auto& [its_from, its_to] :
       {Pair{{1, 6, 8}, {1, 6, 2, 4}}, Pair{{1, 6, 2, 4}, {1, 6, 8}}, Pair{{4, 3}, {4, 3, 1}},
        Pair{{2, 1, 3, 4}, {6, 4}}, Pair{{6, 4}, {2, 3, 2, 2}}, Pair{{5}, {1, 5, 1}}}) {
    const auto& from = its_from;
    const auto& to = its_to;
    Box box(from.size());
    const std::function<void(std::size_t)> each = [&](std::size_t d) {
      if (d < from.size()) {
        for (box[d].begin = 0; box[d].begin < from[d]; ++box[d].begin)
          for (box[d].end = box[d].begin + 1; box[d].end <= from[d]; ++box[d].end) each(d + 1);
        return;
      }
      const Box expected = enumerated(box, from, to), found = reshaped(box, from, to);
      REQUIRE(found.size() == expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k].begin <= expected[k].begin);
        CHECK(found[k].end >= expected[k].end);
      }
      // one element of each dimension but the last: a run
      bool is_run = true;
      for (std::size_t k = 0; k + 1 < from.size(); ++k)
        is_run = is_run && (box[k].size() == 1 || from.size() == to.size());
      if (is_run && from.size() != to.size()) CHECK(found == expected);
    };
    each(0);
  }
  CHECK(reshaped({{0, 1}, {2, 4}, {4, 8}}, {1, 6, 8}, {1, 6, 2, 4}) == Box{{0, 1}, {2, 4}, {1, 2}, {0, 4}});
  CHECK(reshaped({{0, 1}, {2, 4}, {1, 2}, {0, 4}}, {1, 6, 2, 4}, {1, 6, 8}) == Box{{0, 1}, {2, 4}, {4, 8}});
}
TEST_CASE("analysis: what of a box under a shape that shares no product with its own?") {
  CHECK(reshaped({{1, 2}, {0, 4}}, {3, 4}, {2, 6}) == Box{{0, 2}, {0, 6}});  // elements 4 to 7
  CHECK(reshaped({{2, 3}, {0, 4}}, {3, 4}, {2, 6}) == Box{{1, 2}, {2, 6}});  // 8 to 11
  CHECK(reshaped({}, {}, {1, 1}) == Box{{0, 1}, {0, 1}});
  CHECK(reshaped({{0, 1}}, {1}, {}).empty());
  CHECK(is_empty(reshaped({{2, 2}, {0, 4}}, {3, 4}, {12})));
}
