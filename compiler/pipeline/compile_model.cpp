// From model files: import, then compile_graph; the frontend is a stage of the record like the others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "compiler/frontend/import.hpp"
#include "compiler/ir/join.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "isa/support/json.hpp"
#include "isa/support/stopwatch.hpp"

namespace pimento {
namespace {

using frontend::recorded_ranges;

/// The part of a table whose keys begin with "MODEL/", without that.
template <class Table>
Table of_model(const Table& table, const std::string& name) {
  Table part;
  const std::string prefix = name + ir::name_separator;
  for (const auto& [key, value] : table)
    if (key.starts_with(prefix)) part.emplace(key.substr(prefix.size()), value);
  return part;
}
template <class Table>
void expect_models(const Table& table, const std::vector<std::string>& names, const char* what) {
  for (const auto& [key, value] : table) {
    const std::size_t end = key.find(ir::name_separator);
    const std::string model = key.substr(0, end);
    if (end == std::string::npos)
      throw UserError(fmt::format("{} '{}': of several models expected MODEL/NAME, with MODEL one of {}", what, key,
                                  fmt::join(names, ", ")));
    if (std::find(names.begin(), names.end(), model) == names.end())
      throw UserError(fmt::format("{} '{}': no model '{}'{}", what, key, model, suggestion(model, names)));
  }
}

/// With the shapes of the calibration inputs from that one on.
frontend::ImportOptions import_options(const CompileOptions& options, std::size_t first_input) {
  frontend::ImportOptions import;
  for (std::size_t i = first_input; i < options.calibration_inputs.size(); ++i)
    import.input_shapes.push_back(options.calibration_inputs[i].shape());
  return import;
}

/// Says which model a note is of.
std::function<void(const std::string&)> note_of_model(const CompileOptions& options, const std::string& name) {
  if (!options.note) return nullptr;
  return [&options, name](const std::string& text) { options.note(fmt::format("{}: {}", name, text)); };
}

/// The ranges of all models as those of one, where each has recorded them.
void join_ranges(ir::Graph& graph, const std::vector<ModelFile>& models) {
  nlohmann::json all = nlohmann::json::object();
  bool has_all = true;
  for (const ModelFile& m : models) {
    const auto at = graph.metadata.extract(m.name + ir::name_separator + recorded_ranges);
    has_all = has_all && !at.empty();
    if (at.empty()) continue;
    const nlohmann::json ranges = parse_json_or_discard(at.mapped());
    for (const auto& [value, range] : ranges.items()) all[m.name + ir::name_separator + value] = range;
  }
  if (has_all) graph.metadata[recorded_ranges] = print_json(all);
}

/// `import`, then compile_graph, as one compile.
template <class Import>
CompileResult compile_imported(Import&& import, const std::string& shown, const isa::Chip& chip,
                               const CompileOptions& options) {
  if (options.dump_after) expect_stage(*options.dump_after);  // before the import, which takes its time
  const Stopwatch watch;
  ir::Graph graph = import();
  const double wall_s = watch.wall_s(), cpu_s = watch.cpu_s();
  CompileResult result;
  try {
    result = compile_graph(std::move(graph), chip, options);
  } catch (const UserError& fault) {  // of a node or value: say of which file
    if (!fault.place().file.empty() || fault.place().node.empty()) throw;
    throw UserError({.file = shown}, fault.what());
  }
  proof::StageRecord stage;
  stage.name = "frontend";
  stage.wall_s = wall_s;
  stage.cpu_s = cpu_s;
  stage.counts = {{"operations", static_cast<std::int64_t>(result.graph.nodes.size())},
                  {"values", static_cast<std::int64_t>(result.graph.values.size())}};
  result.record.stages.insert(result.record.stages.begin(), std::move(stage));
  result.record.reals.at("wall_s") += wall_s;
  result.record.reals.at("cpu_s") += cpu_s;
  return result;
}

}  // namespace

CompileResult compile_model(const std::string& model_path, const isa::Chip& chip, const CompileOptions& options) {
  const std::vector<ModelFile> models{{model_path, ""}};
  CompileResult result = compile_imported([&] { return import_models(models, options); }, model_path, chip, options);
  result.record.model = std::filesystem::path(model_path).filename().string();
  result.program.model = result.record.model;
  return result;
}

std::vector<std::string> distinct_names(std::vector<std::string> names) {
  std::set<std::string> taken;
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), ir::name_separator, '_');
    std::string free = name;
    for (int i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}.{}", name, i);
    name = std::move(free);
  }
  return names;
}

ir::Graph import_models(const std::vector<ModelFile>& models, const CompileOptions& options) {
  if (models.size() == 1) {
    frontend::ImportOptions import = import_options(options, 0);
    import.dimensions = options.dimensions;
    import.constant_inputs = options.constant_inputs;
    import.note = options.note;
    return frontend::import_onnx(models.front().path, import);
  }
  std::vector<std::string> names;
  for (const ModelFile& m : models) names.push_back(m.name);
  expect_models(options.dimensions, names, "dimension");
  expect_models(options.constant_inputs, names, "constant input");
  std::vector<ir::Named> graphs;
  std::size_t inputs = 0;
  for (const ModelFile& m : models) {
    frontend::ImportOptions import = import_options(options, inputs);
    import.dimensions = of_model(options.dimensions, m.name);
    import.dimension_prefix = m.name + ir::name_separator;
    import.constant_inputs = of_model(options.constant_inputs, m.name);
    import.note = note_of_model(options, m.name);
    graphs.push_back({m.name, frontend::import_onnx(m.path, import)});
    inputs += graphs.back().graph.inputs.size();
  }
  ir::Graph graph = ir::join(std::move(graphs));
  join_ranges(graph, models);
  return graph;
}

CompileResult compile_models(const std::vector<ModelFile>& models, const isa::Chip& chip,
                             const CompileOptions& options) {
  if (models.size() == 1) return compile_model(models.front().path, chip, options);
  CompileOptions of_all = options;
  std::vector<std::string> files;
  for (const ModelFile& m : models) {
    of_all.models.push_back(m.name);
    files.push_back(m.path);
  }
  return compile_imported([&] { return import_models(models, options); }, fmt::format("{}", fmt::join(files, " + ")),
                          chip, of_all);
}

}  // namespace pimento
