#include "compiler/pipeline/ablations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"

namespace pimento {
namespace {

std::string no_multicast_anyway(const isa::Chip& chip) {
  if (!chip.network.multicast) return "the chip has no multicast";
  if (chip.network.receive_buffer_messages == 0) return "where sends wait for their receives nothing is multicast";
  return "";
}

/// The efforts with parts left out, those that come out alike once.
std::vector<Effort> distinct(const Ablations& left_out, std::span<const Effort> efforts) {
  std::vector<Effort> found;
  for (const Effort& each : efforts)
    if (const Effort e = without(left_out, each); std::find(found.begin(), found.end(), e) == found.end())
      found.push_back(e);
  return found;
}

}  // namespace

const std::vector<Ablation>& ablations() {
  using A = Ablations;
  static const std::vector<Ablation> rows{
      {"no-replicate", &A::no_replicate, "one copy of every layer's weights", true, nullptr},
      {"no-merge", &A::no_merge, "keep computes that only move data", false, nullptr},
      {"no-multicast", &A::no_multicast, "a message of its own for every reader", false, no_multicast_anyway},
      {"no-run-ahead", &A::no_run_ahead, "a layer is at most one row ahead of its readers", true, nullptr},
      {"no-pipeline", &A::no_pipeline, "a layer begins when those before it have ended", true, nullptr},
      {"no-choice", &A::no_choice, "the first mapping that fits, not the best of several", true, nullptr},
      {"no-roaming", &A::no_roaming, "what has no weights runs where some of its inputs are made", true, nullptr},
      {"no-spills", &A::no_spills, "refuse a model that fits no local memory, and spill nothing", false, nullptr},
  };
  return rows;
}

std::vector<std::string> left_out(const Ablations& without) {
  std::vector<std::string> names;
  for (const Ablation& row : ablations())
    if (without.*row.part) names.emplace_back(row.name);
  return names;
}

void check_ablations(const CompileOptions& options, const isa::Chip& chip) {
  if (options.rounds > 1 && (options.images > 1 || options.throughput))
    throw UserError(fmt::format("{} rounds: a stream keeps all weights on the chip; expected 1", options.rounds));
  if (options.throughput && options.images == 1)
    throw UserError("--optimise throughput: one image is no stream; expected --images 2 or more");
  if (options.placement && options.windows_per_mvm != 0)
    throw UserError("--windows-per-mvm: the mapping is given with --placement, whose layers have the key 'windows'");
  if (!options.ablations.scheduler.empty()) pim::find_scheduler(options.ablations.scheduler);
  if (options.placement && !options.ablations.scheduler.empty())
    throw UserError("--scheduler: the mapping is given with --placement");
  for (const Ablation& row : ablations()) {
    if (!(options.ablations.*row.part)) continue;
    if (row.of_the_mapping && options.placement)
      throw UserError(fmt::format("--{}: the mapping is given with --placement", row.name));
    if (const std::string why = row.moot == nullptr ? "" : row.moot(chip); !why.empty())
      throw UserError(fmt::format("--{}: it changes nothing on chip '{}': {}", row.name, chip.name, why));
  }
}

Effort without(const Ablations& left_out, Effort effort) {
  if (!left_out.scheduler.empty()) effort.scheduler = pim::find_scheduler(left_out.scheduler).name;
  if (left_out.no_replicate) effort.crossbar_share = 0;
  if (left_out.no_run_ahead) effort.rows_ahead = 1;
  if (left_out.no_pipeline) effort.rows_ahead = 0;
  return effort;
}

std::vector<Effort> plans_without(const CompileOptions& options, const isa::Chip& chip) {
  std::vector<Effort> plans = distinct(options.ablations, plans_for(chip, options.windows_per_mvm, options.throughput));
  if (options.ablations.no_choice) plans.resize(1);
  return plans;
}

std::vector<Effort> efforts_without(const CompileOptions& options) {
  std::vector<Effort> all;
  if (options.throughput) {
    all = distinct(options.ablations, efforts);
    for (Effort& effort : all) effort.overlaps = true;
  }
  for (const Effort& effort : distinct(options.ablations, efforts)) all.push_back(effort);
  return all;
}

}  // namespace pimento
