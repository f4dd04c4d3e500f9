// From a model file: import, then compile_graph; the frontend is a stage of the record like the others.
#include <filesystem>
#include <utility>

#include "compiler/frontend/import.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/stopwatch.hpp"

namespace pimento {

CompileResult compile_model(const std::string& model_path, const isa::Chip& chip, const CompileOptions& options) {
  if (options.dump_after) expect_stage(*options.dump_after);  // before the import, which takes its time
  const Stopwatch watch;
  frontend::ImportOptions import_options;
  import_options.dimensions = options.dimensions;
  import_options.constant_inputs = options.constant_inputs;
  for (const ir::Tensor& t : options.calibration_inputs) import_options.input_shapes.push_back(t.shape());
  import_options.note = options.note;
  ir::Graph graph = frontend::import_onnx(model_path, import_options);
  const double wall_s = watch.wall_s(), cpu_s = watch.cpu_s();
  CompileResult result;
  try {
    result = compile_graph(std::move(graph), chip, options);
  } catch (const UserError& fault) {  // of a node or value: say of which file
    if (!fault.place().file.empty() || fault.place().node.empty()) throw;
    throw UserError({.file = model_path}, fault.what());
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
  result.record.model = std::filesystem::path(model_path).filename().string();
  result.program.model = result.record.model;
  return result;
}

}  // namespace pimento
