#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/drawing.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

std::size_t count(const Steps& steps, Step::Kind kind) {
  std::size_t n = 0;
  for (const auto& core : steps.cores)
    n += static_cast<std::size_t>(
        std::count_if(core.begin(), core.end(), [&](const Step& s) { return s.kind == kind; }));
  return n;
}

}  // namespace

TEST_CASE("schedule: do two readers of one weight tile share its core, and does the third run beside them?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const ClassId first = d.weights();
  const ClassId second = d.weights();
  const ComputeId a = d.compute(d.value("a", ValueRole::output), {x}, 100000, first);
  const ComputeId b = d.compute(d.value("b", ValueRole::output), {x}, 100000, first);
  const ComputeId c = d.compute(d.value("c", ValueRole::output), {x}, 100000, second);
  const isa::Chip chip = row_of(2);
  const Schedule s = make_schedule(d.s, chip);
  CHECK(verify(s, d.s, chip) == "");
  CHECK(s.placed[index_of(a)].core == s.placed[index_of(b)].core);
  CHECK(s.placed[index_of(c)].core != s.placed[index_of(a)].core);
  CHECK(s.makespan >= 200000);
  CHECK(s.makespan < 201000);  // two computes of 100000 in a row, plus loads and stores of 8 bytes
}

TEST_CASE("schedule: are classes refused when their crossbars do not pack into the cores?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  for (int i = 0; i < 5; ++i) d.compute(d.value("y", ValueRole::output), {x}, 10, d.weights());
  CHECK_THROWS_AS(make_schedule(d.s, row_of(2)), UserError);  // 5 crossbars, 2 cores of 2
}

TEST_CASE("communicate: is a result sent once to a core that reads it twice, and not at all to its own?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto m = d.value("m");
  const ClassId here = d.weights();
  const ClassId there = d.weights();
  d.compute(m, {x}, 50, here);
  d.compute(d.value("p", ValueRole::output), {m}, 50, here);
  d.compute(d.value("q", ValueRole::output), {m}, 50, there);
  d.compute(d.value("r", ValueRole::output), {m}, 50, there);
  const isa::Chip chip = row_of(2);
  const Schedule s = schedule_computes(Scheduling(d.s, chip), {0, 1}, 6);
  const Steps steps = communicate(d.s, s, materialise(d.s, s, chip), chip);
  CHECK(verify(steps, s, d.s, chip) == "");
  CHECK(count(steps, Step::Kind::send) == 1);
  CHECK(count(steps, Step::Kind::receive) == 1);
  CHECK(count(steps, Step::Kind::load) == 1);  // only core 0 reads x
  CHECK(count(steps, Step::Kind::store) == 3);
}

TEST_CASE("communicate: does one multicast serve three cores where the chip has it?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto m = d.value("m");
  std::vector<ClassId> classes;
  for (int i = 0; i < 4; ++i) classes.push_back(d.weights());
  d.compute(m, {x}, 50, classes[0]);
  for (std::size_t i = 1; i < 4; ++i) d.compute(d.value("y", ValueRole::output), {m}, 50, classes[i]);
  for (const bool multicast : {false, true}) {
    const isa::Chip chip = row_of(4, multicast);
    const Schedule s = schedule_computes(Scheduling(d.s, chip), {0, 1, 2, 3}, 6);
    const Steps steps = communicate(d.s, s, materialise(d.s, s, chip), chip);
    CHECK(verify(steps, s, d.s, chip) == "");
    CHECK(count(steps, Step::Kind::send) == (multicast ? 1U : 3U));
    CHECK(count(steps, Step::Kind::receive) == 3);
  }
}

TEST_CASE("communicate: are two cores that exchange results at the same time free of deadlock?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto a = d.value("a");
  const auto b = d.value("b");
  const ClassId left = d.weights();
  const ClassId right = d.weights();
  d.compute(a, {x}, 50, left);
  d.compute(b, {x}, 50, right);
  d.compute(d.value("p", ValueRole::output), {b}, 50, left);
  d.compute(d.value("q", ValueRole::output), {a}, 50, right);
  const isa::Chip chip = row_of(2);
  const Schedule s = schedule_computes(Scheduling(d.s, chip), {0, 1}, 6);
  Steps steps = communicate(d.s, s, materialise(d.s, s, chip), chip);
  CHECK(verify(steps, s, d.s, chip) == "");
  // the planted fault: core 1 sends before it receives, as core 0 does
  auto& core = steps.cores[1];
  const auto receive =
      std::find_if(core.begin(), core.end(), [](const Step& t) { return t.kind == Step::Kind::receive; });
  const auto send = std::find_if(core.begin(), core.end(), [](const Step& t) { return t.kind == Step::Kind::send; });
  REQUIRE(receive != core.end());
  REQUIRE(send != core.end());
  std::swap(*receive, *send);
  const std::string fault = verify(steps, s, d.s, chip);
  CHECK(fault == "2 of 2 messages wait in a circle under rendezvous");
}
