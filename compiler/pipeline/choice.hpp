#pragma once
// Other schedules of the same computes: another rule places the classes, layers run less far ahead, or
// cores change numbers. All are predicted, and one that is predicted to end clearly sooner is taken.
#include <optional>
#include <string_view>
#include <vector>

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
/// What is worth trying beside `first`: more of it for small networks, nothing where parts that choose are left out.
std::vector<Way> other_ways(const Way& first, std::size_t computes, const Ablations& left_out);

/// The end of a schedule: where sends wait for receives and nothing overlaps in a core it was played through already,
/// elsewhere its steps are.
Cycles predicted_end(const pim::Scheduling& all, const pim::Schedule& schedule, bool multicast);

struct Choice {
  Way way;
  pim::Schedule schedule;
};
/// Nothing when `made`, which came about by `first`, is as good as any.
std::optional<Choice> better_schedule(const pim::Scheduling& all, const pim::Schedule& made, const Way& first,
                                      const Ablations& left_out);

}  // namespace pimento
