#include "validation/cases/layers.hpp"

#include <doctest/doctest.h>

#include "compiler/ops/registry.hpp"
#include "compiler/pipeline/calibrate.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

struct Lenet {
  zoo::Model model = zoo::build("lenet5");
  isa::Chip chip = isa::load_chip("pimcomp-144");
  std::vector<ir::Tensor> inputs;
  CompileOptions options;
  std::vector<std::string> notes;
  explicit Lenet(Numerics numerics) {
    for (const auto& input : model.data.inputs) inputs.push_back(input.tensor);
    options.numerics = numerics;
    options.calibration_inputs = inputs;
    options.note = [this](const std::string& text) { notes.push_back(text); };
  }
};

/// small = x * 1000 on one channel only, pooled, and divided again: the other channel is below half a code of 8 bits.
ir::Graph squeezed() {
  ir::Graph graph;
  graph.name = "squeezed";
  const auto add = [&](const std::string& name, const std::string& op, const std::vector<ir::ValueId>& inputs,
                       const ir::Attributes& attributes = {}) {
    ir::Node node;
    node.op = op;
    node.source = name;
    node.inputs = inputs;
    node.attributes = attributes;
    node.outputs = {graph.add_value(name, {})};
    graph.value(node.outputs[0]).type = ops::infer_or_throw(graph, node)[0];
    return graph.append(node).outputs[0];
  };
  const auto scales = [&](const std::string& name, const std::vector<double>& values) {
    return graph.add_constant(name, ir::Tensor::of({ElementType::f32, {1, 2, 1, 1}}, values));
  };
  const ir::ValueId x = graph.add_input("x", {ElementType::f32, {1, 2, 6, 6}});
  const ir::ValueId wide = add("widen", "mul", {x, scales("up", {1, 1000})});
  const ir::ValueId pooled = add("pool", "max_pool", {wide},
                                 {{"kernel_shape", ir::Shape{2, 2}},
                                  {"strides", ir::Shape{2, 2}},
                                  {"dilations", ir::Shape{1, 1}},
                                  {"pads", ir::Shape{0, 0, 0, 0}},
                                  {"ceil_mode", std::int64_t{0}},
                                  {"storage_order", std::int64_t{0}}});
  graph.outputs = {add("narrow", "mul", {pooled, scales("down", {1, 0.001})})};
  return graph;
}

}  // namespace

TEST_CASE("layers: do all values of a network agree with the reference in exact numerics?") {
  const Lenet l(Numerics::exact);
  const std::vector<LayerComparison> layers = compare_layers(l.model.graph, l.chip, l.options, l.inputs);
  CHECK(layers.size() >= 7);  // two convolutions, two poolings, three products
  for (const LayerComparison& layer : layers) {
    CAPTURE(layer.node);
    CHECK(layer.comparison.differing == 0);
  }
  CHECK(first_diverging(l.model.graph, l.chip, l.options, l.inputs, default_min_sqnr_db) ==
        "no layer diverges: all " + std::to_string(layers.size()) + " agree when each is stored");
}

TEST_CASE("layers: is the first that goes wrong named, and not the ones before or behind it?") {
  const ir::Graph graph = squeezed();
  const isa::Chip chip = isa::load_chip("tiny-4");
  CompileOptions options;
  const std::vector<ir::Tensor> inputs{seeded_normal(graph.type(graph.inputs[0]), 3)};
  options.calibration_inputs = inputs;
  const std::string found = first_diverging(graph, chip, options, inputs, default_min_sqnr_db);
  CAPTURE(found);
  CHECK(found.starts_with("first diverging layer: '"));
  CHECK(found.find("(value 'narrow' f32[1,2,3,3])") != std::string::npos);
}

TEST_CASE("layers: is one value seen as the simulator makes it, fused or not?") {
  Lenet l(Numerics::exact);
  const auto seen = see(l.model.graph, l.chip, l.options, l.inputs, "relu1");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].got.type().shape == ir::Shape{1, 6, 28, 28});
  for (const std::string& note : l.notes) CHECK(note.find("fused") == std::string::npos);

  const auto hidden = see(l.model.graph, l.chip, l.options, l.inputs, "conv1");
  REQUIRE(hidden.size() == 1);
  REQUIRE(!l.notes.empty());
  CHECK(l.notes.back() == "value 'conv1' is fused into another; it is shown as computed alone");
  const auto* before = hidden[0].got.data<float>();
  const auto* after = seen[0].got.data<float>();
  for (std::int64_t i = 0; i < seen[0].got.type().elements(); ++i)
    CHECK(after[i] == doctest::Approx(std::max(0.0F, before[i])).epsilon(1e-4));
}

TEST_CASE("layers: what does an unknown name answer?") {
  const Lenet l(Numerics::quantised);
  CHECK_THROWS_WITH_AS(see(l.model.graph, l.chip, l.options, l.inputs, "cov1"),
                       "no node or value 'cov1' in the model; nearest: 'conv1'", UserError);
}
