#include "compiler/pipeline/choice.hpp"

#include <algorithm>

#include "compiler/drivers/pim/schedule/playthrough.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/no_room.hpp"

namespace pimento {
namespace {

/// Predictions are about a per cent off; only what is predicted to be quicker by more is taken.
constexpr Cycles least_gain_percent = 1;

/// Computes that all ways together may have: a schedule of so many takes about a second.
constexpr std::size_t most_computes = 300'000;

std::vector<pim::Roaming> roamings_without(const Ablations& left_out) {
  return left_out.no_roaming ? std::vector<pim::Roaming>{} : std::vector<pim::Roaming>{2, 1, 4};
}

}  // namespace

std::vector<Way> other_ways(const Way& first, std::size_t computes, const Ablations& left_out) {
  std::vector<Way> ways;
  if (left_out.no_choice) return ways;
  std::vector<std::string_view> schedulers{first.scheduler};
  if (left_out.scheduler.empty()) schedulers = {"peft", "round-robin", "load", "near", "balanced"};
  const auto add = [&](const Way& way) {
    const bool is_new = way != first && std::find(ways.begin(), ways.end(), way) == ways.end();
    if (is_new && (ways.size() + 1) * computes <= most_computes) ways.push_back(way);
  };
  for (const int rows : {first.rows_ahead, 1})
    for (const std::string_view scheduler : schedulers)
      if (rows <= first.rows_ahead) add({scheduler, rows, first.roaming, 0});
  for (const pim::Roaming roaming : roamings_without(left_out))
    for (const std::string_view scheduler : schedulers) add({scheduler, first.rows_ahead, roaming, 0});
  return ways;
}

Cycles predicted_end(const pim::Scheduling& all, const pim::Schedule& schedule, bool multicast) {
  const pim::Spatial& spatial = all.spatial;
  const isa::Chip& chip = all.chip;
  if (chip.network.receive_buffer_messages == 0 && chip.core.window == 1) return schedule.makespan;
  const pim::Steps steps =
      pim::communicate(spatial, all.producers, schedule, pim::materialise(spatial, schedule, chip), chip, multicast, 1);
  return pim::play_through(steps, spatial, chip, pim::Closeness::quick);
}

std::optional<Choice> better_schedule(const pim::Scheduling& all, const pim::Schedule& made, const Way& first,
                                      const Ablations& left_out) {
  const std::vector<Way> ways = other_ways(first, all.spatial.computes.size(), left_out);
  if (ways.empty()) return std::nullopt;
  const bool multicast = !left_out.no_multicast;
  const Cycles now = predicted_end(all, made, multicast);
  Cycles least = now - now * least_gain_percent / 100;
  std::optional<Choice> best;
  const auto consider = [&](const Way& way) {
    try {
      pim::Schedule other = pim::make_schedule(all, way.rows_ahead, way.scheduler, way.roaming, way.short_ways);
      const Cycles end = predicted_end(all, other, multicast);
      if (end >= least) return;
      least = end;
      best = Choice{way, std::move(other)};
    } catch (const pim::DoesNotFit&) {  // its classes do not pack: no choice
    }
  };
  for (const Way& way : ways) consider(way);
  // where not all of them were tried, those of the best at least
  for (Way roams = best ? best->way : first; const pim::Roaming roaming : roamings_without(left_out)) {
    roams.roaming = roaming;
    if (std::find(ways.begin(), ways.end(), roams) == ways.end()) consider(roams);
  }
  for (Way near = best ? best->way : first; const int power : {1, 2, 4, 8}) {
    near.short_ways = power;
    consider(near);
  }
  return best;
}

}  // namespace pimento
