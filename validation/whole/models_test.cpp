// Several models on one chip: is each computed as if it were alone, at the same time, under its own name?
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/zoo/zoo.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

std::vector<ModelFile> files() {
  return {{zoo::cached("mlp") + "/model.onnx", "mlp"}, {zoo::cached("lenet5") + "/model.onnx", "lenet5"}};
}
std::vector<ir::Tensor> inputs() {
  std::vector<ir::Tensor> tensors;
  for (const char* name : {"mlp", "lenet5"})
    for (const auto& input : zoo::build(name).data.inputs) tensors.push_back(input.tensor);
  return tensors;
}

Whole together(const isa::Chip& chip, Numerics numerics) {
  CompileOptions options;
  options.numerics = numerics;
  Whole whole;
  whole.inputs = options.calibration_inputs = inputs();
  use(whole, compile_models(files(), chip, options));
  whole.options.track_writers = true;
  return whole;
}
CompileResult plain(const std::vector<ModelFile>& models, const isa::Chip& chip) {
  CompileOptions options;
  options.ablations.no_replicate = true;
  return compile_models(models, chip, options);
}

}  // namespace

TEST_CASE("models: are the values of two on one chip right, on two chips, however the chip runs them?") {
  for (const char* name : {"pimsim-nn-64", "pimcomp-144"})
    for (const Numerics numerics : {Numerics::exact, Numerics::quantised}) {
      CAPTURE(name);
      const isa::Chip chip = isa::load_chip(name);
      const Whole whole = together(chip, numerics);
      const NumericalCheck values = check(whole, run_every_way(whole, chip));
      CHECK_MESSAGE(values.passed, to_text(values));
      REQUIRE(values.outputs.size() == 2);
      CHECK(values.outputs[0].output == "mlp/fc3");
      CHECK(values.outputs[1].output == "lenet5/fc3");
    }
}

TEST_CASE("models: are the outputs those that each model has alone, bit for bit?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const sim::Result both = simulate(together(chip, Numerics::quantised), chip);
  const std::vector<ir::Tensor> all = inputs();
  for (std::size_t i = 0; i < 2; ++i) {
    CompileOptions options;
    Whole alone;
    alone.inputs = options.calibration_inputs = {all[i]};
    use(alone, compile_models({files()[i]}, chip, options));
    CHECK(simulate(alone, chip).outputs.at(0).bytes == both.outputs.at(i).bytes);
  }
}

TEST_CASE("models: does the second begin before the first has ended, so that both take less time than one by one?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  Whole whole = together(chip, Numerics::quantised);
  const sim::Result both = simulate(whole, chip);
  Cycles alone = 0;
  for (const ModelFile& file : files()) {
    Whole one;
    use(one, compile_models({file}, chip, {}));
    one.options.timing_only = true;
    alone += simulate(one, chip).cycles;
  }
  CHECK(both.cycles < alone);
  Cycles last_of_first = 0, first_of_second = both.cycles;
  for (const sim::NodeResult& node : both.nodes) {
    if (node.instructions == 0) continue;
    if (node.name.starts_with("mlp/")) last_of_first = std::max(last_of_first, node.last);
    if (node.name.starts_with("lenet5/")) first_of_second = std::min(first_of_second, node.first);
  }
  CHECK(first_of_second < last_of_first);
}

TEST_CASE("models: do two need the crossbars of both, and does everything say whose it is?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const CompileResult both = plain(files(), chip);
  std::int64_t crossbars = 0;
  for (const ModelFile& file : files()) crossbars += plain({file}, chip).record.figures.at("crossbars_used");
  CHECK(both.record.figures.at("crossbars_used") == crossbars);
  CHECK(both.record.model == "mlp+lenet5");
  CHECK(both.program.model == "mlp+lenet5");
  const nlohmann::json settings = nlohmann::json::parse(both.program.settings_json);
  CHECK(settings["models"] == nlohmann::json{"mlp", "lenet5"});
  CHECK(settings["ranges"] == "recorded in the model");
  for (const std::vector<isa::Port>* ports : {&both.program.inputs, &both.program.outputs}) {
    REQUIRE(ports->size() == 2);
    CHECK(ports->at(0).name.starts_with("mlp/"));
    CHECK(ports->at(1).name.starts_with("lenet5/"));
  }
  for (const std::string& node : both.program.nodes)
    CHECK_MESSAGE((node.empty() || node.starts_with("mlp/") || node.starts_with("lenet5/")), node);
}

TEST_CASE("models: do equal names get numbers, and never one that is taken?") {
  using Names = std::vector<std::string>;
  CHECK(distinct_names({"a", "b"}) == Names{"a", "b"});
  CHECK(distinct_names({"a", "a", "a"}) == Names{"a", "a.2", "a.3"});
  CHECK(distinct_names({"a.2", "a", "a"}) == Names{"a.2", "a", "a.3"});
  CHECK(distinct_names({"x/y"}) == Names{"x_y"});
}
