#include "compiler/frontend/export.hpp"

#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::frontend;

namespace {
constexpr const char* network = R"(
  net (float[1,2,8,8] image, float[4,2,3,3] w, float[4] v, float[10,36] f) => (float[1,10] y) {
    c = Conv <strides = [1, 1], pads = [0, 0, 0, 0]> (image, w)
    n = BatchNormalization <epsilon = 0.001> (c, v, v, v, v)
    r = Relu (n)
    p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
    shape = Constant <value = int64[2] {1, 36}> ()
    q = Reshape (p, shape)
    g = Gemm <transB = 1> (q, f)
    lowest = Constant <value = float {-1.0}> ()
    k = Clip (g, lowest)
    s = Softmax <axis = 1> (k)
    y = Add (s, g) })";

ir::Graph with_weights() {
  ImportOptions options;
  for (const auto& [name, shape] : {std::pair{"w", ir::Shape{4, 2, 3, 3}}, {"v", {4}}, {"f", {10, 36}}})
    options.constant_inputs[name] = ir::Tensor::filled({ElementType::f32, shape}, ir::Scalar::of(ElementType::f32, 1));
  return import_text(network, options);
}
}  // namespace

TEST_CASE("export: does a network come back as it was?") {
  const TestFolder folder("export");
  auto graph = with_weights();
  graph.metadata["pimento.ranges"] = R"({"y": [0, 1]})";
  export_onnx(graph, folder / "m.onnx");
  const auto back = import_onnx(folder / "m.onnx");
  CHECK(ir::fingerprint(back) == ir::fingerprint(graph));
  CHECK(back.metadata == graph.metadata);
  REQUIRE(back.nodes.size() == graph.nodes.size());
  for (std::size_t n = 0; n < back.nodes.size(); ++n) {
    CHECK(back.nodes[n].source == graph.nodes[n].source);
    CHECK(back.value(back.nodes[n].outputs[0]).name == graph.value(graph.nodes[n].outputs[0]).name);
  }
}

TEST_CASE("export: are equal graphs equal bytes, and is a shared label made unique?") {
  const TestFolder folder("export");
  auto graph = with_weights();
  for (auto& value : graph.values) value.name = "same";
  export_onnx(graph, folder / "a.onnx");
  export_onnx(graph, folder / "b.onnx");
  CHECK(read_file(folder / "a.onnx") == read_file(folder / "b.onnx"));
  CHECK(ir::fingerprint(import_onnx(folder / "a.onnx")) == ir::fingerprint(graph));
}

TEST_CASE("export: is an operator without an ONNX spelling refused by name?") {
  const TestFolder folder("export");
  ir::Graph graph;
  const auto x = graph.add_input("x", {ElementType::f32, {2}});
  graph.outputs = {graph.add_node("frobnicate", {x}, {ElementType::f32, {2}})};
  graph.nodes[0].source = "f1";
  CHECK(message_of([&] { export_onnx(graph, folder / "m.onnx"); }) ==
        "node 'f1': operator 'frobnicate' has no spelling in ONNX opset 17");
  CHECK(std::filesystem::is_empty(folder.path));
}
