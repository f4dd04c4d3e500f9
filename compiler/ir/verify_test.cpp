#include "compiler/ir/verify.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

/// The only finding of a kernel.
std::string says(const std::string& text) {
  const Findings f = verify(parse_kernel(text));
  CAPTURE(text);
  REQUIRE(f.size() == 1);
  return f[0].message;
}
std::string graph_says(const std::string& text) {
  const Findings f = verify(parse_graph(text));
  CAPTURE(text);
  REQUIRE_FALSE(f.empty());
  return f[0].message;
}

}  // namespace

TEST_CASE("verify: what does it say to a map that is too short?") {
  CHECK(says("kernel pool (y: 4, x: 4 | ky: 2) { acc : f32 max= in[2 * y + ky]\n out_[y, x] = acc } where in : "
             "f32[8,8], out_ : out f32[4,4]") ==
        "kernel 'pool': the map of operand 'in' yields 1 index, its tensor has rank 2: f32[8,8]");
}
TEST_CASE("verify: what does it say to indices that leave a tensor?") {
  CHECK(says("kernel k (i: 5) { Y[i] = X[i + 1] } where X : f32[5], Y : out f32[5]") ==
        "kernel 'k': the map of operand 'X' reaches index 5 of dimension 0, which has extent 5: f32[5]");
  CHECK(says("kernel k (i: 5) { Y[i + 1] = X[i] } where X : f32[5], Y : out f32[5]") ==
        "kernel 'k': the map of operand 'Y' reaches index 5 of dimension 0, which has extent 5: f32[5]");
  CHECK(says("kernel k (i: 5 | j: 2) { acc : f32 += X[i - j]\n Y[i] = acc } where X : f32[5], Y : out f32[5]") ==
        "kernel 'k': the map of operand 'X' reaches index -1 of dimension 0, which has extent 5: f32[5]");
  CHECK(says("kernel k (i: 5) { Y[i] = table<f32>[1.0, 2.0][i] } where Y : out f32[5]") ==
        "kernel 'k': a table of 2 elements is looked up at 4");
}
TEST_CASE("verify: what does it say to wrong types?") {
  CHECK(says("kernel k (i: 5) { Y[i] = i } where Y : out f32[5]") ==
        "kernel 'k': the value of output 'Y' is i64, expected f32");
  CHECK(says("kernel k (i: 5) { Y[i] = 1.0 if i } where Y : out f32[5]") ==
        "kernel 'k': the guard of output 'Y' is i64, expected bool");
  CHECK(says("kernel k (i: 5 | j: 2) { acc : f32 &= 1.0\n Y[i] = acc } where Y : out f32[5]") ==
        "kernel 'k': accumulator 'acc' combines f32 by logic");
}
TEST_CASE("verify: what does it say to axes, states and accumulators in the wrong place?") {
  CHECK(says("kernel k (i: 5) { acc : f32 += 1.0\n Y[i] = acc } where Y : out f32[5]") ==
        "kernel 'k': it has an accumulator but no reduction axis");
  CHECK(says("kernel k (i: 5) { state s : f32 = 0.0 then s\n Y[i] = s } where Y : out f32[5]") ==
        "kernel 'k': it has a state but no carried axis");
  CHECK(says("kernel k (i: 5 | j: 2) { acc : f32 += X[j]\n Y[i] = acc * X[j] } where X : f32[2], Y : out f32[5]") ==
        "kernel 'k': reduction axis 'j' is used outside an accumulator");
  CHECK(says("kernel k (i: 5 | j: 2) { acc : f32 += acc\n Y[i] = acc } where Y : out f32[5]") ==
        "kernel 'k': an accumulated value is used before its reduction has ended");
  CHECK(says("kernel k (i: 5 | j: 2) { a : i64 merge= j by in.b init 0\n b : i64 += i if i == 1\n Y[i] = a } where Y : "
             "out i64[5]") ==
        "kernel 'k': the merge of accumulator 'a' takes the incoming value of 'b', which has another guard");
  CHECK(says("kernel k (i: 5, i: 2) { Y[i] = 1.0 } where Y : out f32[5]") ==
        "kernel 'k': the name 'i' stands for two things");
  CHECK(says("kernel k (from: 5) { Y[from] = 1.0 } where Y : out f32[5]") ==
        "kernel 'k': an axis has the name 'from', a word of the language");
}
TEST_CASE("verify: what does it say to operands used against their role?") {
  CHECK(says("kernel k (i: 5) { Y[i] = 1.0 } where Y : out f32[5], Z : out f32[5]") ==
        "kernel 'k': output operand 'Z' is never written");
  CHECK(says("kernel k (i: 5) { Y[i] = Z[i]\n Z[i] = 1.0 } where Y : out f32[5], Z : out f32[5]") ==
        "kernel 'k': it reads operand 'Z', which is an output");
  CHECK(says("kernel k (i: 5) { Y[i] = 1.0 from X } where X : f32[6], Y : out f32[5]") ==
        "kernel 'k': output 'Y' f32[5] starts from 'X' f32[6]; an input of the same type is needed");
}
TEST_CASE("verify: may a divisor be 0?") {
  CHECK(says("kernel k (i: 5) { Y[i] = 7 // i } where Y : out i64[5]") ==
        "kernel 'k': the divisor of '//' has the range 0 .. 4, which contains 0");
  CHECK(verify(parse_kernel("kernel k (i: 5) { Y[i] = 7 // (i + 1) } where Y : out i64[5]")).empty());
  CHECK(verify(parse_kernel("kernel k (i: 5) { Y[i] = 7 / X[i] } where X : i64[5], Y : out i64[5]"))
            .empty());  // data decides: x / 0 is 0
}
TEST_CASE("verify: what does it say to a sequence whose slots do not fit?") {
  KernelSequence s;
  s.calls.push_back({parse_kernel("kernel k (i: 5) { Y[i] = X[i] } where X : f32[5], Y : out f32[5]"),
                     {{SlotKind::input, 0}, {SlotKind::temporary, 1}}});
  s.temporaries = {{ElementType::f32, {5}}};
  const Findings f = verify(s, {{ElementType::f32, {2, 3}}}, {});
  REQUIRE(f.size() == 2);
  CHECK(f[0].message == "kernel 'k': operand 'X' is f32[5], input 0 bound to it is f32[2,3]");
  CHECK(f[1].message == "kernel 'k': operand 'Y' is bound to temporary 1, there are 1");
}
TEST_CASE("verify: what does it say to a graph that is out of order or defined twice?") {
  Graph g = parse_graph("graph g (%x : f32[2]) {\n %a = relu %x : f32[2]\n %b = relu %a : f32[2]\n return %b\n}");
  CHECK(verify(g).empty());
  std::swap(g.nodes[0], g.nodes[1]);
  CHECK(verify(g)[0].message == "graph 'g': value 'a' is read by node 'relu' before it is defined");
  g.nodes[0] = g.nodes[1];
  CHECK(verify(g)[0].message == "graph 'g': value 'a' is defined twice, again by node 'relu'");
}
TEST_CASE("verify: what does it say to a loop whose counts or types do not fit?") {
  CHECK(
      graph_says("graph g (%x : f32[2], %s : f32[3,4]) {\n %y = loop %x, %s {carried = 1, scan_inputs = 1, trip_count "
                 "= 5} : f32[2] body (%i : i64[], %h : f32[2], %e : f32[4]) {\n return %h\n}\n return %y\n}") ==
      "graph 'g': node 'loop': scan input 0 is f32[3,4], its dimension 0 must be the trip count 5");
  CHECK(graph_says("graph g (%x : f32[2]) {\n %y = loop %x {carried = 1, trip_count = 5} : f32[2] body (%i : i64[], %h "
                   ": f32[3]) {\n return %h\n}\n return %y\n}") ==
        "graph 'g': node 'loop': body input 1 is f32[3], expected f32[2]");
  CHECK(graph_says("graph g (%x : f32[2]) {\n %y = group %x : f32[2] body () {\n return\n}\n return %y\n}") ==
        "graph 'g': node 'group': inputs of the body: 0, expected 1");
  CHECK(graph_says("graph g (%x : f32[2]) {\n %y = loop %x {carried = 1, trip_count = 5} : f32[2]\n return %y\n}") ==
        "graph 'g': node 'loop': operator 'loop' needs a body");
  CHECK(graph_says("graph g (%x : f32[2]) {\n state %s : f32[3] next %x\n return %x\n}") ==
        "graph 'g': state 's' is f32[3], its next value 'x' f32[2]");
}
