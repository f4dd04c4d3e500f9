#include "compiler/pipeline/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/emit/spill.hpp"
#include "compiler/drivers/pim/laws/laws.hpp"
#include "compiler/drivers/pim/lower/refusals.hpp"
#include "compiler/drivers/pim/placement/placement.hpp"
#include "compiler/drivers/pim/schedule/playthrough.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/drivers/pim/spatial/merge.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/pipeline/ablations.hpp"
#include "compiler/pipeline/calibrate.hpp"
#include "compiler/pipeline/choice.hpp"
#include "compiler/pipeline/efforts.hpp"
#include "compiler/pipeline/figures.hpp"
#include "compiler/pipeline/limits.hpp"
#include "compiler/pipeline/outputs.hpp"
#include "compiler/pipeline/plan_choice.hpp"
#include "compiler/pipeline/rounds.hpp"
#include "compiler/pipeline/settings.hpp"
#include "compiler/pipeline/spatial_options.hpp"
#include "compiler/pipeline/spills.hpp"
#include "compiler/pipeline/stage_runner.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/stopwatch.hpp"

namespace pimento {
namespace {

class Pipeline : StageRunner {
  const isa::Chip& chip_;
  Settings settings_;

 public:
  Pipeline(const isa::Chip& chip, const CompileOptions& options, proof::Record& record)
      : StageRunner(options, record), chip_(chip) {}

  /// The bounds of the program that was made last.
  const pim::Bounds& bounds() const { return bounds_; }
  const std::string& placement() const { return placement_text_; }

  isa::Program run(ir::Graph graph) {
    std::vector<std::string> output_names;
    for (const ir::ValueId v : graph.outputs) output_names.push_back(graph.value(v).name);
    optimise(graph);
    observe(graph, options_.observed, options_.observe_all);
    give_outputs_nodes(graph, output_names);
    pim::refuse(pim::refused_nodes(graph), chip_);  // before calibration runs the model for nothing
    settings_.ranges = source_of_ranges(graph, options_);
    const pim::NumericsPlan plan = stage(
        "numerics",
        [&] {
          return calibrated_plan(graph, chip_, options_.numerics,
                                 {options_.calibration, options_.calibration_inputs, options_.seed, options_.note,
                                  options_.calibration_samples});
        },
        [&](const pim::NumericsPlan& p) { return pim::print(p, graph); },
        [&](const pim::NumericsPlan& p) { return pim::verify(p, graph, chip_); });
    sizes(graph.nodes.size(), graph.values.size());
    isa::Program program = lower(graph, plan);
    program.settings_json = record_.settings_json = settings_json(options_, settings_);
    times_.give(record_.stages);
    return program;
  }

 private:
  AskedOfSpatial asked_;
  pim::Bounds bounds_;
  pim::ConstantPool kernels_;  ///< of all nodes: every plan starts from them
  std::string placement_text_;
  std::unique_ptr<pim::Scheduling> scheduling_;  ///< of the mapping that was scheduled last
  std::vector<Candidate> candidates_;            ///< the plans there were
  std::shared_ptr<Mapped> lowered_;              ///< the mapping that did not fit last
  std::optional<pim::Placement> own_;            ///< the user's mapping

  pim::SpatialOptions spatial_options_of(const ir::Graph& graph, const Effort& effort) {
    return asked_.of(graph, effort, options_.windows_per_mvm, own_ ? &*own_ : nullptr);
  }
  /// graph-to-spatial and merge.
  std::shared_ptr<Mapped> map(const ir::Graph& graph, const pim::NumericsPlan& plan, const Effort& effort) {
    const auto before = static_cast<std::ptrdiff_t>(record_.stages.size());
    scheduling_.reset();
    auto mapped = std::make_shared<Mapped>();
    mapped->pool = kernels_.only_kernels();
    const pim::SpatialOptions spatial_options = spatial_options_of(graph, effort);
    pim::SpatialResult made = stage(
        "graph-to-spatial",
        [&] {
          pim::SpatialResult spatial = pim::graph_to_spatial(graph, chip_, plan, mapped->pool, spatial_options);
          if (own_) own_->expect_rounds(spatial.spatial, graph, chip_);
          return spatial;
        },
        [](const pim::SpatialResult& r) { return pim::print(r.spatial); },
        [&](const pim::SpatialResult& r) { return options_.verify ? pim::verify(r.spatial, chip_) : ""; });
    kernels_ = mapped->pool.only_kernels();
    keep("graph-to-spatial", [&] { return pim::law_of_spatial(graph, made.spatial); });
    sizes(made.spatial.computes.size(), made.spatial.values.size());
    count("logical_computes", made.statistics.computes);
    count("graph_batches", made.statistics.batches);
    count("classes", made.statistics.classes);
    count("mvms", made.statistics.mvms);
    count("crossbars_used", made.statistics.crossbars_used);
    mapped->best_interval = made.statistics.best_interval;
    pim::MergeStatistics merged;
    mapped->spatial = stage(
        "merge",
        [&] {
          pim::Spatial whole = options_.verify ? made.spatial : std::move(made.spatial);  // the law compares both
          if (options_.ablations.no_merge) return whole;
          return pim::merge(std::move(whole), graph, mapped->pool, merged);
        },
        [](const pim::Spatial& s) { return pim::print(s); },
        [&](const pim::Spatial& s) { return options_.verify ? pim::verify(s, chip_) : ""; });
    keep("merge", [&] { return pim::law_of_merge(made.spatial, mapped->spatial); });
    sizes(mapped->spatial.computes.size(), mapped->spatial.values.size());
    count("computes", static_cast<std::int64_t>(mapped->spatial.computes.size()));
    count("moves_merged", merged.moves_merged);
    count("critical_path_cycles", pim::critical_path(mapped->spatial, scheduling(mapped->spatial).producers));
    mapped->stages.assign(record_.stages.begin() + before, record_.stages.end());
    mapped->figures = record_.figures;
    mapped->dump = held_dump_;
    return mapped;
  }
  const pim::Scheduling& scheduling(const pim::Spatial& spatial) {
    if (!scheduling_ || &scheduling_->spatial != &spatial) {
      scheduling_.reset();
      scheduling_ = std::make_unique<pim::Scheduling>(spatial, chip_);
    }
    return *scheduling_;
  }
  /// Who writes what of a plan; what else its schedules asked goes.
  pim::Producers producers_of(const pim::Spatial& spatial) {
    const std::unique_ptr<pim::Scheduling> all = std::exchange(scheduling_, nullptr);
    return all && &all->spatial == &spatial ? std::move(all->producers) : pim::Producers(spatial);
  }
  /// What the record and the dump say of a mapping that another plan has made already.
  void tell_again(const Mapped& mapped) {
    record_.stages.insert(record_.stages.end(), mapped.stages.begin(), mapped.stages.end());
    for (const auto& [figure, value] : mapped.figures) record_.figures[figure] = value;
    held_dump_ = mapped.dump;
  }

  Placed schedule(std::shared_ptr<Mapped> mapped, const ir::Graph& graph, const Effort& effort) {
    Placed p{std::move(mapped), {}, own_ ? own_->rows_ahead() : effort.rows_ahead};
    p.schedule = stage(
        "schedule",
        [&] {
          const pim::Scheduling& all = scheduling(p.spatial());
          pim::Schedule one =
              own_ ? pim::schedule_computes(all, own_->cores(p.spatial(), graph, chip_), p.rows_ahead, effort.roaming)
                   : pim::make_schedule(all, p.rows_ahead, effort.scheduler, effort.roaming, effort.short_ways);
          return effort.overlaps ? pim::schedule_stream(all, one, !own_) : one;
        },
        [&](const pim::Schedule& s) { return pim::print(s, p.spatial()); },
        [&](const pim::Schedule& s) { return options_.verify ? pim::verify(s, p.spatial(), chip_) : ""; });
    sizes(p.schedule.placed.size(), p.spatial().values.size());
    record_.stages.back().counts["end"] = p.schedule.makespan;
    return p;
  }

  /// `mapped`: that of a plan with the same spreads, if there is one.
  Plan make_plan(const ir::Graph& graph, const pim::NumericsPlan& plan, const Effort& effort,
                 std::shared_ptr<Mapped> mapped = nullptr) {
    const auto before = static_cast<std::ptrdiff_t>(record_.stages.size());
    held_dump_.reset();
    holds_dumps_ = true;
    const std::unique_ptr<bool, void (*)(bool*)> until_the_end(&holds_dumps_, [](bool* holds) { *holds = false; });
    if (mapped)
      tell_again(*mapped);
    else
      mapped = map(graph, plan, effort);
    Plan made{effort, schedule(std::move(mapped), graph, effort), {}, {}, std::nullopt, {}};
    made.figures = record_.figures;
    made.dump = std::exchange(held_dump_, std::nullopt);
    made.planned = {made.placed.schedule.makespan};
    made.stages.assign(record_.stages.begin() + before, record_.stages.end());
    record_.stages.resize(static_cast<std::size_t>(before));
    return made;
  }

  /// What plans are chosen by: the interval of a stream whose images overlap, else the end of one image.
  Cycles end_of(const Placed& placed) {
    if (placed.schedule.interval > 0) return placed.schedule.interval;
    const StageTimes::Span span = times_.measure("schedule");
    return predicted_end(scheduling(placed.spatial()), placed.schedule, !options_.ablations.no_multicast);
  }

  /// The best plan; nothing when none fits, for `why`. The others go to `next_best`, the best of them first.
  std::optional<Plan> best_plan(const ir::Graph& graph, const pim::NumericsPlan& numerics,
                                const std::vector<int>& rounds, std::string& why, std::vector<Effort>& next_best) {
    std::vector<Candidate>& all = candidates_ =
        candidates_of(in_rounds(plans_without(options_, chip_), rounds), [&](const Effort& effort) {
          const StageTimes::Span span = times_.measure("graph-to-spatial");
          return pim::planned_spreads(graph, chip_, numerics, spatial_options_of(graph, effort));
        });
    const std::size_t before = record_.stages.size();
    const bool is_only_one = all.size() == 1 && !all.front().effort.overlaps;
    std::optional<Plan> best = first_to_end(
        all,
        [&](const Effort& effort, std::shared_ptr<Mapped> mapped) {
          return make_plan(graph, numerics, effort, std::move(mapped));
        },
        [&](const Placed& placed) { return is_only_one ? placed.schedule.makespan : end_of(placed); });
    record_.stages.resize(before);  // of those that did not fit
    for (const Candidate& c : all)
      if (!c.why.empty()) why = c.why;
    next_best = behind_the_best(all);
    return best;
  }

  /// Another schedule of the same computes where one is predicted to end clearly sooner.
  bool improve(Plan& plan) {
    Placed& p = plan.placed;
    const StageTimes::Span span = times_.measure("schedule");
    const Way first{plan.effort.scheduler, p.rows_ahead, plan.effort.roaming, plan.effort.short_ways};
    std::optional<Choice> better = better_schedule(scheduling(p.spatial()), p.schedule, first, options_.ablations);
    if (!better) return false;
    p.schedule = std::move(better->schedule);
    plan.effort.scheduler = better->way.scheduler;
    plan.effort.roaming = better->way.roaming, plan.effort.short_ways = better->way.short_ways;
    plan.effort.rows_ahead = p.rows_ahead = better->way.rows_ahead;
    plan.stages.back().counts["end"] = p.schedule.makespan;
    if (wants("schedule")) plan.dump = pim::print(p.schedule, p.spatial());
    return true;
  }

  std::vector<Effort> improve(const ir::Graph& graph, const pim::NumericsPlan& numerics, Plan& best,
                              const std::vector<Effort>& next_best) {
    const bool is_small = best.placed.spatial().computes.size() <= most_computes_of_small;
    return improved(
        best, is_small ? next_best : std::vector<Effort>{}, [&](Plan& plan) { return improve(plan); },
        [&](const Effort& effort) { return make_plan(graph, numerics, effort); },
        [&](const Placed& placed) {
          const StageTimes::Span span = times_.measure("schedule");
          return played_end(scheduling(placed.spatial()), placed.schedule, !options_.ablations.no_multicast,
                            pim::Closeness::with_loops);
        });
  }

  isa::Program lower(const ir::Graph& graph, const pim::NumericsPlan& plan) {
    // the next image of a stream would find the weights of the last round
    const int asked = options_.images > 1 || options_.throughput ? 1 : options_.rounds;
    if (options_.placement) {
      own_ = pim::Placement::parse(*options_.placement, options_.placement_file, graph.name, chip_.name);
      own_->expect_layers_of(graph);
      if (asked > 0 && asked != own_->rounds())
        throw UserError({.file = options_.placement_file},
                        fmt::format("a mapping of {}, expected {}", counted(own_->rounds(), "round"), asked));
      record_.absent["mapping_attempt"] = "the mapping is the user's own";
      Effort effort = with_rounds(Effort{0, own_->rows_ahead()}, own_->rounds());
      effort.roaming = own_->roaming();
      effort.overlaps = options_.throughput;
      isa::Program program = lower_placed(graph, plan, effort);
      note_rounds(program, chip_, effort.rounds, options_.note, record_);
      return program;
    }
    const std::vector<int> rounds = rounds_to_try(graph, chip_, plan, asked);
    const std::size_t stages = record_.stages.size();
    std::string why;             // the fastest mapping does not fit
    double too_many_copies = 2;  // a share of the crossbars that overflowed instruction memory
    bool packs = false;          // into the cores, in one of the attempts at least
    std::vector<Overflowed> full;
    std::exception_ptr refusal;  // of the last mapping without spills
    std::vector<Effort> next_best;
    std::optional<Plan> next = best_plan(graph, plan, rounds, why, next_best);
    std::vector<Effort> attempts{next ? next->effort
                                      : with_rounds(plans_without(options_, chip_).front(), rounds.back())};
    if (next) {
      attempts = improve(graph, plan, *next, next_best);  // with the schedules they were made with
      attempts.insert(attempts.begin(), next->effort);
    }
    const bool has_plain_twin = attempts.size() > 1 && map_alike(candidates_, attempts[0], attempts[1]);
    attempts.insert(attempts.end(), next_best.begin(), next_best.end());
    for (const Effort& effort : efforts_without(options_))
      attempts.push_back(with_rounds(effort, attempts.front().rounds));
    const auto predicted = [&] { return options_.images > 1 ? 0 : record_.figures.at("predicted_cycles"); };
    for (std::size_t attempt = 0;;) {
      const Effort effort = attempts[attempt];
      settings_.attempt = static_cast<int>(attempt) + 1;
      try {
        if (!map_alike(candidates_, settings_.effort, effort)) lowered_.reset();
        if (attempt > 0) next = make_plan(graph, plan, effort, std::exchange(lowered_, nullptr));
        packs = packs || next.has_value();
        if (!next) throw pim::DoesNotFit(why);
        isa::Program program = lower(graph, plan, *std::exchange(next, std::nullopt));
        if (spills_too_much(predicted(), attempt, full, candidates_, attempts))
          throw pim::DoesNotFit("it spills too much");
        lowered_.reset();
        record_.know("mapping_attempt", static_cast<std::int64_t>(attempt) + 1);  // plans bring the figures of others
        note_rounds(program, chip_, effort.rounds, options_.note, record_);
        note_spills(settings_.spilled, options_.note, record_);
        if (attempt > 0 && options_.note)
          options_.note(fmt::format("{}; mapped with {} % of the crossbars and {} ahead", why,
                                    static_cast<int>(100 * effort.crossbar_share), counted(effort.rows_ahead, "row")));
        return program;
      } catch (const pim::DoesNotFit& e) {
        if (attempt == 0) why = e.what();
        if (!effort.spills) refusal = std::current_exception();
        if (dynamic_cast<const pim::LocalMemoryFull*>(&e) != nullptr)
          keep_overflowed({effort, predicted()}, attempt, candidates_, options_.ablations, full, attempts);
        // only fewer copies make fewer instructions, or the same copies in another order
        if (!(has_plain_twin && attempt == 0) && dynamic_cast<const pim::TooManyInstructions*>(&e) != nullptr)
          too_many_copies = std::min(too_many_copies, effort.crossbar_share);
        do {
          if (++attempt == attempts.size() && !packs) spread_wider(graph, chip_, plan, options_, attempts);
          if (attempt == attempts.size()) append_spilling(std::exchange(full, {}), options_.ablations, attempts);
          if (attempt == attempts.size()) std::rethrow_exception(refusal);
        } while (attempts[attempt].crossbar_share >= too_many_copies);
        record_.stages.resize(stages);
        record_.lists.clear();
      }
    }
  }

  /// The user's own mapping: what it has no local memory for is spilled.
  isa::Program lower_placed(const ir::Graph& graph, const pim::NumericsPlan& plan, Effort effort) {
    const std::size_t stages = record_.stages.size();
    std::exception_ptr refusal;
    for (;; effort.spills = true) {
      try {
        isa::Program program = lower(graph, plan, make_plan(graph, plan, effort, std::exchange(lowered_, nullptr)));
        note_spills(settings_.spilled, options_.note, record_);
        return program;
      } catch (const pim::LocalMemoryFull&) {
        if (!effort.spills) refusal = std::current_exception();
        if (!may_spill(effort, options_.ablations)) std::rethrow_exception(refusal);
        record_.stages.resize(stages);
        record_.lists.clear();
      }
    }
  }

  isa::Program lower(const ir::Graph& graph, const pim::NumericsPlan& plan, Plan made) {
    Placed& p = made.placed;
    lowered_ = p.mapped;
    settings_.effort = made.effort;
    if (made.dump) options_.dump(*options_.dump_after, *made.dump);
    for (proof::StageRecord& stage : made.stages) record_.stages.push_back(std::move(stage));
    for (const auto& [figure, value] : made.figures) record_.figures[figure] = value;
    record_.lists["planned_cycles"] = made.planned;
    const pim::Producers producers = producers_of(p.spatial());
    verify(p, producers);
    const pim::Materialised materialised = stage(
        "materialise", [&] { return pim::materialise(p.spatial(), p.schedule, chip_); },
        [&](const pim::Materialised& m) { return pim::print(m, p.spatial()); },
        [&](const pim::Materialised& m) { return pim::verify(m, p.spatial(), p.schedule); });
    keep("materialise", [&] { return pim::law_of_materialise(materialised, p.spatial()); });
    sizes(p.spatial().computes.size(), p.spatial().values.size());
    count("scheduled_batches", static_cast<std::int64_t>(materialised.batches.size()));
    list_lanes(p.spatial(), p.schedule, materialised, record_);
    const pim::Steps steps = stage(
        "communicate",
        [&] {
          return pim::communicate(p.spatial(), producers, p.schedule, materialised, chip_,
                                  !options_.ablations.no_multicast, options_.images);
        },
        [&](const pim::Steps& s) { return pim::print(s, p.spatial()); },
        [&](const pim::Steps& s) { return pim::verify(s, p.schedule, p.spatial(), chip_); });
    keep("communicate", [&] { return pim::law_of_communicate(steps, materialised, p.spatial(), p.schedule); });
    count_depths(p.spatial(), producers, record_);
    count_steps(steps, record_);
    if (options_.images == 1) count("predicted_cycles", pim::play_through(steps, p.spatial(), chip_));
    sizes(static_cast<std::size_t>(record_.figures.at("steps")), p.spatial().values.size());
    const pim::SelectContext context{graph, chip_, plan, p.spatial().values, p.spatial().tiles, p.mapped->pool};
    isa::Program program = emit(context, p, steps, made.effort.spills);
    placement_text_ = pim::print_placement(p.spatial(), graph, p.schedule.class_core, p.rows_ahead, made.effort.roaming,
                                           graph.name, chip_.name);
    bounds_ = bounds_of(graph, chip_, plan, p.spatial(), program, options_.one_window_bound ? &kernels_ : nullptr);
    know_stream(options_.images, p.schedule, p.mapped->best_interval, bounds_, record_);
    return program;
  }

  /// The plan that is made; the others are held to their rules only where that is asked for.
  void verify(const Placed& p, const pim::Producers& producers) {
    const auto expect = [&](const std::string& name, auto&&... of) {
      const StageTimes::Span span = times_.measure(name);
      if (const std::string fault = pim::verify(of..., chip_); !fault.empty())
        throw InternalError(fmt::format("stage {}: {}", name, fault));
    };
    expect("merge", p.spatial(), producers);
    expect("schedule", p.schedule, p.spatial(), producers);
  }

  /// What local memory has no room for waits in global memory.
  pim::Steps spill(const pim::EmitInput& input) {
    pim::Steps steps = stage(
        "spill", [&] { return pim::spill(input); }, [&](const pim::Steps& s) { return pim::print(s, input.spatial); },
        [&](const pim::Steps& s) {
          const std::string fault = pim::verify_spills(input.steps, s, input.spatial);
          return fault.empty() ? pim::verify(s, input.schedule, input.spatial, chip_) : fault;
        });
    count_steps(steps, record_);
    if (options_.images == 1) count("predicted_cycles", pim::play_through(steps, input.spatial, chip_));
    sizes(static_cast<std::size_t>(record_.figures.at("steps")), input.spatial.values.size());
    settings_.spilled = pim::spill_statistics(steps, input.spatial);
    return steps;
  }

  /// spatial-to-pim, where it is asked for spill, then bufferise, plan-liveness and emit.
  isa::Program emit(const pim::SelectContext& context, const Placed& p, const pim::Steps& scheduled, bool spills) {
    p.mapped->operations = stage(
        "spatial-to-pim",
        [&] {
          return p.mapped->operations ? std::move(*p.mapped->operations) : pim::spatial_to_pim(context, p.spatial());
        },
        [&](const pim::Operations& o) { return pim::print(o, p.spatial()); },
        [&](const pim::Operations& o) {
          if (std::string fault = pim::verify(o, context, p.spatial()); !fault.empty()) return fault;
          return options_.verify ? pim::verify_moved(o, context, p.spatial()) : "";
        });
    const pim::Operations& operations = *p.mapped->operations;
    keep("spatial-to-pim", [&] { return pim::law_of_selection(operations, context, p.spatial()); });
    std::size_t selected = 0, temporaries = 0;
    for (const pim::Selected& each : operations) selected += each.ops.size(), temporaries += each.scratch.size();
    sizes(selected, p.spatial().values.size() + temporaries);
    count("operations", static_cast<std::int64_t>(selected));
    if (!spills && options_.dump_after == "spill" && options_.note)
      options_.note("stage spill: everything has room in local memory, so there is nothing to dump");
    settings_.spilled = {};
    pim::Steps spilled;
    if (spills) spilled = spill({context, p.spatial(), p.schedule, scheduled, operations});
    const pim::Steps& steps = spills ? spilled : scheduled;
    const pim::EmitInput input{context, p.spatial(), p.schedule, steps, operations};
    using Plans = std::vector<pim::CorePlan>;
    const auto print_plans = [&](const Plans& plans) { return pim::print(plans, input); };
    Plans plans = stage(
        "bufferise", [&] { return pim::bufferise(input); }, print_plans,
        [&](const Plans& made) { return pim::first_fault(made, input, pim::verify_buffers); });
    const std::int64_t buffers = pim::statistics(plans).buffers;
    sizes(selected, static_cast<std::size_t>(buffers));
    count("buffers", buffers);
    plans = stage(
        "plan-liveness", [&] { return pim::plan_liveness(std::move(plans), input); }, print_plans,
        [&](const Plans& made) { return pim::first_fault(made, input, pim::verify_places); });
    const pim::PlanStatistics planned = pim::statistics(plans);
    sizes(selected, static_cast<std::size_t>(buffers));
    count("in_place", planned.in_place);
    count("largest_core_memory_bytes", planned.largest_core);
    for (const pim::CorePlan& plan : plans)
      if (!steps.cores[plan.core].empty()) record_.lists["logical_core_memory_bytes"].push_back(plan.high_water);

    const bool unrolled = options_.unroll || chip_.core.loops == isa::LoopSupport::none;
    settings_.unrolled = unrolled;
    isa::Program program = stage(
        "emit", [&] { return pim::emit_program(input, plans, unrolled ? pim::Loops::none : pim::Loops::rolled); },
        [](const isa::Program& made) { return isa::disassemble(made); },
        [&](const isa::Program& made) { return pim::verify(made, input); });
    keep("emit", [&] { return pim::law_of_emission(program, input); });
    count_program(program, chip_, record_);
    record_.know("unrolled", unrolled ? 1 : 0);
    sizes(static_cast<std::size_t>(record_.figures.at("emitted_instructions")), static_cast<std::size_t>(buffers));
    return program;
  }
};

}  // namespace

CompileResult compile_graph(ir::Graph graph, const isa::Chip& chip, const CompileOptions& options) {
  const Stopwatch watch;
  if (options.dump_after) expect_stage(*options.dump_after);
  CompileResult result;
  result.graph = std::move(graph);
  if (options.dump && options.dump_after == "frontend") options.dump("frontend", ir::print(result.graph));
  check_ablations(options, chip);
  result.record.model = result.graph.name;
  result.record.model_fingerprint = to_string(ir::fingerprint(result.graph));
  result.record.identify(chip);
  result.record.numerics = to_string(options.numerics);
  result.record.version = PIMENTO_VERSION;
  expect_run(result.record);
  check_limits(result.graph, chip);
  Pipeline pipeline(chip, options, result.record);
  result.program = pipeline.run(result.graph);
  result.bounds = pipeline.bounds();
  result.placement = pipeline.placement();
  isa::Program& program = result.program;
  sign(program, result.record, chip, options);
  isa::verify_program(program, chip);
  if (options.verify)
    if (const std::string broken = pim::law_of_hardware(program, chip); !broken.empty())
      throw Negative("forbidden trade: " + broken);
  result.record.know_real("wall_s", watch.wall_s());
  result.record.know_real("cpu_s", watch.cpu_s());
  know_memory(result.record);
  return result;
}

}  // namespace pimento
