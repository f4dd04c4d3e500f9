// What is known of plans: which make the same mapping, and which is the next best?
#include "compiler/pipeline/plan_choice.hpp"

#include <doctest/doctest.h>

using namespace pimento;

namespace {
const Effort few{0.6, 6}, many{1.0, 6}, alone{0.2, 1};
Candidate planned(const Effort& effort, std::int32_t copies, std::optional<Cycles> end, bool is_made = true) {
  return {effort, {pim::Spread{{1, copies}, 1}}, end, "", is_made};
}
Effort otherwise(Effort effort, std::string_view scheduler, int rows, bool spills) {
  effort.scheduler = scheduler, effort.rows_ahead = rows, effort.spills = spills;
  return effort;
}
}  // namespace

TEST_CASE("plans: do efforts map alike that differ in what schedules alone, or whose spreads came out alike?") {
  const std::vector<Candidate> alike{planned(few, 2, 900), planned(many, 2, 800)};
  CHECK(map_alike({}, few, few));
  CHECK(map_alike({}, few, otherwise(few, "near", 2, true)));
  CHECK_FALSE(map_alike({}, few, many));
  CHECK(map_alike(alike, few, many));
  CHECK_FALSE(map_alike(alike, few, alone));  // it was not planned
  CHECK_FALSE(map_alike({planned(few, 2, 900), planned(many, 3, 800)}, few, many));
  CHECK_FALSE(map_alike({planned(few, 2, 900), planned(many, 2, std::nullopt, false)}, few, many));
  CHECK_FALSE(map_alike(alike, few, otherwise(many, "near", 6, false)));  // no candidate
}

TEST_CASE("plans: are those behind the best in the order of their ends, without those that did not fit?") {
  CHECK(behind_the_best({planned(few, 1, 900), planned(alone, 1, std::nullopt, false), planned(many, 2, 800)}) ==
        std::vector{few});
  CHECK(behind_the_best({planned(few, 1, 700), planned(alone, 1, 900), planned(many, 2, 800)}) ==
        std::vector{many, alone});
  CHECK(behind_the_best({}).empty());
}
