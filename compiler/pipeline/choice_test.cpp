// Which other schedules are tried, and is one taken only where it is predicted to end clearly sooner?
#include "compiler/pipeline/choice.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/drivers/pim/schedule/playthrough.hpp"
#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/drawing.hpp"

using namespace pimento;

namespace {

using Ways = std::vector<Way>;

Ablations with_scheduler(const char* name) {
  Ablations left_out;
  left_out.scheduler = name;
  return left_out;
}

/// Four computes of these cycles, each with weights of its own, on two cores that are put on by hand.
struct Drawn {
  pim::Drawing d;
  isa::Chip chip = pim::row_of(2);
  explicit Drawn(int buffers, int window) {
    chip.network.receive_buffer_messages = buffers;
    chip.core.window = window;
    chip.core.crossbars = 4;
    const auto x = d.value("x", pim::ValueRole::input);
    for (const Cycles cycles : {500, 500, 500, 500})
      d.compute(d.value("y", pim::ValueRole::output), {x}, cycles, d.weights());
  }
  pim::Schedule on(const std::vector<CoreId>& cores) const { return pim::scheduled(d.s, chip, cores).schedule; }
};

}  // namespace

TEST_CASE("choice: what is tried beside the first?") {
  const auto tried = [](const Way& first) {
    std::string text;
    for (const Way& way : other_ways(first, {}))
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", way.scheduler, way.rows_ahead, way.roaming);
    return text;
  };
  const std::string five = "round-robin 6 0, load 6 0, near 6 0, balanced 6 0, ";
  const std::string roaming =
      "peft 6 2, round-robin 6 2, load 6 2, near 6 2, balanced 6 2, peft 6 1, round-robin 6 1, load 6 1, near 6 1, "
      "balanced 6 1, peft 6 4, round-robin 6 4, load 6 4, near 6 4, balanced 6 4";
  CHECK(tried({"peft", 6}) == five + "peft 1 0, round-robin 1 0, load 1 0, near 1 0, balanced 1 0, " + roaming);
  const auto with_rows = [](std::string text, char rows) {
    std::replace(text.begin(), text.end(), '6', rows);
    return text;
  };
  CHECK(tried({"peft", 1}) == with_rows(five + roaming, '1'));
  CHECK(tried({"peft", 0}) == with_rows(five + roaming, '0'));
  // a scheduler asked for is kept
  CHECK(other_ways({"load", 6}, with_scheduler("load")) ==
        Ways{{"load", 1}, {"load", 6, 2}, {"load", 6, 1}, {"load", 6, 4}});
  CHECK(other_ways({"load", 1}, with_scheduler("load")) == Ways{{"load", 1, 2}, {"load", 1, 1}, {"load", 1, 4}});
}

TEST_CASE("choice: is nothing tried where the choice is left out?") {
  Ablations left_out;
  left_out.no_choice = true;
  CHECK(other_ways({"peft", 6}, left_out).empty());
}

TEST_CASE("choice: is no way tried twice, nor the first one again?") {
  for (const int rows : {0, 1, 2, 6})
    for (const char* scheduler : {"peft", "load", "heft"}) {
      const Ways ways = other_ways({scheduler, rows}, {});
      for (std::size_t i = 0; i < ways.size(); ++i) {
        CHECK_FALSE(ways[i] == Way{scheduler, rows});
        CHECK(std::count(ways.begin(), ways.end(), ways[i]) == 1);
      }
    }
}

TEST_CASE("choice: are fewer schedules tried of more computes, and some of any graph?") {
  for (const auto& [computes, tries, where_messages_queue] :
       std::vector<std::array<std::size_t, 3>>{{0, 300'000, 750'000},
                                               {1, 300'000, 750'000},
                                               {30'000, 10, 25},
                                               {30'001, 9, 24},
                                               {50'001, 6, 14},
                                               {1'000'000, 6, 6}}) {
    const std::size_t of = computes;
    CAPTURE(of);
    CHECK(schedules_to_try(computes, false) == tries);
    CHECK(schedules_to_try(computes, true) == where_messages_queue);
  }
}

TEST_CASE("choice: is the predicted end the schedule's own for rendezvous one at a time, else that of its steps?") {
  for (const auto& [messages, instructions] : std::vector<std::pair<int, int>>{{0, 1}, {0, 4}, {1, 1}, {2, 4}}) {
    const int buffers = messages, window = instructions;
    CAPTURE(buffers);
    CAPTURE(window);
    const Drawn drawn(buffers, window);
    const pim::Spatial& spatial = drawn.d.s;
    pim::Schedule schedule = drawn.on({0, 1, 0, 1});
    const pim::Steps steps =
        pim::communicate(spatial, schedule, pim::materialise(spatial, schedule, drawn.chip), drawn.chip);
    const Cycles played = pim::play_through(steps, spatial, drawn.chip);
    schedule.makespan = 7;
    CHECK(predicted_end(pim::Scheduling(spatial, drawn.chip), schedule, true) ==
          (buffers == 0 && window == 1 ? 7 : played));
  }
}

TEST_CASE("choice: is a schedule taken that ends sooner, and none where the first is as good?") {
  const Drawn drawn(1, 1);
  const pim::Schedule uneven = drawn.on({0, 0, 0, 0}), even = drawn.on({0, 1, 0, 1});
  const pim::Scheduling all(drawn.d.s, drawn.chip);
  const auto better = better_schedule(all, uneven, {"peft", 1}, {});
  REQUIRE(better.has_value());
  const Cycles before = predicted_end(all, uneven, true);
  const Cycles now = predicted_end(all, better->schedule, true);
  CHECK(before >= 2000);  // four computes of 500 on one core
  CHECK(now >= 1000);     // two on each
  CHECK(now < 1500);
  CHECK_FALSE(better->way == Way{"peft", 1});
  CHECK_FALSE(better_schedule(pim::Scheduling(drawn.d.s, drawn.chip), even, {"peft", 1}, {}).has_value());
  Ablations left_out;
  left_out.no_choice = true;
  CHECK_FALSE(better_schedule(pim::Scheduling(drawn.d.s, drawn.chip), uneven, {"peft", 1}, left_out).has_value());
}

TEST_CASE("choice: is only a schedule taken that is predicted to end more than 1 % sooner?") {
  const Drawn drawn(0, 1);  // the end is the schedule's makespan
  pim::Schedule made = drawn.on({0, 0, 0, 0});
  const auto best = better_schedule(pim::Scheduling(drawn.d.s, drawn.chip), made, {"peft", 1}, {});
  REQUIRE(best.has_value());
  const Cycles end = best->schedule.makespan;
  for (Cycles now = end; now <= end + end / 20; ++now) {
    made.makespan = now;
    CAPTURE(now);
    CHECK(better_schedule(pim::Scheduling(drawn.d.s, drawn.chip), made, {"peft", 1}, {}).has_value() ==
          (end < now - now / 100));
  }
}

TEST_CASE("choice: do cores change numbers where their data then goes shorter ways?") {
  pim::Drawing d;
  std::vector<pim::SpatialValueId> between;
  for (int chain = 0; chain < 4; ++chain) {
    between.push_back(d.value("t", pim::ValueRole::intermediate));
    d.compute(between.back(), {}, 10, d.weights());
  }
  for (const pim::SpatialValueId t : between) d.compute(d.value("y"), {t}, 10, d.weights());
  isa::Chip chip = pim::row_of(8);  // in turn: every chain four cores apart
  chip.network.link_cycles = 50;
  const pim::Scheduling all(d.s, chip);
  const Way first{"round-robin", 1};
  const pim::Schedule made = pim::make_schedule(all, first.rows_ahead, first.scheduler);
  const std::optional<Choice> better = better_schedule(all, made, first, with_scheduler("round-robin"));
  REQUIRE(better.has_value());
  CHECK(better->way.short_ways > 0);
  CHECK(predicted_end(all, better->schedule, true) < predicted_end(all, made, true));
}
