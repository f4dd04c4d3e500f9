// Nodes that own graphs, and the model's own functions: their bodies take their place.
#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"

using namespace pimento;
using namespace pimento::frontend;

namespace {
std::string ops_of(const ir::Graph& g) {
  std::string all;
  for (const auto& n : g.nodes) all += (all.empty() ? "" : " ") + n.op + "@" + n.source;
  return all;
}
}  // namespace

TEST_CASE("import: does an If on a constant leave its branch only?") {
  const auto model = [](const std::string& value) {
    return "g (float[2] x) => (float[2] y) { c = Constant <value = bool[1] {" + value + R"(}> ()
        y = If (c) <then_branch = t () => (float[2] a) { a = Relu (x) },
                    else_branch = e () => (float[2] b) { h = Abs (x)  b = Sigmoid (h) }> })";
  };
  CHECK(ops_of(import_text(model("1"))) == "relu@If_0/Relu_0");
  CHECK(ops_of(import_text(model("0"))) == "abs@If_0/Abs_0 sigmoid@If_0/Sigmoid_0");
}

TEST_CASE("import: what is said about an If that depends on data?") {
  CHECK(message_of([] {
          import_text(R"(g (float[2] x, bool[1] c) => (float[2] y) {
            y = If (c) <then_branch = t () => (float[2] a) { a = Relu (x) },
                        else_branch = e () => (float[2] b) { b = Abs (x) }> })");
        }) ==
        "ONNX text: node 'If_0' (If): its condition depends on data; Pimento needs one that is known at compile time");
}

TEST_CASE("import: does a function's body take the call's place, with its attributes?") {
  const auto g = import_text(R"(
      <ir_version: 8, opset_import: ["" : 13, "local" : 1]>
      g (float[2,3] x) => (float[2,3] y) { y = local.shifted <axis = 0> (x, x) }
      <domain: "local", opset_import: ["" : 13]>
      shifted <axis> (a, b) => (c) { s = Softmax <axis = @axis> (a)  c = Add (s, b) })");
  CHECK(ops_of(g) == "softmax@shifted_0/Softmax_0 add@shifted_0/Add_0");
  CHECK(ir::integers_attribute(g.nodes[0], "axes", {}) == std::vector<std::int64_t>{0});
}

TEST_CASE("import: is a function that calls itself refused?") {
  CHECK(message_of([] {
          import_text(R"(
              <ir_version: 8, opset_import: ["" : 13, "local" : 1]>
              g (float[2] x) => (float[2] y) { y = local.f (x) }
              <domain: "local", opset_import: ["" : 13, "local" : 1]>
              f (a) => (b) { b = local.f (a) })");
        }).find("functions call each other more than 64 deep") != std::string::npos);
}
