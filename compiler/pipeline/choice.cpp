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

}  // namespace

std::vector<Way> other_ways(const Way& first, std::size_t computes, const Ablations& left_out) {
  std::vector<Way> ways;
  if (left_out.no_choice) return ways;
  std::vector<std::string_view> schedulers{first.scheduler};
  if (left_out.scheduler.empty()) schedulers = {"peft", "round-robin", "load", "near", "balanced"};
  for (const int rows : {first.rows_ahead, 1})
    for (const std::string_view scheduler : schedulers) {
      const Way way{scheduler, rows};
      const bool is_new = way != first && std::find(ways.begin(), ways.end(), way) == ways.end();
      if (is_new && rows <= first.rows_ahead && (ways.size() + 1) * computes <= most_computes) ways.push_back(way);
    }
  return ways;
}

Cycles predicted_end(const pim::Spatial& spatial, const pim::Schedule& schedule, const isa::Chip& chip,
                     bool multicast) {
  if (chip.network.receive_buffer_messages == 0 && chip.core.window == 1) return schedule.makespan;
  const pim::Steps steps =
      pim::communicate(spatial, schedule, pim::materialise(spatial, schedule, chip), chip, multicast);
  return pim::play_through(steps, spatial, chip);
}

std::optional<Choice> better_schedule(const pim::Scheduling& all, const pim::Schedule& made, const Way& first,
                                      const Ablations& left_out) {
  const pim::Spatial& spatial = all.spatial;
  const isa::Chip& chip = all.chip;
  const std::vector<Way> ways = other_ways(first, spatial.computes.size(), left_out);
  if (ways.empty()) return std::nullopt;
  const bool multicast = !left_out.no_multicast;
  const Cycles now = predicted_end(spatial, made, chip, multicast);
  Cycles least = now - now * least_gain_percent / 100;
  std::optional<Choice> best;
  for (const Way& way : ways) try {
      pim::Schedule other = pim::make_schedule(all, way.rows_ahead, way.scheduler);
      const Cycles end = predicted_end(spatial, other, chip, multicast);
      if (end >= least) continue;
      least = end;
      best = Choice{way, std::move(other)};
    } catch (const pim::DoesNotFit&) {  // its classes do not pack: no choice
    }
  return best;
}

}  // namespace pimento
