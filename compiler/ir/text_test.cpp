#include "compiler/ir/text.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/kernel_builder.hpp"
#include "compiler/ir/verify.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

/// print(parse(text)) must be text again, character for character.
void stands(const std::string& text) { CHECK(print(parse_kernel(text)) == text); }

const ExprNames xy{
    {"x", "y"},
    {{"A", {ElementType::f32, {4}}, OperandRole::input}, {"B", {ElementType::i8, {4}}, OperandRole::input}},
    {},
    {}};
std::string again(const std::string& text) { return print(parse_expr(text, xy), xy); }

}  // namespace

TEST_CASE("text: does an expression print with the fewest parentheses that keep its tree?") {
  CHECK(again("x + y * 2") == "x + y * 2");
  CHECK(again("(x + y) * 2") == "(x + y) * 2");
  CHECK(again("x - (y - 1)") == "x - (y - 1)");
  CHECK(again("(x - y) - 1") == "x - y - 1");
  CHECK(again("x // 4 % 2") == "x // 4 % 2");
  CHECK(again("x // (4 % 3)") == "x // (4 % 3)");
  CHECK(again("x%4") == "x % 4");
  CHECK(again("(x < y) & (y <= 3)") == "(x < y) & (y <= 3)");
  CHECK(again("-x") == "neg(x)");
  CHECK(again("x + -1") == "x + -1");
  CHECK(again("select(x == 0, A[x], A[y] outside -1.5) * exp(A[x - 1] clamped)") ==
        "select(x == 0, A[x], A[y] outside -1.5) * exp(A[x - 1] clamped)");
  CHECK(again("cast<i32>(B[x]) - i32(7)") == "cast<i32>(B[x]) - i32(7)");
  CHECK(again("A[x] * 2") == "A[x] * 2.0");  // a literal takes the type beside it
  CHECK(again("B[x] + 3") == "B[x] + i8(3)");
  CHECK(again("table<i64>[-1, 0, 7][x] + table<i64>[][y]") == "table<i64>[-1, 0, 7][x] + table<i64>[][y]");
  CHECK(again("max(A[x], -inf)") == "max(A[x], -inf)");
}

TEST_CASE("text: does every operator survive print and parse?") {
  const auto f = [](const Expr& e) {
    const std::string text = print(e, xy);
    CAPTURE(text);
    CHECK(equal(parse_expr(text, xy), e));
  };
  const Expr real = Load::make(0, ElementType::f32, {Axis::make(0)}), whole = Axis::make(1);
  for (const UnaryInfo& row : unary_operators()) {
    if (accepts(row.domain, ElementType::f32)) f(Unary::make(row.op, real));
    if (accepts(row.domain, ElementType::i64)) f(Unary::make(row.op, whole));
  }
  for (const BinaryInfo& row : binary_operators()) {
    if (accepts(row.domain, ElementType::f32))
      f(Binary::make(row.op, Binary::make(row.op == BinaryOp::add ? BinaryOp::mul : BinaryOp::add, real, real), real));
    if (accepts(row.domain, ElementType::i64))
      f(Binary::make(row.op, whole, Binary::make(BinaryOp::add, whole, index(-3))));
  }
}

TEST_CASE("text: does every scalar constant survive print and parse?") {
  for (int t = 0; t < element_type_count; ++t) {
    const auto type = static_cast<ElementType>(t);
    for (const double v : {0.0, 1.0, -0.0, 0.1, 1e-30, 65504.0, 3.4e38, -7.0, 1.0 / 0.0, 0.0 / 0.0}) {
      const Expr e = constant(type, v);
      const std::string text = print(e);
      CAPTURE(text);
      CHECK(print(parse_expr(text, {})) == text);
      if (v == v) CHECK(equal(parse_expr(text, {}), e));
    }
  }
}

TEST_CASE("text: does every form of kernel survive print and parse?") {
  stands(R"(kernel conv (n: 1, m: 8, y: 4, x: 4 | c: 2, ky: 3, kx: 3) {
  acc : f32 += X[n, c, y + ky - 1, x + kx - 1] outside 0.0 * W[m, c, ky, kx]
  Y[n, m, y, x] = relu(acc + B[m])
} where X : f32[1,2,4,4], W : f32[8,2,3,3], B : f32[8], Y : out f32[1,8,4,4])");
  stands(R"(kernel arg_max (i: 2 | j: 5) {
  best : f32 merge= X[i, j] by select((at < 0) | (in.best > best), in.best, best) init -inf
  at : i64 merge= j by select((at < 0) | (in.best > best), in.at, at) init -1
  Y[i] = at
} where X : f32[2,5], Y : out i64[2])");
  stands(R"(kernel cum_sum (i: 2 | | t: 4) {
  state s : f32 = 0.0 then s + X[i, t]
  Y[i, t] = s + X[i, t]
} where X : f32[2,4], Y : out f32[2,4])");
  stands(R"(kernel scatter (i: 3) {
  Y[I[i]] += U[i] if U[i] > 0.0 skipping from D
} where D : f32[9], I : i64[3], U : f32[3], Y : out f32[9])");
  stands(R"(kernel any_of ( | j: 5) {
  acc : bool |= X[j] > 0.0
  low : f32 min= X[j] init 3.0 if j % 2 == 0
  Y[] = acc
  Z[] max= low
} where X : f32[5], Y : out bool[], Z : out f32[])");
  stands(R"(kernel mixed (reduction c: 2, parallel n: 3) {
  acc : i32 += cast<i32>(X[n, c])
  Y[n] = acc
} where X : i8[3,2], Y : out i32[3])");
}

TEST_CASE("text: is the parsed kernel the one that was built?") {
  KernelBuilder k("pool");
  const auto y = k.parallel("y", 4), ky = k.reduction("ky", 2);
  const auto in = k.input("X", {ElementType::f32, {8}}), out = k.output("Y", {ElementType::f32, {4}});
  k.write(out, {y}, k.maximum(in.at({2 * y + ky})));
  const Kernel pool = k.build();
  CHECK(
      print(pool) ==
      "kernel pool (y: 4 | ky: 2) {\n  acc : f32 max= X[2 * y + ky]\n  Y[y] = acc\n} where X : f32[8], Y : out f32[4]");
  CHECK(equal(parse_kernel(print(pool)), pool));
}

TEST_CASE("text: does a parse error name line, column and the nearest name?") {
  const auto says = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_kernel(text), message.c_str(), UserError);
  };
  says("kernel k (i: 2) {\n  Y[i] = Xx[i]\n} where X : f32[2], Y : out f32[2]",
       "2:10: unknown operand 'Xx'; nearest: 'X'");
  says("kernel k (i: 2) {\n  Y[i] = sqrtt(X[i])\n} where X : f32[2], Y : out f32[2]",
       "2:10: unknown operator 'sqrtt'; nearest: 'sqrt'");
  says("kernel k (i: 2) {\n  Y[i] = X[i] + \n} where X : f32[2], Y : out f32[2]",
       "3:1: expected an expression, got '}'");
  says("kernel k (i: 2) {\n  Y[i] = X[i] + i\n} where X : f32[2], Y : out f32[2]",
       "2:15: operator '+' on two types: f32 and i64");
  says("kernel k (i: 2) {\n  Y[i] = 1.0 ? 2\n} where Y : out f32[2]", "2:14: unexpected character '?'");
  says("kernel k (i: 2) {\n  Y[i] = 1.0", "2:13: expected '}', got the end");
  says("kernel k (i: 2) {\n  Y[i] = 1.0\n} where Y : out f33[2]", "3:17: expected an element type, got 'f33'");
}

TEST_CASE("text: does a graph survive print and parse?") {
  const std::string text = R"(graph net (%x : f32[1,1,5,5], %"odd name: 1" : i64[]) {
  meta "opset" = "13"
  @w : f32[1,1,2,2] = [1.0, 2.0, 3.0, -4.5]
  state %cache : f32[1,1,5,5] next %z
  state %count : i64[] = [3] next %"odd name: 1"
  %y = conv %x, @w {pads = [0, 0, 1, 1]} : f32[1,1,5,5] from "Conv_0"
  %a, _ = split %y, _, %cache {alpha = 0.5, axes = [], empty = real [], mode = "a \"b\"", scales = [1.0, 2.5], table = i8[2] [1, -1]} : f32[1,1,5,5], _
  %z, %all = loop %a {carried = 1, scan_outputs = 1, trip_count = 2} : f32[1,1,5,5], f32[2,1,1,5,5] body (%i : i64[], %h : f32[1,1,5,5]) {
    %n = relu %h : f32[1,1,5,5]
    return %n, %n
  }
  return %z, %all
}
)";
  const Graph g = parse_graph(text);
  CHECK(verify(g).empty());
  CHECK(print(g) == text);
  CHECK(print(g, g.nodes[0]) == "%y = conv %x, @w {pads = [0, 0, 1, 1]} : f32[1,1,5,5] from \"Conv_0\"");
  CHECK(fingerprint(parse_graph(print(g))) == fingerprint(g));
}

TEST_CASE("text: are equal names told apart and large constants found by their fingerprint?") {
  Graph g;
  const auto x = g.add_input("v", {ElementType::f32, {20}});
  const auto w = g.add_constant("v", Tensor::filled({ElementType::f32, {20}}, Scalar::of(ElementType::f32, 2)));
  const auto sum = g.add_node("add", {x, w}, {ElementType::f32, {20}}, {}, "v");
  g.outputs = {sum};
  const std::string hash = to_string(fingerprint(*g.value(w).constant));
  const std::string text = print(g);
  CHECK(text == "graph (%v : f32[20]) {\n  @v.1 : f32[20] = #" + hash +
                    "\n  %v.2 = add %v, @v.1 : f32[20]\n  return %v.2\n}\n");
  CHECK_THROWS_WITH_AS(parse_graph(text), ("2:20: no tensor f32[20] of fingerprint " + hash + " is known").c_str(),
                       UserError);
  const auto source = [&](std::string_view f, const TensorType&) {
    return f == hash ? g.value(w).constant : std::nullopt;
  };
  CHECK(fingerprint(parse_graph(text, source)) == fingerprint(g));
  CHECK(fingerprint(parse_graph(print(g, {.inline_elements = 20}))) == fingerprint(g));
}

TEST_CASE("text: does a library kernel survive print and parse?") {
  const std::string text = "library topk {axis = 1, k = 2} where x : f32[2,4], v : out f32[2,2], i : out i64[2,2]";
  CHECK(print(parse_library_kernel(text)) == text);
  CHECK_THROWS_WITH_AS(parse_library_kernel("library topq where x : f32[2]"),
                       "unknown library kernel 'topq'; nearest: 'topk'", UserError);
}
