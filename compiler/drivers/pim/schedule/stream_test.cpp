#include <doctest/doctest.h>

#include <array>

#include "compiler/drivers/pim/schedule/journeys.hpp"
#include "compiler/drivers/pim/schedule/pace.hpp"
#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"

using namespace pimento;
using namespace pimento::pim;

TEST_CASE("pace: is it the busiest core's work where nobody meets, and with what they wait for where they do?") {
  CHECK(pace({{0, 0, 10, 0}, {1, 1, 30, 0}}, 2) == 30);
  CHECK(pace({{0, 0, 10, 0}, {1, 1, 30, 0}, {0, 1, 5, 30}}, 2) == 35);
  // core 1 sends what it made in the turn before while core 0 has nothing else to do: 10 + 5 on each
  CHECK(pace({{0, 1, 5, 0}, {0, 0, 10, 5}, {1, 1, 10, 5}}, 2) == 15);
}

TEST_CASE("evened: do classes change places where none has room to move?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  for (const Cycles each : {500, 100, 300, 200}) d.compute(d.value("y", ValueRole::output), {x}, each, d.weights());
  const isa::Chip chip = row_of(2);  // 2 crossbars each
  const Scheduling all(d.s, chip);
  const Schedule one = schedule_computes(all, {0, 1, 0, 1}, 6);
  const std::vector<CoreId> cores = evened(all, one, true).class_core;
  CHECK(cores[0] == cores[1]);  // 600 and 500 in place of 800 and 300
  CHECK(cores[2] == cores[3]);
  CHECK(cores[0] != cores[2]);
  CHECK(evened(all, one, false).class_core == one.class_core);
}

TEST_CASE(
    "beats: is what another core reads made a beat before, and does the interval fall to the busiest core's work?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto m = d.value("m");
  d.compute(m, {x}, 1000, d.weights());
  d.compute(d.value("y", ValueRole::output), {m}, 1000, d.weights());
  const isa::Chip chip = row_of(2);
  const Scheduling all(d.s, chip);
  const Schedule one = schedule_computes(all, {0, 1}, 6);
  const std::optional<Schedule> made = in_beats(all, one, std::array<std::int32_t, 1>{4});
  REQUIRE(made.has_value());
  CHECK(verify(*made, d.s, chip) == "");
  const Steps steps = communicate(d.s, *made, materialise(d.s, *made, chip), chip, true, 8);
  CHECK(verify(steps, *made, d.s, chip) == "");
  CHECK(made->interval < one.makespan);
  CHECK(made->interval >= 1000);
  CHECK(schedule_stream(all, one, true).interval <= made->interval);
}

TEST_CASE("row lives: is what stands for a whole turn made too early, and what stands for less not?") {
  Drawing d;
  const auto m = d.value("m");
  d.compute(m, {d.value("x", ValueRole::input)}, 10, d.weights());
  d.compute(d.value("y", ValueRole::output), {m}, 10, d.weights());
  const isa::Chip chip = row_of(2);
  const Scheduling all(d.s, chip);
  {
    const Schedule one = schedule_computes(all, {0, 1}, 6);
    const std::vector<Journey> journeys = journeys_of(all, one);
    REQUIRE(journeys.size() == 1);
    const RowLives lives(all, one, journeys);
    // on core 0 until the message goes, on core 1 from then on: each place for less than a turn
    CHECK(lives.made_too_early({0, 7}, {3}, 4).empty());
    CHECK(lives.made_too_early({0, 7}, {4}, 4) == std::vector<std::int32_t>{0});
    CHECK(lives.made_too_early({0, 8}, {3}, 4) == std::vector<std::int32_t>{0});
  }
  const Schedule one = schedule_computes(all, {0, 0}, 6);
  const std::vector<Journey> none = journeys_of(all, one);
  CHECK(none.empty());
  CHECK(RowLives(all, one, none).made_too_early({0, 3}, {}, 4).empty());
  CHECK(RowLives(all, one, none).made_too_early({0, 4}, {}, 4) == std::vector<std::int32_t>{0});
}

TEST_CASE("beats: do two layers of a core work in different beats, where both would work in the same?") {
  // four layers of two rows on two cores by turns; of four beats, core 0 would work in two and core 1 in the others
  Drawing d;
  SpatialValueId from = d.value("x", ValueRole::input);
  d.s.values[index_of(from)].layout.rows = 2;
  for (int layer = 0; layer < 4; ++layer) {
    const SpatialValueId to = d.value("m", layer == 3 ? ValueRole::output : ValueRole::intermediate);
    d.s.values[index_of(to)].layout.rows = 2;
    const ClassId cls = d.weights();
    for (std::int32_t row = 0; row < 2; ++row) {
      Compute& c = d.s.computes[index_of(d.compute(to, {from}, 1000, cls))];
      for (PBox* box : {&c.reads[0].box, &c.write.box}) box->r0 = row, box->r1 = row + 1;
    }
    from = to;
  }
  const isa::Chip chip = row_of(2);
  const Scheduling all(d.s, chip);
  const std::optional<Schedule> made =
      in_beats(all, schedule_computes(all, {0, 1, 0, 1}, 6), std::array<std::int32_t, 1>{4});
  REQUIRE(made.has_value());
  CHECK(verify(*made, d.s, chip) == "");
  CHECK(made->interval >= 4000);
  CHECK(made->interval < 4500);
}
