#include "compiler/pipeline/compile.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>

#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/placement/placement.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"
#include "compiler/drivers/pim/schedule/work.hpp"
#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/drivers/pim/spatial/layout.hpp"
#include "compiler/drivers/pim/spatial/merge.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/optimizer/optimizer.hpp"
#include "compiler/pipeline/calibrate.hpp"
#include "compiler/pipeline/limits.hpp"
#include "compiler/pipeline/outputs.hpp"
#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const std::vector<std::string>& pim_stages() {
  static const std::vector<std::string> names{
      "numerics",    "graph-to-spatial", "merge",     "schedule",      "materialise",
      "communicate", "spatial-to-pim",   "bufferise", "plan-liveness", "emit"};
  return names;
}

class Pipeline {
  const isa::Chip& chip_;
  const CompileOptions& options_;
  proof::Record& record_;

  bool wants(const std::string& name) const { return options_.dump && options_.dump_after == name; }

  /// Runs a stage, times it, dumps it when asked and stops on a broken rule.
  template <class Work, class Text, class Verify>
  auto stage(const std::string& name, Work&& work, Text&& text, Verify&& check) {
    const auto start = Clock::now();
    auto result = work();
    proof::StageRecord record;
    record.name = name;
    record.wall_s = seconds_since(start);
    record_.stages.push_back(std::move(record));
    if (wants(name)) options_.dump(name, text(result));
    if (const std::string fault = check(result); !fault.empty())
      throw InternalError(fmt::format("stage {}: {}", name, fault));
    return result;
  }
  void count(const std::string& figure, std::int64_t value) {
    record_.stages.back().counts[figure] = value;
    record_.figures[figure] = value;
  }

 public:
  Pipeline(const isa::Chip& chip, const CompileOptions& options, proof::Record& record)
      : chip_(chip), options_(options), record_(record) {}

  /// The bounds of the program that was made last.
  const pim::Bounds& bounds() const { return bounds_; }
  const std::string& placement() const { return placement_text_; }

  isa::Program run(ir::Graph graph) {
    std::vector<std::string> output_names;
    for (const ir::ValueId v : graph.outputs) output_names.push_back(graph.value(v).name);
    for (const optimizer::PassReport& pass : optimise(graph)) {
      proof::StageRecord stage;
      stage.name = pass.name;
      stage.wall_s = pass.wall_s;
      stage.counts = {{"changed", pass.changed}, {"kept_back", pass.kept_back}};
      record_.stages.push_back(std::move(stage));
    }
    observe(graph);
    give_outputs_nodes(graph, output_names);
    const pim::NumericsPlan plan = stage(
        "numerics",
        [&] {
          return calibrated_plan(graph, chip_, options_.numerics,
                                 {options_.calibration, options_.calibration_inputs, options_.seed, options_.note});
        },
        [&](const pim::NumericsPlan& p) { return numerics_text(graph, p); },
        [](const pim::NumericsPlan&) { return ""; });
    return lower(graph, plan);
  }

 private:
  pim::Bounds bounds_;
  std::string placement_text_;
  std::optional<pim::Placement> own_;  ///< the user's mapping

  std::vector<optimizer::PassReport> optimise(ir::Graph& graph) {
    return optimizer::optimise(graph, [&](const std::string& pass, const ir::Graph& g) {
      if (wants(pass)) options_.dump(pass, ir::print(g));
    });
  }

  /// What debugging wants to see becomes an output; nothing else of the graph changes.
  void observe(ir::Graph& graph) const {
    std::set<ir::ValueId> stored(graph.outputs.begin(), graph.outputs.end());
    for (const ir::Node& node : graph.nodes)
      for (const ir::ValueId v : node.outputs) {
        if (v == ir::no_value || graph.is_constant(v)) continue;
        const bool named = std::find(options_.observed.begin(), options_.observed.end(), graph.value(v).name) !=
                           options_.observed.end();
        const bool wanted = named || (options_.observe_all && !pim::renames_only(node));
        if (wanted && stored.insert(v).second) graph.outputs.push_back(v);
      }
  }

  static std::string numerics_text(const ir::Graph& graph, const pim::NumericsPlan& plan) {
    std::string text = fmt::format("numerics: {}\n", to_string(plan.numerics));
    for (std::size_t v = 0; v < graph.values.size(); ++v)
      if (!graph.values[v].constant)
        text += fmt::format("  {} {} scale {}\n", graph.values[v].name, to_string(plan.formats[v].type),
                            plan.formats[v].scale);
    return text;
  }

  /// How freely a mapping may use crossbars (copies) and local memory (rows ahead).
  struct Effort {
    double crossbar_share;
    int rows_ahead;
  };
  /// From the fastest mapping to the most frugal one.
  static constexpr std::array efforts{Effort{0.6, pim::ample_rows},
                                      Effort{0.6, 3},
                                      Effort{0.6, 2},
                                      Effort{0.4, 3},
                                      Effort{0.4, 2},
                                      Effort{0.75, 1},
                                      Effort{0.6, 1},
                                      Effort{0.4, 1},
                                      Effort{0.2, 2},
                                      Effort{0.0, 1}};

  struct Placed {
    pim::ConstantPool pool;
    pim::Spatial spatial;
    pim::Schedule schedule;
    int rows_ahead = 1;
  };
  /// graph-to-spatial, merge and schedule.
  Placed place(const ir::Graph& graph, const pim::NumericsPlan& plan, const Effort& effort) {
    Placed p;
    pim::SpatialOptions spatial_options;
    spatial_options.crossbar_share = effort.crossbar_share;
    p.rows_ahead = own_ ? own_->rows_ahead() : effort.rows_ahead;
    if (own_)
      spatial_options.spread_of = [&, names = pim::layer_names(graph)](std::int32_t node, std::int32_t rows,
                                                                       std::int32_t positions, std::int32_t strips) {
        return own_->spread(names[static_cast<std::size_t>(node)], rows, positions, strips);
      };
    pim::SpatialResult made = stage(
        "graph-to-spatial", [&] { return pim::graph_to_spatial(graph, chip_, plan, p.pool, spatial_options); },
        [](const pim::SpatialResult& r) { return pim::print(r.spatial); },
        [&](const pim::SpatialResult& r) { return pim::verify(r.spatial, chip_); });
    count("logical_computes", made.statistics.computes);
    count("graph_batches", made.statistics.batches);
    count("classes", made.statistics.classes);
    count("mvms", made.statistics.mvms);
    count("crossbars_used", made.statistics.crossbars_used);
    pim::MergeStatistics merged;
    p.spatial = stage(
        "merge", [&] { return pim::merge(made.spatial, graph, merged); },
        [](const pim::Spatial& s) { return pim::print(s); },
        [&](const pim::Spatial& s) {
          const std::string fault = pim::merge_law(made.spatial, s);
          return fault.empty() ? pim::verify(s, chip_) : fault;
        });
    count("moves_merged", merged.moves_merged);
    count("critical_path_cycles", pim::critical_path(p.spatial));
    p.schedule = stage(
        "schedule",
        [&] {
          return own_ ? schedule_on(p, own_->cores(p.spatial, graph, chip_))
                      : pim::make_schedule(p.spatial, chip_, p.rows_ahead);
        },
        [&](const pim::Schedule& s) { return pim::print(s, p.spatial); },
        [&](const pim::Schedule& s) { return pim::verify(s, p.spatial, chip_); });
    count("predicted_cycles", p.schedule.makespan);
    return p;
  }

  pim::Schedule schedule_on(const Placed& p, std::vector<CoreId> class_core) const {
    const pim::Producers producers(p.spatial);
    const pim::MoveCosts costs(p.spatial, chip_);
    return pim::schedule_computes(p.spatial, producers, chip_, costs, std::move(class_core), p.rows_ahead);
  }

  isa::Program lower(const ir::Graph& graph, const pim::NumericsPlan& plan) {
    if (options_.placement) {
      own_ = pim::Placement::parse(*options_.placement, options_.placement_file, graph.name, chip_.name);
      return lower(graph, plan, Effort{0, own_->rows_ahead()});
    }
    const std::size_t stages = record_.stages.size();
    std::string why;  // the fastest mapping does not fit
    for (std::size_t attempt = 0;;) {
      const Effort& effort = efforts[attempt];
      try {
        isa::Program program = lower(graph, plan, effort);
        if (!why.empty() && options_.note)
          options_.note(fmt::format("{}; mapped with {} % of the crossbars and {} {} ahead", why,
                                    static_cast<int>(100 * effort.crossbar_share), effort.rows_ahead,
                                    effort.rows_ahead == 1 ? "row" : "rows"));
        return program;
      } catch (const pim::DoesNotFit& e) {
        if (why.empty()) why = e.what();
        // only fewer copies make fewer instructions
        const bool fewer_copies = dynamic_cast<const pim::TooManyInstructions*>(&e) != nullptr;
        do {
          if (++attempt == efforts.size()) throw;
        } while (fewer_copies && efforts[attempt].crossbar_share >= effort.crossbar_share);
        record_.stages.resize(stages);
        record_.lists.clear();
      }
    }
  }

  isa::Program lower(const ir::Graph& graph, const pim::NumericsPlan& plan, const Effort& effort) {
    Placed p = place(graph, plan, effort);
    const pim::Materialised materialised = stage(
        "materialise", [&] { return pim::materialise(p.spatial, p.schedule, chip_); },
        [&](const pim::Materialised& m) { return pim::print(m, p.spatial); },
        [&](const pim::Materialised& m) { return pim::verify(m, p.spatial, p.schedule); });
    count("scheduled_batches", static_cast<std::int64_t>(materialised.batches.size()));
    for (const pim::ScheduledBatch& b : materialised.batches)
      record_.lists["scheduled_lanes"].push_back(static_cast<std::int64_t>(b.lanes.size()));
    for (const CoreId core : p.schedule.class_core) record_.lists["class_core"].push_back(core);
    const pim::Steps steps = stage(
        "communicate", [&] { return pim::communicate(p.spatial, p.schedule, materialised, chip_); },
        [&](const pim::Steps& s) { return pim::print(s, p.spatial); },
        [&](const pim::Steps& s) { return pim::verify(s, p.schedule, p.spatial, chip_); });
    count_transfers(steps, p.spatial);

    pim::EmitStatistics emitted;
    const pim::SelectContext context{graph, chip_, plan, p.spatial.values, p.spatial.tiles, p.pool};
    const auto start = Clock::now();
    isa::Program program = pim::emit_program(context, p.spatial, p.schedule, steps, emitted,
                                             [&](const std::string& name, const std::function<std::string()>& text) {
                                               if (wants(name)) options_.dump(name, text());
                                             });
    proof::StageRecord record;
    record.name = "emit";
    record.wall_s = seconds_since(start);
    record_.stages.push_back(std::move(record));
    count("buffers", emitted.buffers);
    count("runtime_copies", emitted.copies);
    count("runtime_copy_bytes", emitted.copy_bytes);
    count("spilled_bytes", emitted.spilled_bytes);
    count("largest_core_memory_bytes", emitted.largest_core_memory);
    count("emitted_instructions", emitted.emitted_instructions);
    count_executed(program);
    placement_text_ =
        pim::print_placement(p.spatial, graph, p.schedule.class_core, p.rows_ahead, graph.name, chip_.name);
    bounds_ = {pim::hardware_bound(graph, chip_, plan, p.spatial), pim::mapping_bound(p.spatial, program, chip_)};
    return program;
  }

  void count_transfers(const pim::Steps& steps, const pim::Spatial& spatial) {
    std::int64_t sends = 0, receives = 0, loads = 0, stores = 0;
    Bytes sent = 0, received = 0;
    for (const pim::Transfer& t : steps.transfers) {
      const Bytes size = t.what.box.elements() * size_of(spatial.values[pim::index_of(t.what.value)].type);
      switch (t.kind) {
        case pim::Transfer::Kind::message:
          ++sends;
          sent += size;
          receives += static_cast<std::int64_t>(t.destinations.size());
          received += size * static_cast<Bytes>(t.destinations.size());
          break;
        case pim::Transfer::Kind::load:
          ++loads;
          break;
        case pim::Transfer::Kind::store:
          ++stores;
          break;
      }
    }
    count("sends", sends);
    count("send_bytes", sent);
    count("receives", receives);
    count("receive_bytes", received);
    count("loads", loads);
    count("stores", stores);
  }

  void count_executed(const isa::Program& program) {
    std::int64_t all = 0, largest = 0, largest_emitted = 0;
    for (const isa::CoreProgram& core : program.cores) {
      const std::int64_t n = isa::executed_instructions(core);
      all += n;
      largest = std::max(largest, n);
      largest_emitted = std::max(largest_emitted, static_cast<std::int64_t>(core.instructions.size()));
    }
    count("executed_instructions", all);
    count("largest_core_executed", largest);
    count("largest_core_emitted", largest_emitted);
  }
};

}  // namespace

std::vector<std::string> stage_names() {
  std::vector<std::string> names{"frontend"};
  for (const std::string& pass : optimizer::pipeline()) names.push_back(pass);
  for (const std::string& stage : pim_stages()) names.push_back(stage);
  return names;
}

CompileResult compile_graph(ir::Graph graph, const isa::Chip& chip, const CompileOptions& options) {
  const auto start = Clock::now();
  if (options.dump_after) {
    const std::vector<std::string> names = stage_names();
    if (std::find(names.begin(), names.end(), *options.dump_after) == names.end())
      throw UserError(fmt::format("unknown stage '{}'{}", *options.dump_after, suggestion(*options.dump_after, names)));
  }
  CompileResult result;
  result.graph = std::move(graph);
  if (options.dump && options.dump_after == "frontend") options.dump("frontend", ir::print(result.graph));
  result.record.model = result.graph.name;
  result.record.model_fingerprint = to_string(ir::fingerprint(result.graph));
  result.record.chip = chip.name;
  result.record.chip_fingerprint = fmt::format("{:016x}{:016x}{:016x}", chip.fingerprints.legality,
                                               chip.fingerprints.cost, chip.fingerprints.physics);
  result.record.numerics = to_string(options.numerics);
  result.record.version = "0.1.0";
  check_limits(result.graph, chip);
  Pipeline pipeline(chip, options, result.record);
  result.program = pipeline.run(result.graph);
  result.bounds = pipeline.bounds();
  result.placement = pipeline.placement();
  isa::Program& program = result.program;
  program.producer = "pimento 0.1.0";
  program.model = result.graph.name;
  program.model_fingerprint = result.record.model_fingerprint;
  program.numerics = options.numerics;
  program.chip_name = chip.name;
  program.chip_yaml = chip.yaml;
  program.chip = chip.fingerprints;
  for (const std::string& key : isa::cost::schedule_keys())
    program.schedule_cost_keys.push_back(key + "=" + isa::key_value(chip, key));
  isa::verify_program(program, chip);
  result.record.wall_s += seconds_since(start);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.record.peak_resident = usage.ru_maxrss * 1024;
  return result;
}

CompileResult compile_model(const std::string& model_path, const isa::Chip& chip, const CompileOptions& options) {
  const auto start = Clock::now();
  frontend::ImportOptions import_options;
  import_options.dimensions = options.dimensions;
  import_options.constant_inputs = options.constant_inputs;
  for (const ir::Tensor& t : options.calibration_inputs) import_options.input_shapes.push_back(t.shape());
  import_options.note = options.note;
  ir::Graph graph = frontend::import_onnx(model_path, import_options);
  const double wall_s = seconds_since(start);
  CompileResult result = compile_graph(std::move(graph), chip, options);
  proof::StageRecord stage;
  stage.name = "frontend";
  stage.wall_s = wall_s;
  result.record.stages.insert(result.record.stages.begin(), std::move(stage));
  result.record.wall_s += wall_s;
  result.record.model = std::filesystem::path(model_path).filename().string();
  result.program.model = result.record.model;
  return result;
}

}  // namespace pimento
