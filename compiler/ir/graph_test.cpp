#include "compiler/ir/graph.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

Graph diamond() {
  return parse_graph(R"(graph g (%x : f32[2]) {
    %a = relu %x : f32[2]
    %b = exp %a : f32[2]
    %c = add %a, %b : f32[2]
    return %c
  })");
}
ValueId id(const Graph& g, const char* name) { return *g.find(name); }

}  // namespace

TEST_CASE("graph: who makes and who reads a value?") {
  const Graph g = diamond();
  const Uses uses(g);
  CHECK(uses.producer(id(g, "x")) == -1);
  CHECK(uses.producer(id(g, "b")) == 1);
  CHECK(uses.of(id(g, "a")) == std::vector<Use>{{1, 0}, {2, 0}});
  CHECK(uses.single(id(g, "b")));
  CHECK_FALSE(uses.single(id(g, "a")));
  CHECK(uses.leaves(id(g, "c")));
  CHECK_FALSE(uses.single(id(g, "c")));
}
TEST_CASE("graph: does a replaced value leave dead nodes, and are they erased with what only they read?") {
  Graph g = diamond();
  replace_uses(g, id(g, "b"), id(g, "a"));
  CHECK(erase_dead_nodes(g) == 1);
  CHECK(erase_dead_nodes(g) == 0);
  CHECK(g.nodes.size() == 2);
  replace_uses(g, id(g, "c"), id(g, "x"));
  CHECK(erase_dead_nodes(g) == 2);
  CHECK(print(g) == "graph g (%x : f32[2]) {\n  return %x\n}\n");
}
TEST_CASE("graph: does a state keep its next value alive?") {
  Graph g =
      parse_graph("graph g (%x : f32[2]) {\n state %s : f32[2] next %n\n %n = add %s, %x : f32[2]\n return %x\n}");
  CHECK(erase_dead_nodes(g) == 0);
}
TEST_CASE("graph: does sorting keep what is in order and refuse a cycle?") {
  Graph g = diamond();
  const Fingerprint before = fingerprint(g);
  sort_topologically(g);
  CHECK(fingerprint(g) == before);
  std::swap(g.nodes[0], g.nodes[2]);
  CHECK_FALSE(verify(g).empty());
  sort_topologically(g);
  CHECK(fingerprint(g) == before);
  g.nodes[0].inputs[0] = id(g, "c");
  CHECK_THROWS_AS(sort_topologically(g), InternalError);
}
TEST_CASE("graph: does compaction drop values that nothing mentions?") {
  Graph g = diamond();
  const Fingerprint before = fingerprint(g);
  g.values.insert(g.values.begin(), Value{"unused", {ElementType::i8, {1}}, std::nullopt});
  for (Node& n : g.nodes) {
    for (auto* list : {&n.inputs, &n.outputs}) {
      for (ValueId& v : *list) v = ValueId{static_cast<std::int32_t>(v) + 1};
    }
  }
  for (auto* list : {&g.inputs, &g.outputs}) {
    for (ValueId& v : *list) v = ValueId{static_cast<std::int32_t>(v) + 1};
  }
  CHECK(fingerprint(g) == before);  // numbers of values do not matter
  const auto renumbered = compact(g);
  CHECK(renumbered[0] == no_value);
  CHECK(renumbered[1] == ValueId{0});
  CHECK(g.values.size() == 4);
  CHECK(fingerprint(g) == before);
}
TEST_CASE("graph: does an inlined graph compute the same with its own values?") {
  Graph g = parse_graph("graph g (%p : f32[2]) {\n %q = neg %p : f32[2]\n return %q\n}");
  const auto results = inline_graph(g, diamond(), {id(g, "q")}, 1);
  g.outputs = results;
  CHECK(verify(g).empty());
  CHECK(print(g) == R"(graph g (%p : f32[2]) {
  %q = neg %p : f32[2]
  %a = relu %q : f32[2]
  %b = exp %a : f32[2]
  %c = add %a, %b : f32[2]
  return %c
}
)");
}
TEST_CASE("graph: is an attribute of the wrong kind refused?") {
  const Graph g =
      parse_graph("graph g (%x : f32[2]) {\n %y = f %x {k = 3, pads = [1, 2]} : f32[2] from \"n1\"\n return %y\n}");
  CHECK(integer_attribute(g.nodes[0], "k", 0) == 3);
  CHECK(integer_attribute(g.nodes[0], "other", 7) == 7);
  CHECK(integers_attribute(g.nodes[0], "pads", {}) == std::vector<std::int64_t>{1, 2});
  CHECK_THROWS_WITH_AS(integer_attribute(g.nodes[0], "pads", 0), "attribute 'pads' of node 'n1' (f) is no integer",
                       InternalError);
}
TEST_CASE("fingerprint: do names, sources and metadata stay out, and does everything else enter?") {
  const Graph g = diamond();
  Graph renamed = g;
  renamed.name = "other";
  for (Value& v : renamed.values) v.name += "'";
  renamed.metadata["opset"] = "13";
  renamed.nodes[0].source = "Relu_0";
  CHECK(fingerprint(renamed) == fingerprint(g));
  Graph changed = g;
  changed.nodes[0].op = "neg";
  CHECK(fingerprint(changed) != fingerprint(g));
  changed = g;
  changed.nodes[0].attributes["alpha"] = 0.5;
  CHECK(fingerprint(changed) != fingerprint(g));
  changed = g;
  std::swap(changed.nodes[2].inputs[0], changed.nodes[2].inputs[1]);
  CHECK(fingerprint(changed) != fingerprint(g));
  changed = g;
  for (Value& v : changed.values) v.type.type = ElementType::f16;
  CHECK(fingerprint(changed) != fingerprint(g));
}
TEST_CASE("fingerprint: are kernels equal up to names?") {
  const Kernel a =
      parse_kernel("kernel a (i: 4 | j: 3) { acc : f32 += X[i, j]\n Y[i] = acc } where X : f32[4,3], Y : out f32[4]");
  const Kernel b =
      parse_kernel("kernel b (r: 4 | c: 3) { sum : f32 += in[r, c]\n o[r] = sum } where in : f32[4,3], o : out f32[4]");
  CHECK(fingerprint(a) == fingerprint(b));
  CHECK_FALSE(equal(a, b));
  const Kernel c = parse_kernel(
      "kernel a (i: 4 | j: 3) { acc : f32 += X[i, j] init 1.0\n Y[i] = acc } where X : f32[4,3], Y : out f32[4]");
  CHECK(fingerprint(a) != fingerprint(c));
}
TEST_CASE("tensor: does writing leave other handles and mapped bytes alone?") {
  Tensor a = Tensor::of({ElementType::f32, {2}}, {1, 2});
  const Tensor b = a;
  CHECK(a.bytes() == b.bytes());
  a.set(0, Scalar::of(ElementType::f32, 5));
  CHECK(b.to_doubles() == std::vector<double>{1, 2});
  const float raw[2] = {7, 8};
  Tensor v = Tensor::view({ElementType::f32, {2}}, {std::shared_ptr<void>(), reinterpret_cast<const std::byte*>(raw)});
  CHECK(v.bytes() == reinterpret_cast<const std::byte*>(raw));
  v.set(1, Scalar::of(ElementType::f32, 9));
  CHECK(raw[1] == 8);
  CHECK(v.to_doubles() == std::vector<double>{7, 9});
}
