#include <fmt/format.h>
#include <filesystem>

#include "compiler/frontend/tensor_file.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/ports.hpp"
#include "validation/cases/run_figures.hpp"
#include "validation/golden/golden.hpp"

namespace pimento::validation {
namespace {
namespace fs = std::filesystem;

std::vector<ir::Tensor> inputs_of(const fs::path& model) {
  std::vector<ir::Tensor> inputs;
  for (int i = 0;; ++i) {
    const fs::path file = model / "test_data_set_0" / fmt::format("input_{}.pb", i);
    if (!fs::exists(file)) return inputs;
    inputs.push_back(frontend::read_tensor(file.string()));
  }
}

}  // namespace

const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> all = [] {
    struct Network {
      const char* name;
      bool values, slow;
    };
    std::vector<GoldenCase> cases;
    for (const char* chip : {"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144"})
      for (const Network& n :
           {Network{"mlp", true, false}, Network{"lenet5", true, false}, Network{"transformer_block", true, false},
            Network{"vgg8", false, false}, Network{"resnet20", false, false}, Network{"squeezenet", false, false},
            Network{"resnet18", false, false}, Network{"mobilenet_v2", false, true}, Network{"resnet50", false, true}})
        cases.push_back({n.name, chip, n.values, n.slow});
    return cases;
  }();
  return all;
}

Measured measure(const GoldenCase& of, bool verify, const std::function<void(const std::string&)>& note) {
  const isa::Chip chip = isa::load_chip(of.chip);
  const fs::path model = zoo::cached(of.network);
  const std::vector<ir::Tensor> inputs = inputs_of(model);
  CompileOptions options;
  options.calibration_inputs = inputs;
  options.calibration_source = "the inputs that come with the model";
  options.note = note;
  options.verify = verify;
  CompileResult made = compile_model((model / "model.onnx").string(), chip, options);
  made.record.model = of.network;
  sim::Options run;
  run.timing_only = !of.values;
  for (std::size_t i = 0; of.values && i < inputs.size(); ++i)
    run.inputs.push_back(encode(made.program.inputs.at(i), inputs[i]));
  const sim::Result result = sim::simulate(made.program, chip, run);
  if (result.stop != sim::StopReason::finished)
    throw Negative(fmt::format("{}: {}: {}", of.name(), sim::to_string(result.stop), result.explanation));
  std::optional<NumericalCheck> check;
  if (of.values)
    check = check_outputs(made.program, result, reference_outputs(made.graph, inputs), "the Eigen reference in f64",
                          default_min_sqnr_db);
  if (check && !check->passed) throw Negative(fmt::format("{}: wrong values: {}", of.name(), to_text(*check)));
  add_run(made.record, result, check);
  return {std::move(made.record), std::move(made.program)};
}

}  // namespace pimento::validation
