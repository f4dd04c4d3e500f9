#include "compiler/pipeline/settings.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace pimento;

namespace {
ir::Graph relu() {
  ir::Graph g;
  const ir::ValueId x = g.add_input("x", {ElementType::f32, {1, 4}});
  g.outputs = {g.add_node("relu", {x}, {ElementType::f32, {1, 4}}, {}, "y")};
  return g;
}
}  // namespace

TEST_CASE("settings: is the source of the ranges the one that calibration takes?") {
  ir::Graph g = relu();
  CompileOptions options;
  options.seed = 7;
  CHECK(source_of_ranges(g, options) == "seeded normal inputs, seed 7");
  g.metadata["pimento.ranges"] = R"({"x": [-1, 1]})";  // y is missing
  CHECK(source_of_ranges(g, options) == "seeded normal inputs, seed 7");
  g.metadata["pimento.ranges"] = nlohmann::json{{"x", {-1, 1}}, {g.value(g.outputs[0]).name, {0, 1}}}.dump();
  CHECK(source_of_ranges(g, options) == "recorded in the model");
  options.calibration_inputs = {ir::Tensor::zeros({ElementType::f32, {1, 4}})};
  options.calibration_source = "the evaluated inputs";
  CHECK(source_of_ranges(g, options) == "measured on 1 tensor: the evaluated inputs");
  options.calibration_samples = 3;
  CHECK(source_of_ranges(g, options) == "measured on 1 tensor: the evaluated inputs, and 2 made up");
  options.numerics = Numerics::f32;
  CHECK(source_of_ranges(g, options) == "none: 4-byte floats");
}

TEST_CASE("settings: does a program say how it was compiled, and its record the same?") {
  CompileOptions options;
  options.seed = 9;
  const CompileResult made = compile_graph(relu(), isa::load_chip("tiny-4"), options);
  const nlohmann::json settings = nlohmann::json::parse(made.program.settings_json);
  CHECK(settings["seed"] == 9);
  CHECK(settings["numerics"] == "quantised");
  CHECK(settings["ranges"] == "seeded normal inputs, seed 9");
  CHECK(settings["mapping"] == 1);
  CHECK(settings["crossbar_share_percent"] == 60);
  CHECK(settings["unrolled"] == false);
  CHECK(settings["pimento"] == PIMENTO_VERSION);
  CHECK(nlohmann::json::parse(proof::to_json(made.record))["settings"] == settings);
}
