#include <numeric>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

TEST_CASE("matmul: do vectors, matrices and broadcast batches follow their rules?") {
  struct Case {
    Shape a, b, y;
  };
  const std::vector<Case> cases{{{1, 1}, {1, 1}, {1, 1}},
                                {{3, 5}, {5, 7}, {3, 7}},
                                {{5}, {5, 7}, {7}},
                                {{3, 5}, {5}, {3}},
                                {{5}, {5}, {}},
                                {{2, 3, 5}, {5, 2}, {2, 3, 2}},
                                {{2, 1, 3, 5}, {4, 5, 2}, {2, 4, 3, 2}},
                                {{3, 5}, {2, 5, 1}, {2, 3, 1}},
                                {{2, 5}, {3, 5, 4}, {3, 2, 4}}};
  for (const auto& t : cases) {
    CAPTURE(fmt::format("{} x {}", fmt::join(t.a, ","), fmt::join(t.b, ",")));
    const auto A = sample(t.a, 1), B = sample(t.b, 2);
    const auto a = A.to_doubles(), b = B.to_doubles();
    auto as = t.a, bs = t.b;
    if (as.size() == 1) as.insert(as.begin(), 1);
    if (bs.size() == 1) bs.push_back(1);
    Shape whole = t.y;  // with the dimensions that vectors lack
    if (t.a.size() == 1) whole.insert(whole.end() - (t.b.size() == 1 ? 0 : 1), 1);
    if (t.b.size() == 1) whole.push_back(1);
    Reals y;
    each(whole, [&](const Ints& o) {
      double sum = 0;
      for (std::int64_t k = 0; k < as.back(); ++k) {
        const auto index = [&](const Shape& shape, std::int64_t row, std::int64_t column) {
          Ints i;
          for (std::size_t d = 0; d + 2 < shape.size(); ++d)
            i.push_back(shape[d] == 1 ? 0 : o[o.size() - shape.size() + d]);
          i.push_back(row);
          i.push_back(column);
          return i;
        };
        sum += at(a, as, index(as, o[o.size() - 2], k)) * at(b, bs, index(bs, k, o.back()));
      }
      y.push_back(sum);
    });
    check_equal(run("MatMul", 13, {}, {A, B}), t.y, y);
  }
}

TEST_CASE("matmul: is it a contraction, and what do wrong operands say?") {
  CHECK(ir::is_contraction(kernel(import("MatMul", 13, {}, {sample({2, 3, 5}), sample({5, 7})}))));
  CHECK(refusal("MatMul", 13, {}, {sample({3, 5}), sample({4, 7})}) ==
        "node 'n' (matmul), input 'B' f32[4,7]: expected 5 rows, as A has columns, got 4");
  CHECK(refusal("MatMul", 13, {}, {sample({2, 3, 5}), sample({3, 5, 7})}) ==
        "node 'n' (matmul), input 'B' f32[3,5,7]: expected extent 1 or 2 on batch dimension 0, to broadcast, got 3");
  CHECK(refusal("MatMul", 13, {}, {sample({3, 5}), sample({5, 7}, 1, i64)}) ==
        "node 'n' (matmul), input 'B' i64[5,7]: expected a type that multiplies with f32, got i64");
}

TEST_CASE("gemm: does every combination of transposition, factors and addend equal the formula?") {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const Shape& c : {Shape{}, Shape{1}, Shape{7}, Shape{3, 1}, Shape{3, 7}, Shape{1, 7}})
        for (const double beta : {1.0, 0.5, 0.0}) {
          const auto A = sample(ta ? Shape{5, 3} : Shape{3, 5}, 1), B = sample(tb ? Shape{7, 5} : Shape{5, 7}, 2),
                     C = sample(c, 3);
          Reals y;
          each({3, 7}, [&](const Ints& o) {
            double sum = 0;
            for (std::int64_t k = 0; k < 5; ++k)
              sum += at(A.to_doubles(), A.shape(), ta ? Ints{k, o[0]} : Ints{o[0], k}) *
                     at(B.to_doubles(), B.shape(), tb ? Ints{o[1], k} : Ints{k, o[1]});
            Ints ci;
            for (std::size_t d = 0; d < c.size(); ++d) ci.push_back(c[d] == 1 ? 0 : o[2 - c.size() + d]);
            y.push_back(0.25 * sum + beta * at(C.to_doubles(), c, ci));
          });
          check_equal(run("Gemm", 13,
                          {{"alpha", 0.25}, {"beta", beta}, {"transA", std::int64_t{ta}}, {"transB", std::int64_t{tb}}},
                          {A, B, C}),
                      {3, 7}, y);
        }
  const auto plain = run("Gemm", 13, {}, {real({1, 2}, {3, 4}), real({2, 1}, {10, 1})});
  check_equal(plain, {1, 1}, {34});
}

TEST_CASE("gemm: which addends and factors are refused?") {
  CHECK(refusal("Gemm", 13, {}, {sample({3, 5}), sample({5, 7}), sample({3})}) ==
        "node 'n' (gemm), input 'C' f32[3]: expected a shape that broadcasts to [3,7], got [3]");
  CHECK(refusal("Gemm", 13, {{"alpha", 0.5}}, {sample({3, 5}, 1, i64), sample({5, 7}, 1, i64)}) ==
        "node 'n' (gemm): expected alpha and beta of 1, since the operands are integers, got 0.5 and 1");
}

TEST_CASE("einsum: do products, diagonals, traces, ellipses and implied results follow the letters?") {
  const auto A = sample({2, 3, 4}, 1), B = sample({2, 4, 5}, 2), S = sample({3, 3}, 3);
  const auto a = A.to_doubles(), b = B.to_doubles(), s = S.to_doubles();
  const auto einsum = [](const char* equation, const std::vector<Tensor>& inputs) {
    return run("Einsum", 12, {{"equation", std::string(equation)}}, inputs);
  };
  Reals product;
  each({2, 3, 5}, [&](const Ints& o) {
    double sum = 0;
    for (std::int64_t k = 0; k < 4; ++k) sum += at(a, {2, 3, 4}, {o[0], o[1], k}) * at(b, {2, 4, 5}, {o[0], k, o[2]});
    product.push_back(sum);
  });
  check_equal(einsum("bij, bjk -> bik", {A, B}), {2, 3, 5}, product);
  check_equal(einsum("...ij,...jk->...ik", {A, B}), {2, 3, 5}, product);
  check_equal(einsum("ii->i", {S}), {3}, {s[0], s[4], s[8]});
  check_equal(einsum("ii", {S}), {}, {s[0] + s[4] + s[8]});
  check_equal(einsum("ba", {S}), {3, 3}, {s[0], s[3], s[6], s[1], s[4], s[7], s[2], s[5], s[8]});  // letters in order
  CHECK(ir::is_contraction(kernel(import("Einsum", 12, {{"equation", std::string("bij,bjk->bik")}}, {A, B}))));
}

TEST_CASE("matmul_nt: is it a product with the rows of B, and what is refused?") {
  const auto graph = [](const std::string& b, const std::string& result) {
    return ir::parse_graph("graph g (%a : f32[2,3,4], %b : f32[" + b + "]) {\n  %y = matmul_nt %a, %b : f32[" + result +
                           "] from \"y\"\n  return %y\n}");
  };
  const auto A = sample({2, 3, 4}), B = sample({1, 5, 4}, 2);
  const auto good = graph("1,5,4", "2,3,5");
  CHECK(ops::check(good).empty());
  const auto a = A.to_doubles(), b = B.to_doubles();
  Reals expected;
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t n = 0; n < 5; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += a[row * 4 + k] * b[n * 4 + k];
      expected.push_back(sum);
    }
  CHECK(ir::interpret(good, {A, B}, ops::kernels_of).outputs.at(0).to_doubles() == expected);
  const auto refused = [&](const std::string& shape) {
    const auto findings = ops::check(graph(shape, "2,3,5"));
    return findings.empty() ? std::string() : ops::to_string(findings.front());
  };
  CHECK(refused("1,4,5") == "node 'y' (matmul_nt), input 'B' f32[1,4,5]: expected 4 columns, as A has, got 5");
  CHECK(refused("4") == "node 'y' (matmul_nt), input 'B' f32[4]: expected rank 2 or more, got rank 1");
}

TEST_CASE("matmul_nt: is it matmul with B transposed, of a vector, over batches and with extents of 0 and 1 too?") {
  struct Case {
    Shape a, b, y;
  };
  for (const auto& t : std::vector<Case>{{{4}, {5, 4}, {5}},
                                         {{4}, {2, 5, 4}, {2, 5}},
                                         {{1}, {1, 1}, {1}},
                                         {{1, 4}, {1, 4}, {1, 1}},
                                         {{2, 1, 4}, {5, 4}, {2, 1, 5}},
                                         {{3, 4}, {2, 5, 4}, {2, 3, 5}},
                                         {{0, 4}, {5, 4}, {0, 5}},
                                         {{3, 4}, {0, 4}, {3, 0}},
                                         {{3, 0}, {5, 0}, {3, 5}},
                                         {{0}, {5, 0}, {5}},
                                         {{0, 3, 4}, {1, 5, 4}, {0, 3, 5}}}) {
    CAPTURE(fmt::format("{} x {}", fmt::join(t.a, ","), fmt::join(t.b, ",")));
    const auto graph = ir::parse_graph(
        fmt::format("graph g (%a : f32[{}], %b : f32[{}]) {{\n  %y = matmul_nt %a, %b : f32[{}] from \"y\"\n"
                    "  return %y\n}}",
                    fmt::join(t.a, ","), fmt::join(t.b, ","), fmt::join(t.y, ",")));
    REQUIRE(ops::check(graph).empty());
    const auto A = sample(t.a, 1), B = sample(t.b, 2);
    Ints perm(t.b.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
    const auto expected = run("MatMul", 13, {}, {A, run("Transpose", 13, {{"perm", perm}}, {B})});
    CHECK(ir::interpret(graph, {A, B}, ops::kernels_of).outputs.at(0) == expected);
  }
}
