#include "validation/prediction/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/random.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/prediction/kendall.hpp"
#include "validation/prediction/small_chips.hpp"

namespace pimento::validation {
namespace {

std::string words(const isa::Chip& chip) {
  const isa::Network& n = chip.network;
  return fmt::format("{} of {}, {} message{}, window {}", n.topology, chip.cores, n.receive_buffer_messages,
                     n.receive_buffer_messages == 1 ? "" : "s", chip.core.window);
}

}  // namespace

std::string permuted(const std::string& placement, int cores, std::uint64_t seed) {
  if (placement.empty()) return "";
  std::vector<int> to(static_cast<std::size_t>(cores));
  std::iota(to.begin(), to.end(), 0);
  zoo::Random random(seed);
  for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random.bits() % i]);
  std::string result;
  bool in_cores = false, renamed = false;
  for (std::size_t at = 0; at < placement.size();) {
    if (placement.compare(at, 7, "cores: ") == 0 && at > 0 && placement[at - 1] == ' ') in_cores = true;
    if (placement[at] == '\n') in_cores = false;
    if (!in_cores || placement[at] < '0' || placement[at] > '9') {
      result += placement[at++];
      continue;
    }
    int core = 0;
    for (; at < placement.size() && placement[at] >= '0' && placement[at] <= '9'; ++at)
      core = 10 * core + placement[at] - '0';
    result += std::to_string(to.at(static_cast<std::size_t>(core)));
    renamed = true;
  }
  PIMENTO_CHECK(renamed, "no list of cores in the mapping");
  return result;
}

std::optional<double> Ranking::tau() const {
  std::vector<Cycles> predicted, simulated;
  for (const RankedSchedule& each : schedules) {
    predicted.push_back(each.predicted);
    simulated.push_back(each.simulated);
  }
  return kendall_tau_b(predicted, simulated);
}

namespace {

/// Pairs whose simulated cycles clearly differ, and how many more of them the prediction orders alike than not.
std::pair<std::int64_t, std::int64_t> clear(const std::vector<RankedSchedule>& schedules) {
  std::int64_t pairs = 0, alike = 0;
  for (const RankedSchedule& a : schedules)
    for (const RankedSchedule& b : schedules) {
      if (static_cast<double>(b.simulated) <= (1 + clear_difference) * static_cast<double>(a.simulated)) continue;
      ++pairs;
      alike += (b.predicted > a.predicted) - (b.predicted < a.predicted);
    }
  return {pairs, alike};
}

}  // namespace

std::int64_t Ranking::clear_pairs() const { return clear(schedules).first; }

std::optional<double> Ranking::agreement() const {
  const auto [pairs, alike] = clear(schedules);
  if (pairs == 0) return std::nullopt;
  return static_cast<double>(alike) / static_cast<double>(pairs);
}

std::vector<std::string> predicted_chips() {
  return {"pimcomp-144", "pimsim-nn-64", "pimsim-nn-64-wide", "isaac", "puma", "sram-cim-64"};
}
bool is_golden_chip(const std::string& name) {
  return name == "pimcomp-144" || name == "pimsim-nn-64" || name == "pimsim-nn-64-wide";
}
std::vector<std::string> predicted_networks() {
  return {"mlp", "lenet5", "resnet20", "vgg8", "squeezenet", "mobilenet_v2", "resnet18", "transformer_block"};
}

std::optional<RankedSchedule> predict_and_simulate(const ir::Graph& graph, const isa::Chip& chip,
                                                   CompileOptions options, std::string* placement) {
  options.verify = false;
  try {
    const CompileResult made = compile_graph(graph, chip, options);
    sim::Options run;
    run.timing_only = true;
    const sim::Result result = sim::simulate(made.program, chip, run);
    if (result.stop != sim::StopReason::finished) throw InternalError(graph.name + ": " + result.explanation);
    if (placement != nullptr) *placement = made.placement;
    return RankedSchedule{graph.name, made.record.figures.at("predicted_cycles"), result.cycles};
  } catch (const pim::DoesNotFit&) {
    return std::nullopt;
  }
}

Ranking rank_schedules(std::uint64_t seed) {
  const isa::Chip chip = small_chip(seed);
  const ir::Graph graph = small_model(seed);
  Ranking ranking{words(chip), {}};
  std::string placement;
  const auto add = [&](const std::string& name, const CompileOptions& options) {
    auto made = predict_and_simulate(graph, chip, options, placement.empty() ? &placement : nullptr);
    if (!made) return;
    made->name = name;
    ranking.schedules.push_back(*made);
  };
  const auto with = [](Ablations ablations) {
    CompileOptions options;
    ablations.no_choice = true;  // the schedule itself, not what the compiler would make of it
    options.ablations = std::move(ablations);
    return options;
  };
  for (const char* scheduler : {"peft", "heft", "load", "round-robin"}) add(scheduler, with({.scheduler = scheduler}));
  add("no-run-ahead", with({.no_run_ahead = true}));
  add("no-pipeline", with({.no_pipeline = true}));
  add("no-replicate", with({.no_replicate = true}));
  add("round-robin, no-run-ahead", with({.scheduler = "round-robin", .no_run_ahead = true}));
  if (placement.empty()) return ranking;  // none fits
  for (const std::uint64_t shuffle : {1U, 2U}) {
    CompileOptions options;
    options.placement = permuted(placement, chip.cores, shuffle);
    options.placement_file = "permuted";
    add(fmt::format("cores permuted, seed {}", shuffle), options);
  }
  return ranking;
}

}  // namespace pimento::validation
