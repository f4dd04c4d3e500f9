#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::frontend;

namespace {
std::vector<double> run(const std::string& text, const std::vector<ir::Tensor>& inputs, std::size_t output = 0) {
  return ir::interpret(import_text(text), inputs, ops::kernels_of).outputs.at(output).to_doubles();
}
ir::Tensor floats(ir::Shape shape, const std::vector<double>& values) {
  return ir::Tensor::of({ElementType::f32, std::move(shape)}, values);
}
std::string scan(const std::string& attributes) {
  return "g (float[3,2] x, float[2] s) => (float e, float y) { e, y = Scan <num_scan_inputs = 1" + attributes +
         ", body = b (float a, float xi) => (float n, float yi) { n = Add (a, xi)  yi = Identity (n) }> (s, x) }";
}
}  // namespace

TEST_CASE("loop: is a Scan a running sum, forward and backward?") {
  const auto x = floats({3, 2}, {1, 2, 3, 4, 5, 6}), s = floats({2}, {10, 20});
  CHECK(run(scan(""), {x, s}) == std::vector<double>{19, 32});
  CHECK(run(scan(""), {x, s}, 1) == std::vector<double>{11, 22, 14, 26, 19, 32});
  // from the last slice to the first; the stack is filled from the front
  CHECK(run(scan(", scan_input_directions = [1]"), {x, s}, 1) == std::vector<double>{15, 26, 18, 30, 19, 32});
  CHECK(run(scan(", scan_output_directions = [1]"), {x, s}, 1) == std::vector<double>{19, 32, 14, 26, 11, 22});
}

TEST_CASE("loop: may a Scan run along another axis?") {
  const auto text = R"(g (float[2,3] x, float[2] s) => (float e, float y) {
      e, y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1],
                   body = b (float a, float xi) => (float n, float yi) { n = Add (a, xi)  yi = Identity (n) }> (s, x) })";
  const auto x = floats({2, 3}, {1, 2, 3, 4, 5, 6}), s = floats({2}, {0, 0});
  CHECK(import_text(text).type(import_text(text).outputs[1]).shape == ir::Shape{2, 3});
  CHECK(run(text, {x, s}, 1) == std::vector<double>{1, 3, 6, 4, 9, 15});
}

TEST_CASE("loop: does a Loop count, and see values around it?") {
  const auto text = R"(g (float[2] x, float[2] w) => (float e, float y) {
      trips = Constant <value = int64 {3}> ()
      two = Constant <value = float {2.0}> ()
      e, y = Loop <body = b (int64 i, bool c, float a) => (bool d, float n, float s) {
          d = Identity (c)
          p = Mul (w, two)
          n = Add (a, p)
          f = Cast <to = 1> (i)
          s = Add (n, f) }> (trips, , x) })";
  const auto x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  CHECK(run(text, {x, w}) == std::vector<double>{61, 122});  // x + 3 * 2 w
  CHECK(run(text, {x, w}, 1) == std::vector<double>{21, 42, 42, 83, 63, 124});
  const auto g = import_text(text);
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].inputs.size() == 2);  // x, and w as an invariant; the 2.0 is a constant of the body
}

TEST_CASE("loop: what is said about one that does not end by counting?") {
  const auto model = [](const std::string& trips, const std::string& condition) {
    return "g (float[2] x, int64 m) => (float e) { trips = Constant <value = int64 {3}> ()\n"
           "e = Loop <body = b (int64 i, bool c, float a) => (bool d, float n) { n = Add (a, a)  d = " +
           condition + " }> (" + trips + ", , x) }";
  };
  CHECK(message_of([&] { import_text(model("m", "Identity (c)")); }) ==
        "ONNX text: node 'Loop_0' (Loop): its trip count depends on data; Pimento needs one that is known at compile "
        "time");
  CHECK(message_of([&] { import_text(model("trips", "Not (c)")); }).find("its condition depends on data") !=
        std::string::npos);
  CHECK(message_of([] {
          import_text(R"(g (float[2] x) => (float e) { trips = Constant <value = int64 {3}> ()
            e = Loop <body = b (int64 i, bool c, float a) => (bool d, float n) {
              d = Identity (c)  n = Concat <axis = 0> (a, a) }> (trips, , x) })");
        }) == "ONNX text: node 'Loop_0' (Loop): carried value 'a' changes from f32[2] to f32[4]");
}

TEST_CASE("loop: are problems inside a body told by name, and only once?") {
  CHECK(message_of([] {
          import_text(R"(g (float[2] x) => (float y) { trips = Constant <value = int64 {3}> ()
            e = Loop <body = b (int64 i, bool c, float a) => (bool d, float n) {
              d = Identity (c)  n = Frobnicate (a) }> (trips, , x)
            y = Relu (e) })");
        }).starts_with("ONNX text: node 'Loop_0/Frobnicate_0' (Frobnicate): unknown operator"));
}

TEST_CASE("loop: what is said of more outputs than the body makes, and of an input that is left out?") {
  const auto loop = [](const std::string& outputs, const std::string& inputs) {
    return "g (float[2] x) => (float e) { trips = Constant <value = int64 {3}> ()\n" + outputs +
           " = Loop <body = b (int64 i, bool c, float a, float b) => (bool d, float n, float m) { d = Identity (c)  "
           "n = Add (a, b)  m = Identity (b) }> (" +
           inputs + ") }";
  };
  const auto scan_of = [](const std::string& outputs, const std::string& inputs) {
    return "g (float[3,2] x, float[2] s) => (float e) { " + outputs +
           " = Scan <num_scan_inputs = 1, body = b (float a, float xi) => (float n, float yi) { n = Add (a, xi)  "
           "yi = Identity (n) }> (" +
           inputs + ") }";
  };
  CHECK(message_of([&] { import_text(loop("e, f, h", "trips, , x, x")); }) ==
        "ONNX text: node 'Loop_0' (Loop): names 3 outputs, its body makes 2");
  CHECK(message_of([&] { import_text(scan_of("e, f, h", "s, x")); }) ==
        "ONNX text: node 'Scan_0' (Scan): names 3 outputs, its body makes 2");
  CHECK(message_of([&] { import_text(loop("e, f", "trips, , , x")); }) ==
        "ONNX text: node 'Loop_0' (Loop): expected a value as input 2, got none");
  CHECK(message_of([] {
          import_text(R"(g (float[2] x) => (float e) { trips = Constant <value = int64 {3}> ()
            zero = Constant <value = int64[1] {0}> ()
            none = ConstantOfShape <value = bool[1] {1}> (zero)
            e = Loop <body = b (int64 i, bool c, float a) => (bool d, float n) {
              d = Identity (c)  n = Identity (a) }> (trips, none, x) })");
        }) == "ONNX text: node 'Loop_0' (Loop): expected one condition, got bool[0]");
  CHECK(message_of([&] { import_text(scan_of("e, f", "s, , x")); }) ==
        "ONNX text: node 'Scan_0' (Scan): expected a value as input 1, got none");
}
