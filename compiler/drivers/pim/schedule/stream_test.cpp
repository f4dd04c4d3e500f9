#include <doctest/doctest.h>

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
  const std::optional<Schedule> made = in_beats(all, one, 4);
  REQUIRE(made.has_value());
  CHECK(verify(*made, d.s, chip) == "");
  const Steps steps = communicate(d.s, *made, materialise(d.s, *made, chip), chip, true, 8);
  CHECK(verify(steps, *made, d.s, chip) == "");
  CHECK(made->interval < one.makespan);
  CHECK(made->interval >= 1000);
  CHECK(schedule_stream(all, one, true).interval <= made->interval);
}
