#include "compiler/frontend/import.hpp"

#include <doctest/doctest.h>

#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"

using namespace pimento;
using namespace pimento::frontend;

namespace {
const ir::Node& only_node(const ir::Graph& g) {
  REQUIRE(g.nodes.size() == 1);
  return g.nodes[0];
}
std::string refusal(std::string_view text, const ImportOptions& options = {}) {
  return message_of([&] { import_text(text, options); });
}
}  // namespace

TEST_CASE("import: does SAME_UPPER put the odd row below?") {
  const auto g = import_text(R"(g (float[1,1,5,5] x, float[1,1,2,2] w) => (float[1,1,5,5] y)
                                { y = Conv <auto_pad = "SAME_UPPER"> (x, w) })");
  CHECK(ir::integers_attribute(only_node(g), "pads", {}) ==
        std::vector<std::int64_t>{0, 0, 1, 1});  // 5 + 2 - 1 - 5 = 1
  CHECK(g.type(g.outputs[0]).shape == ir::Shape{1, 1, 5, 5});
}

TEST_CASE("import: are axes counted from the front?") {
  const auto g = import_text("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = -1> (x) }");
  CHECK(ir::integers_attribute(only_node(g), "axes", {}) == std::vector<std::int64_t>{2});
}

TEST_CASE("import: are names kept?") {
  const auto g = import_text(R"(net (float[4] x) => (float[4] y) { h = Relu (x)  y = Sigmoid (h) })");
  CHECK(g.name == "net");
  CHECK(g.value(g.inputs[0]).name == "x");
  CHECK(g.value(g.outputs[0]).name == "y");
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.value(g.nodes[0].outputs[0]).name == "h");
  CHECK(g.nodes[0].source == "Relu_0");  // a node without a name takes operator and number
  CHECK(g.nodes[1].source == "Sigmoid_0");
}

TEST_CASE("import: is a chain of shape arithmetic folded away?") {
  const auto g = import_text(R"(g (float[2,3,4] x) => (float[6,4] y) {
      s = Shape (x)
      zero = Constant <value = int64[1] {0}> ()
      one = Constant <value = int64[1] {1}> ()
      two = Constant <value = int64[1] {2}> ()
      a = Gather (s, zero)
      b = Gather (s, one)
      ab = Mul (a, b)
      c = Gather (s, two)
      shape = Concat <axis = 0> (ab, c)
      y = Reshape (x, shape) })");
  CHECK(only_node(g).op == "reshape");
  CHECK(g.type(g.outputs[0]).shape == ir::Shape{6, 4});
}

TEST_CASE("import: is a node without outputs refused, folded or not?") {
  for (const auto* body :
       {"= Relu (x)  y = Abs (x)", "c = Constant <value = float[2] {1, 2}> () = Relu (c)  y = Abs (x)"}) {
    const auto said = refusal(std::string("g (float[4] x) => (float[4] y) { ") + body + " }");
    CHECK(said == "ONNX text: node 'Relu_0' (Relu): it names no output");
  }
}

TEST_CASE("import: is work at compile time bounded, in all?") {
  const std::string text = R"(g (float[4] x) => (float[4] y) {
      shape = Constant <value = int64[2] {1000, 1000}> ()
      one = Constant <value = float {1}> ()
      a = Expand (one, shape)
      b = Neg (a)
      y = Relu (x) })";
  ImportOptions options;
  CHECK(refusal(text, options) == "no error");
  options.most_computed = 1'500'000;
  CHECK(refusal(text, options) ==
        "ONNX text: node 'Neg_0' (Neg): values known at compile time take 2e+06 scalar operations up to here, expected "
        "at most 1.5e+06");
}

TEST_CASE("import: are extents and tables that no machine holds refused before they are made?") {
  const auto said = [](const std::string& input, const std::string& body) {
    return refusal("g (float[" + input + "] x) => (float y) { " + body + " }");
  };
  const std::string pads = "p = Constant <value = int64[2] {0, 9223372036854775807}> () ";
  CHECK(said("4", pads + "y = Pad <mode = \"reflect\"> (x, p)").find("a table of 4194304 entries") !=
        std::string::npos);
  CHECK(said("2147483648", "p = Constant <value = int64[2] {0, 1}> () y = Pad <mode = \"edge\"> (x, p)")
            .find("a table of 4194304 entries") != std::string::npos);
  CHECK(said("1,1,1048576", "y = AveragePool <kernel_shape = [1000]> (x)").find("a table of 4194304 entries") !=
        std::string::npos);
  CHECK(said("65536,65536", "r = Constant <value = int64[2] {65536, 65536}> () y = Tile (x, r)")
            .find("outputs of at most 1099511627776 elements") != std::string::npos);
}

TEST_CASE("import: does an Identity share its constant?") {
  const auto g = import_text(R"(g (float[2] x) => (float[2] y) {
      w = Constant <value = float[2] {1.0, 2.0}> ()
      v = Identity (w)
      h = Add (x, v)
      y = Mul (h, w) })");
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].inputs[1] == g.nodes[1].inputs[1]);
}

TEST_CASE("import: is the batch assumed to be 1, and said so?") {
  std::vector<std::string> notes;
  ImportOptions options;
  options.note = [&](const std::string& n) { notes.push_back(n); };
  const auto text = "g (float[batch,3] x) => (float[batch,3] y) { y = Relu (x) }";
  CHECK(import_text(text, options).type(ir::ValueId{0}).shape == ir::Shape{1, 3});
  CHECK(notes == std::vector<std::string>{"input 'x': dimension 'batch' set to 1 (--dim batch=1)"});
  notes.clear();
  options.dimensions["batch"] = 4;
  const auto g = import_text(text, options);
  CHECK(g.type(g.inputs[0]).shape == ir::Shape{4, 3});
  CHECK(notes.empty());
}

TEST_CASE("import: does a tensor at hand give the extents that are dynamic, where no option does?") {
  const std::string text =
      "g (float[batch,height,3] x, float[batch,width] z) => (float[batch,height,3] y) { y = Relu (x) }";
  std::vector<std::string> notes;
  ImportOptions options;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  options.input_shapes = {{2, 5, 3}, {2, 7}};
  options.dimensions["width"] = 8;
  const ir::Graph graph = import_text(text, options);
  CHECK(graph.type(graph.inputs[0]).shape == ir::Shape{2, 5, 3});
  CHECK(graph.type(graph.inputs[1]).shape == ir::Shape{2, 8});
  CHECK(notes.at(1) == "input 'x': dimension 'height' set to 5, as the given tensor has (--dim height=5)");
  options.input_shapes = {{2, 5}};  // of another rank: it gives nothing
  CHECK(refusal(text, options).find("dimension 'height' (axis 1) is dynamic") != std::string::npos);
}

TEST_CASE("import: does an output leave under its own name, whatever reached it, and is its declared type held?") {
  const ir::Graph graph = import_text(
      "g (float[4] x) => (float[4] x, float[4] y, float[2] k, float[2] l)"
      "{ y = Identity (x) c = Constant <value_floats = [1.0, 2.0]> () k = Identity (c) l = Identity (c) }");
  std::vector<std::string> names;
  for (const ir::ValueId v : graph.outputs) names.push_back(graph.value(v).name);
  CHECK(names == std::vector<std::string>{"x", "y", "k", "l"});
  CHECK(refusal("g (float[4] x) => (int64[4] y) { y = Relu (x) }") ==
        "ONNX text: output 'y': declared as i64, its node makes f32[4]");
}

TEST_CASE("import: is a cycle told by its nodes, a long one in short?") {
  CHECK(refusal("g (float[4] x) => (float[4] y) { a = Add (x, c) b = Relu (a) c = Sigmoid (b) y = Relu (c) }") ==
        "ONNX text: the graph has a cycle: 'Add 0' -> 'Relu 1' -> 'Sigmoid 2' -> 'Add 0'");
  std::string text = "g (float[4] x) => (float[4] v19) { v0 = Add (x, v19)";
  for (int i = 1; i < 20; ++i) text += " v" + std::to_string(i) + " = Relu (v" + std::to_string(i - 1) + ")";
  CHECK(refusal(text + " }") ==
        "ONNX text: the graph has a cycle: 'Add 0' -> 'Relu 1' -> 'Relu 2' -> 'Relu 3' -> 13 more -> 'Relu 17' -> "
        "'Relu 18' -> 'Relu 19' -> 'Add 0'");
}

TEST_CASE("import: what is said about a dynamic dimension?") {
  const auto text = "g (float[1,height,width] x) => (float[1,height,width] y) { y = Relu (x) }";
  CHECK(refusal(text) ==
        "ONNX text: 2 parts cannot be compiled\n"
        "  input 'x': dimension 'height' (axis 1) is dynamic, and Pimento needs static shapes; give --dim height=N\n"
        "  input 'x': dimension 'width' (axis 2) is dynamic, and Pimento needs static shapes; give --dim width=N");
  ImportOptions options;
  options.dimensions = {{"height", 8}, {"x.2", 9}};  // by name, and by place
  const auto g = import_text(text, options);
  CHECK(g.type(g.outputs[0]).shape == ir::Shape{1, 8, 9});
  options.dimensions = {{"hight", 8}, {"width", 8}};
  CHECK(refusal(text, options).find("no dimension 'hight' for --dim hight=8; nearest: 'height'") != std::string::npos);
}

TEST_CASE("import: is a shape beyond all memory refused?") {
  CHECK(refusal("g (float[4294967296,4294967296] x) => (float y) { y = Relu (x) }") ==
        "ONNX text: input 'x': f32[4294967296,4294967296] has more than 1099511627776 elements");
}

TEST_CASE("import: are all unsupported nodes reported at once?") {
  const auto text = R"(g (float[4] x) => (float[4] y) {
      a = Frobnicate (x)
      b = Relu (a)
      c = Cosine (b)
      y = Foo.Bar.Baz (c) })";
  const auto said = refusal(text);
  CHECK(said.starts_with("ONNX text: "));
  CHECK(said.find("node 'Frobnicate_0' (Frobnicate): ") != std::string::npos);
  CHECK(said.find("node 'Cosine_0' (Cosine): ") != std::string::npos);
  CHECK(said.find("Relu_0") == std::string::npos);
}

TEST_CASE("import: what is said about a value that nobody makes, and about one that two make?") {
  CHECK(refusal("g (float[4] x) => (float[4] y) { y = Add (x, z) }") ==
        "ONNX text: node 'Add_0' (Add): no value 'z' is made before it");
  CHECK(refusal("g (float[4] x) => (float[4] y) { y = Relu (x)  y = Abs (x) }") ==
        "ONNX text: node 'Abs_0' (Abs): value 'y' has two definitions");
  CHECK(refusal("g (float[4] x) => (float[4] y) { z = Relu (x) }") == "ONNX text: output 'y': no node makes it");
}

TEST_CASE("import: which versions are refused?") {
  const auto model = [](int ir, int opset) {
    return "<ir_version: " + std::to_string(ir) + ", opset_import: [\"\" : " + std::to_string(opset) +
           "]> g (float[4] x) => (float[4] y) { y = Relu (x) }";
  };
  for (int opset = 7; opset <= 21; ++opset) CHECK(refusal(model(8, opset)) == "no error");
  CHECK(refusal(model(8, 22)) == "ONNX text: opset 22 is not supported, expected 1 to 21");
  CHECK(refusal(model(11, 13)) == "ONNX text: IR version 11 is not supported, expected 3 to 10");
  CHECK(refusal(model(2, 13)) == "ONNX text: IR version 2 is not supported, expected 3 to 10");
  CHECK(refusal("<ir_version: 8, opset_import: [\"com.acme\" : 1]> g (float[4] x) => (float[4] y) { y = Relu (x) }") ==
        "ONNX text: the model imports no opset of the default domain");
}

TEST_CASE("import: does a given input become a constant?") {
  const auto text = "g (float[2] x, float[2] w) => (float[2] y) { y = Add (x, w) }";
  ImportOptions options;
  options.constant_inputs["w"] = ir::Tensor::of({ElementType::f32, {2}}, {1, 2});
  const auto g = import_text(text, options);
  CHECK(g.inputs.size() == 1);
  CHECK(g.is_constant(only_node(g).inputs[1]));
  options.constant_inputs["v"] = options.constant_inputs["w"];
  CHECK(refusal(text, options).find("no input 'v' to hold constant") != std::string::npos);
  options.constant_inputs = {{"w", ir::Tensor::of({ElementType::f32, {3}}, {1, 2, 3})}};
  CHECK(refusal(text, options) == "ONNX text: input 'w': expected f32[2], got a constant f32[3]");
}

TEST_CASE("import: does a fingerprint survive a second import?") {
  const auto text = "g (float[2,3] x) => (float[3,2] y) { h = Relu (x)  y = Transpose <perm = [1, 0]> (h) }";
  CHECK(ir::fingerprint(import_text(text)) == ir::fingerprint(import_text(text)));
  const auto other = "g (float[2,3] x) => (float[3,2] y) { h = Abs (x)  y = Transpose <perm = [1, 0]> (h) }";
  CHECK(ir::fingerprint(import_text(text)) != ir::fingerprint(import_text(other)));
}

TEST_CASE("import: is a text that does not parse the user's fault?") {
  CHECK(refusal("g (float[4] x) => (float[4] y) { y = }").starts_with("ONNX text: "));
}
