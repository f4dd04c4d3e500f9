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

TEST_CASE(
    "plans: does the one that ends first once all have better schedules become the best, and who was it before?") {
  const auto plan = [](double share, Cycles end) {
    Plan made;
    made.effort = {share, 6};
    made.placed.schedule.makespan = end;
    return made;
  };
  const auto end_of = [](const Placed& placed) { return placed.schedule.makespan; };
  const auto make = [&](const Effort& effort) { return plan(effort.crossbar_share, 1000); };
  /// Takes so many cycles off the plan with this share.
  const auto improves = [](double share, Cycles cycles) {
    return [=](Plan& p) {
      if (p.effort.crossbar_share != share) return false;
      p.placed.schedule.makespan -= cycles;
      p.effort.scheduler = "near";
      return true;
    };
  };
  const std::vector<Effort> next{{0.2, 6}, {0.3, 6}, {0.4, 6}, {0.5, 6}};
  Plan best = plan(0.1, 900);
  best.planned = {900, 1000};
  CHECK(improved(best, next, improves(0.3, 200), make, end_of) == std::vector<Effort>{{0.3, 6}});
  CHECK(best.effort.crossbar_share == 0.3);
  CHECK(best.effort.scheduler == "near");
  CHECK(best.planned == std::vector<std::int64_t>{900, 1000});
  best = plan(0.1, 900);
  CHECK(improved(best, next, improves(0.3, 100), make, end_of).empty());  // not sooner
  CHECK(best.effort.crossbar_share == 0.1);
  CHECK(improved(best, next, improves(0.5, 900), make, end_of).empty());  // too far behind to be looked at
  CHECK(improved(best, {}, improves(0.1, 1), {}, {}) == std::vector<Effort>{{0.1, 6}});
  best = plan(0.1, 900);
  best.effort.rounds = 2;
  CHECK(improved(best, next, improves(0.1, 100), make, end_of).empty());
  CHECK(best.placed.schedule.makespan == 900);
}

TEST_CASE("plans: are rows cut into pieces only where all weights stand on the chip at once?") {
  Effort in_pieces = many;
  in_pieces.goal.piece_mvms = 1;
  CHECK(in_rounds({few, in_pieces}, {1}) == std::vector{few, in_pieces});
  CHECK(in_rounds({few, in_pieces}, {2, 3}) == std::vector{with_rounds(few, 2), with_rounds(few, 3)});
}
