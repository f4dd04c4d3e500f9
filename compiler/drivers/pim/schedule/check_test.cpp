// The verifiers of the schedule, of the materialised steps and of their messages are shown a fault for each rule.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// Core 0 multiplies x by tile 0 into m; core 1 multiplies m by tile 1 into p; core 0 m by tile 0 again into q.
struct Made : DrawnAndScheduled {
  Made() {
    const auto x = d.value("x", ValueRole::input);
    const auto m = d.value("m");
    const ClassId here = d.weights();
    const ClassId there = d.weights();
    d.compute(m, {x}, 50, here);
    d.compute(d.value("p", ValueRole::output), {m}, 50, there);
    d.compute(d.value("q", ValueRole::output), {m}, 50, here);
    schedule_on({0, 1});
  }
};

std::string schedule_said(const std::function<void(Made&)>& fault) {
  Made m;
  fault(m);
  return verify(m.schedule, m.d.s, m.chip);
}
std::string materialised_said(const std::function<void(Made&)>& fault) {
  Made m;
  fault(m);
  return verify(m.materialised, m.d.s, m.schedule);
}
std::string steps_said(const std::function<void(Made&)>& fault) {
  Made m;
  fault(m);
  return verify(m.steps, m.schedule, m.d.s, m.chip);
}
/// The first step of a kind on a core.
std::vector<Step>::iterator first(Made& m, std::size_t core, Step::Kind kind) {
  auto& steps = m.steps.cores[core];
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.kind == kind; });
  REQUIRE(at != steps.end());
  return at;
}

}  // namespace

TEST_CASE("verifiers of the schedule: are sound ones accepted?") {
  CHECK(schedule_said([](Made&) {}) == "");
  CHECK(materialised_said([](Made&) {}) == "");
  CHECK(steps_said([](Made&) {}) == "");
}

TEST_CASE("schedule verifier: are classes beyond the crossbars of a core refused?") {
  CHECK(schedule_said([](Made& m) {
          m.schedule.class_core = {1, 1};
          m.d.s.classes[0].crossbars = 2;
        }) == "core 1: classes take 3 crossbars, it has 2");
}
TEST_CASE("schedule verifier: is a compute away from its class refused?") {
  CHECK(schedule_said([](Made& m) { m.schedule.placed[1].core = 0; }) ==
        "compute 1 runs on core 0, its class stands on 1");
}
TEST_CASE("schedule verifier: is a start before the end of an input refused?") {
  const std::string said = schedule_said([](Made& m) { m.schedule.placed[1].start = 10; });
  CHECK(said.starts_with("compute 1 starts at 10, its input from compute 0 ends at "));
}
TEST_CASE("schedule verifier: are two computes of one core at the same time refused?") {
  const std::string said = schedule_said([](Made& m) {
    m.schedule.placed[2].start = m.schedule.placed[0].end;
    m.schedule.placed[1].core = 0;  // beside compute 2
    m.schedule.class_core[1] = 0;
    m.schedule.placed[1].start = m.schedule.placed[0].end + 1;
    m.schedule.placed[1].end = m.schedule.placed[0].end + 51;
  });
  CHECK(said.find(", core 0 is busy until ") != std::string::npos);
}

TEST_CASE("materialise verifier: are a stray, a missing and a doubled compute refused?") {
  CHECK(materialised_said([](Made& m) { std::swap(m.materialised.cores[0], m.materialised.cores[1]); }) ==
        "compute 1 stands on core 0, scheduled on 1");
  CHECK(materialised_said([](Made& m) { m.materialised.cores[1].clear(); }) == "compute 1 stands on 0 cores");
  const std::string twice =
      materialised_said([](Made& m) { m.materialised.cores[1].push_back(m.materialised.cores[1][0]); });
  CHECK(twice.starts_with("compute 1 starts at "));  // its core is busy with itself
}
TEST_CASE("materialise verifier: is a batch that lost a lane refused?") {
  CHECK(materialised_said([](Made& m) { m.materialised.batches[0].lanes.pop_back(); }) ==
        "batch 1: 2 lanes before, 1 after");
}

TEST_CASE("communicate verifier: are steps for another number of cores refused?") {
  CHECK(steps_said([](Made& m) { m.steps.cores.pop_back(); }) == "steps for 1 cores, the chip has 2");
}
TEST_CASE("communicate verifier: is a compute on another core, missing or twice refused?") {
  CHECK(steps_said([](Made& m) { m.steps.cores[1].push_back(*first(m, 0, Step::Kind::compute)); }) ==
        "compute 0 stands on core 1");
  CHECK(steps_said([](Made& m) { m.steps.cores[0].pop_back(), m.steps.cores[0].pop_back(); }) ==
        "compute 2 stands in 0 places");
  CHECK(steps_said([](Made& m) { m.steps.cores[0].push_back(*first(m, 0, Step::Kind::compute)); }) ==
        "compute 0 stands in 2 places");
}
TEST_CASE("communicate verifier: is a compute whose input has not arrived refused?") {
  CHECK(steps_said([](Made& m) { m.steps.cores[1].erase(first(m, 1, Step::Kind::receive)); }) ==
        "core 1, compute 1: 8 elements of 'm' [r 0:1, p 0:1, c 0:8] have not arrived");
  CHECK(steps_said([](Made& m) { m.steps.transfers[0].what.box.c1 = 5; }) ==
        "core 1, compute 1: 3 elements of 'm' [r 0:1, p 0:1, c 0:8] have not arrived");
  CHECK(steps_said([](Made& m) { m.steps.cores[0].erase(first(m, 0, Step::Kind::load)); }) ==
        "core 0, compute 0: 8 elements of 'x' [r 0:1, p 0:1, c 0:8] have not arrived");
}
TEST_CASE("communicate verifier: is what is sent before it exists refused?") {
  CHECK(steps_said([](Made& m) {
          const Step send = *first(m, 0, Step::Kind::send);
          m.steps.cores[0].erase(first(m, 0, Step::Kind::send));
          m.steps.cores[0].insert(m.steps.cores[0].begin(), send);
        }) == "core 0: 8 elements of 'm' [r 0:1, p 0:1, c 0:8] are sent before they exist");
}
TEST_CASE("communicate verifier: is a multicast on a chip without it refused?") {
  CHECK(steps_said([](Made& m) {
          m.steps.transfers[0].destinations = {1, 1};
        }) == "a message from core 0 has 2 destinations, the chip does not multicast");
}
TEST_CASE("communicate verifier: are sends and receives of a pair that do not match refused?") {
  // the message a second time, in two transfers whose receives stand the other way round
  const auto doubled = [](Made& m) {
    m.steps.transfers.push_back(m.steps.transfers[0]);
    const auto again = static_cast<std::int32_t>(m.steps.transfers.size() - 1);
    m.steps.cores[0].insert(first(m, 0, Step::Kind::send) + 1, {Step::Kind::send, again});
    return again;
  };
  CHECK(steps_said([&](Made& m) { doubled(m); }) == "core 0 to core 1: 2 sends and 1 receives do not match in order");
  CHECK(steps_said([&](Made& m) {
          const std::int32_t again = doubled(m);
          m.steps.cores[1].insert(first(m, 1, Step::Kind::receive), {Step::Kind::receive, again});
        }) == "core 0 to core 1: 2 sends and 2 receives do not match in order");
  CHECK(steps_said([](Made& m) { m.steps.cores[0].erase(first(m, 0, Step::Kind::send)); }) ==
        "core 0 to core 1: 1 receives without a send");
}
