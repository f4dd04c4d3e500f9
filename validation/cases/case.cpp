#include "validation/cases/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/data_set.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "validation/cases/layers.hpp"
#include "validation/cases/ports.hpp"

namespace pimento::validation {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Files name their tensors or follow the order of the ports; a named one goes to its port.
std::vector<ir::Tensor> in_port_order(const std::vector<frontend::NamedTensor>& files,
                                      const std::vector<isa::Port>& ports) {
  std::vector<ir::Tensor> tensors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto named = std::find_if(files.begin(), files.end(), [&](const frontend::NamedTensor& t) {
      return i < ports.size() && !t.name.empty() && t.name == ports[i].name;
    });
    tensors.push_back(named == files.end() ? files[i].tensor : named->tensor);
  }
  return tensors;
}

CaseResult::Set run_set(const CompileResult& compiled, const isa::Chip& chip, const CompileOptions& compile,
                        const CaseOptions& options, const std::string& name, const frontend::DataSet& data) {
  const isa::Program& program = compiled.program;
  const std::vector<ir::Tensor> inputs =
      complete_inputs(program.inputs, in_port_order(data.inputs, program.inputs), options.seed, options.note);
  sim::Options simulation;
  simulation.track_writers = true;
  simulation.counters = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) simulation.inputs.push_back(encode(program.inputs[i], inputs[i]));
  const sim::Result result = sim::simulate(program, chip, simulation);
  if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
  const bool from_files = data.inputs.size() == program.inputs.size() && data.outputs.size() == program.outputs.size();
  const std::vector<ir::Tensor> expected =
      from_files ? in_port_order(data.outputs, program.outputs) : reference_outputs(compiled.graph, inputs);
  NumericalCheck check = check_outputs(
      program, result, expected, from_files ? "outputs of " + name : "the Eigen reference in f64", options.min_sqnr_db);
  if (!check.passed) check.diverging = first_diverging(compiled.graph, chip, compile, inputs, options.min_sqnr_db);
  return {name, result.cycles, std::move(check)};
}

}  // namespace

bool CaseResult::passed() const {
  return fault.empty() && std::all_of(sets.begin(), sets.end(), [](const Set& s) { return s.check.passed; });
}

CaseResult validate_case(const std::string& folder, const isa::Chip& chip, const CaseOptions& options) {
  CaseResult result;
  const fs::path path = fs::path(folder).lexically_normal();
  result.name = (path.has_filename() ? path : path.parent_path()).filename().string();
  try {
    const fs::path model = path / "model.onnx";
    if (!fs::is_directory(path)) throw UserError({.file = folder}, "no such folder");
    if (!fs::exists(model)) throw UserError({.file = folder}, "no model.onnx in it");
    CompileOptions compile;
    compile.numerics = options.numerics;
    compile.dimensions = options.dimensions;
    compile.seed = options.seed;
    compile.note = options.note;
    const std::vector<fs::path> sets = data_sets(path);
    std::vector<frontend::DataSet> data;
    for (const fs::path& set : sets) data.push_back(frontend::read_data_set(set.string()));
    compile.calibration = options.calibration;
    compile.calibration_inputs = options.calibration_inputs;
    if (!data.empty() && compile.calibration_inputs.empty())
      for (const frontend::NamedTensor& t : data.front().inputs) compile.calibration_inputs.push_back(t.tensor);
    const CompileResult compiled = compile_model(model.string(), chip, compile);
    if (data.empty()) data.resize(1);
    for (std::size_t i = 0; i < data.size(); ++i)
      result.sets.push_back(run_set(compiled, chip, compile, options,
                                    i < sets.size() ? sets[i].filename().string() : "seeded inputs", data[i]));
  } catch (const InternalError& fault) {
    result.fault = std::string("internal error: ") + fault.what();
    result.our_fault = true;
  } catch (const Error& fault) {
    result.fault = fault.what();
  }
  return result;
}

}  // namespace pimento::validation
