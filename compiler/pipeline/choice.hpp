#pragma once
// Other schedules of the same computes: another rule places the classes, layers run less far ahead, or
// cores change numbers. All are predicted, and one that is predicted to end clearly sooner is taken.
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/drivers/pim/schedule/playthrough.hpp"
#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "compiler/pipeline/ablations.hpp"

namespace pimento {

/// A way to schedule computes.
struct Way {
  std::string_view scheduler = pim::default_scheduler;
  int rows_ahead = 1;
  pim::Roaming roaming = 0;
  int short_ways = 0;  ///< see make_schedule
  bool operator==(const Way&) const = default;
};
/// Predictions are about a per cent off: only what is predicted to end sooner than this is taken instead.
inline Cycles clearly_sooner(Cycles end) { return end - end / 100; }
/// What is worth trying beside `first`: nothing where parts that choose are left out.
std::vector<Way> other_ways(const Way& first, const Ablations& left_out);

/// Schedules that one search makes until cores change numbers, the first one's too: as many as take less than a second,
/// and some of a large graph too; more where messages queue, since schedules differ more there.
std::size_t schedules_to_try(std::size_t computes, bool messages_queue);
/// The end of a schedule, its steps played through.
Cycles played_end(const pim::Scheduling& all, const pim::Schedule& schedule, bool multicast, pim::Closeness closeness);
/// The same, cheaper: where sends wait for receives and nothing overlaps in a core it was played through already,
/// elsewhere its steps are.
Cycles predicted_end(const pim::Scheduling& all, const pim::Schedule& schedule, bool multicast);

struct Choice {
  Way way;
  pim::Schedule schedule;
};
/// Nothing when `made`, which came about by `first`, is as good as any. All other_ways are tried where they are few
/// computes together, else one thing after another: where what has no weights runs, then the scheduler; of a large
/// graph only some of them. Then cores change numbers in the best of them or, where all were tried, in the best of each
/// scheduler.
std::optional<Choice> better_schedule(const pim::Scheduling& all, const pim::Schedule& made, const Way& first,
                                      const Ablations& left_out);

}  // namespace pimento
