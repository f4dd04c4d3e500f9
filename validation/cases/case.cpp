#include "validation/cases/case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/data_set.hpp"
#include "compiler/ir/join.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/layers.hpp"
#include "validation/cases/ports.hpp"
#include "validation/cases/randomise.hpp"
#include "validation/reference/program.hpp"

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

bool agrees_with_integers(const isa::Program& program, const isa::Chip& chip, const sim::Options& simulation,
                          const sim::Result& result) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const sim::PortData& input : simulation.inputs) inputs.push_back(input.bytes);
  const auto expected = reference::run_program(program, chip.core.local_memory.capacity, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (result.outputs.at(i).bytes != expected[i]) return false;
  return true;
}

/// The same program with the chip's own converters.
std::map<std::string, std::optional<double>> with_own_adc(const isa::Program& program, const isa::Chip& chip,
                                                          const sim::Options& simulation,
                                                          const std::vector<ir::Tensor>& expected) {
  std::map<std::string, std::optional<double>> least;
  for (const std::string range : {"full_scale", "calibrated"}) {
    const isa::Chip real =
        isa::with_values(chip, {{"core.crossbar.adc.ideal", "false"}, {"core.crossbar.adc.range", range}});
    const sim::Result result = sim::simulate(program, real, simulation);
    if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
    std::optional<double>& db = least[range];
    for (const Comparison& c : check_outputs(program, result, expected, "", 0).outputs)
      if (c.sqnr_db) db = std::min(db.value_or(*c.sqnr_db), *c.sqnr_db);
  }
  return least;
}

bool is_constant(const frontend::DataSet& data, std::size_t i, ConstantInputs which) {
  return which == ConstantInputs::all || (which == ConstantInputs::weights && i > 0) ||
         (which == ConstantInputs::integers && !is_float(data.inputs[i].tensor.element_type()));
}

/// Takes the inputs that are constants out of the data set.
std::map<std::string, ir::Tensor> take_constants(frontend::DataSet& data, ConstantInputs which) {
  std::map<std::string, ir::Tensor> constants;
  std::vector<frontend::NamedTensor> rest;
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    if (is_constant(data, i, which))
      constants[data.inputs[i].name] = data.inputs[i].tensor;
    else
      rest.push_back(data.inputs[i]);
  }
  data.inputs = std::move(rest);
  return constants;
}

/// A folder's model and data sets; one without inputs gets them from the seed.
struct CaseFiles {
  explicit CaseFiles(const fs::path& folder) : model((folder / "model.onnx").string()) {
    if (!fs::is_directory(folder))
      throw UserError({.file = folder.string()},
                      fs::exists(folder) ? "expected a case's folder, got a file" : "no such folder");
    if (!fs::exists(model)) throw UserError({.file = folder.string()}, "no model.onnx in it");
    for (const fs::path& set : data_sets(folder)) {
      names.push_back(set.filename().string());
      data.push_back(frontend::read_data_set(set.string()));
    }
    if (!has_inputs()) {
      data.resize(std::max<std::size_t>(data.size(), 1));
      names.resize(data.size(), "seeded inputs");
    }
  }
  bool has_inputs() const { return !data.empty() && !data.front().inputs.empty(); }
  /// Their names as those of a model among others.
  void put_under(const std::string& name) {
    for (frontend::DataSet& set : data)
      for (std::vector<frontend::NamedTensor>* tensors : {&set.inputs, &set.outputs})
        for (frontend::NamedTensor& t : *tensors)
          if (!t.name.empty()) t.name.insert(0, name + ir::name_separator);
  }

  std::string model;
  std::vector<std::string> names;  ///< of the data sets
  std::vector<frontend::DataSet> data;
};

class CaseRun {
 public:
  CaseRun(const std::vector<fs::path>& folders, const std::vector<std::string>& names, const isa::Chip& chip,
          const CaseOptions& options)
      : chip_(chip), options_(options) {
    for (std::size_t i = 0; i < folders.size(); ++i) {
      CaseFiles files(folders[i]);
      models_.push_back({files.model, names[i]});
      if (folders.size() > 1) files.put_under(names[i]);
      if (i > 0 && files.has_inputs() != cases_.front().has_inputs())
        throw UserError({.file = folders[i].string()},
                        fmt::format("beside '{}': expected data sets in both, or in none", names.front()));
      sets_ = i == 0 ? files.data.size() : std::min(sets_, files.data.size());
      cases_.push_back(std::move(files));
    }
  }

  void run(std::vector<CaseResult::Set>& results) {
    CompileOptions compile;
    std::optional<CompileResult> compiled;
    for (std::size_t i = 0; i < sets_; ++i) {
      frontend::DataSet data;
      std::map<std::string, ir::Tensor> constants;
      for (CaseFiles& files : cases_) {
        constants.merge(take_constants(files.data[i], options_.constants));
        data.inputs.insert(data.inputs.end(), files.data[i].inputs.begin(), files.data[i].inputs.end());
        data.outputs.insert(data.outputs.end(), files.data[i].outputs.begin(), files.data[i].outputs.end());
      }
      if (!compiled || !constants.empty()) {
        compile = compile_options(data, constants);
        compiled = compile_case(compile);
      }
      results.push_back(run_set(*compiled, compile, cases_.front().names[i], data));
    }
  }

 private:
  CompileOptions compile_options(const frontend::DataSet& data,
                                 const std::map<std::string, ir::Tensor>& constants) const {
    CompileOptions compile;
    compile.numerics = options_.numerics;
    compile.verify = false;  // of the compiler's development (laws/README.md), not of a case
    compile.dimensions = options_.dimensions;
    compile.constant_inputs = constants;
    compile.seed = options_.seed;
    compile.note = options_.note;
    compile.calibration = options_.calibration;
    compile.calibration_inputs = options_.calibration_inputs;
    compile.calibration_source = compile.calibration_inputs.empty() ? "the inputs of the data set" : "given files";
    if (compile.calibration_inputs.empty())
      for (const frontend::NamedTensor& t : data.inputs) compile.calibration_inputs.push_back(t.tensor);
    return compile;
  }

  CompileResult compile_case(const CompileOptions& compile) const {
    if (!options_.randomise_weights) return compile_models(models_, chip_, compile);
    return compile_graph(randomise_weights(import_models(models_, compile), *options_.randomise_weights), chip_,
                         compile);
  }

  CaseResult::Set run_set(const CompileResult& compiled, const CompileOptions& compile, const std::string& name,
                          const frontend::DataSet& data) const {
    const isa::Program& program = compiled.program;
    const std::vector<ir::Tensor> inputs =
        complete_inputs(program.inputs, in_port_order(data.inputs, program.inputs), options_.seed, options_.note);
    sim::Options simulation;
    simulation.track_writers = true;
    simulation.counters = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) simulation.inputs.push_back(encode(program.inputs[i], inputs[i]));
    const sim::Result result = sim::simulate(program, chip_, simulation);
    if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
    const bool from_files = !options_.randomise_weights && data.inputs.size() == program.inputs.size() &&
                            data.outputs.size() == program.outputs.size();
    const std::vector<ir::Tensor> expected =
        from_files ? in_port_order(data.outputs, program.outputs) : reference_outputs(compiled.graph, inputs);
    NumericalCheck check =
        check_outputs(program, result, expected, from_files ? "outputs of " + name : "the Eigen reference in f64",
                      options_.min_sqnr_db);
    if (!check.passed) check.diverging = first_diverging(compiled.graph, chip_, compile, inputs, options_.min_sqnr_db);
    CaseResult::Set set{name, result.cycles, std::move(check)};
    if (options_.with_integers) set.is_integers = agrees_with_integers(program, chip_, simulation, result);
    if (options_.with_adc && program.numerics == Numerics::quantised)
      set.adc_sqnr_db = with_own_adc(program, chip_, simulation, expected);
    return set;
  }

  const isa::Chip& chip_;
  const CaseOptions& options_;
  std::vector<ModelFile> models_;
  std::vector<CaseFiles> cases_;
  std::size_t sets_ = 0;
};

}  // namespace

bool CaseResult::passed() const {
  return fault.empty() && std::all_of(sets.begin(), sets.end(), [](const Set& s) { return s.passed(); });
}

CaseResult validate_case(const std::string& folder, const isa::Chip& chip, const CaseOptions& options) {
  return validate_cases({folder}, chip, options);
}

CaseResult validate_cases(const std::vector<std::string>& folders, const isa::Chip& chip, const CaseOptions& options) {
  CaseResult result;
  std::vector<fs::path> paths;
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder).lexically_normal();
    names.push_back(
        zoo::name_in(folder).value_or((path.has_filename() ? path : path.parent_path()).filename().string()));
  }
  if (names.size() > 1) names = distinct_names(std::move(names));
  result.name = fmt::format("{}", fmt::join(names, "+"));
  try {
    for (const std::string& folder : folders) {
      const std::optional<std::string> network = zoo::name_in(folder);
      paths.push_back(fs::path(network ? zoo::cached(*network) : folder).lexically_normal());
    }
    CaseRun(paths, names, chip, options).run(result.sets);
  } catch (const InternalError& fault) {
    result.fault = std::string("internal error: ") + fault.what();
    result.status = fault.status();
  } catch (const Error& fault) {
    result.fault = fault.what();
    result.status = fault.status();
  }
  return result;
}

}  // namespace pimento::validation
