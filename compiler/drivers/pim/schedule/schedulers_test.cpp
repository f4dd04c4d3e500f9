#include "compiler/drivers/pim/schedule/schedulers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/drawing.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

std::vector<CoreId> placed(std::string_view scheduler, const Drawing& d, const isa::Chip& chip) {
  return find_scheduler(scheduler).place(Scheduling(d.s, chip));
}

/// A row of computes of these cycles, each with weights of its own, which all read x.
Drawing apart(const std::vector<Cycles>& cycles) {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  for (const Cycles each : cycles) d.compute(d.value("y", ValueRole::output), {x}, each, d.weights());
  return d;
}

}  // namespace

TEST_CASE("schedulers: does each keep within the cores' crossbars, and refuse what does not pack?") {
  for (const Scheduler& scheduler : schedulers()) {
    CAPTURE(scheduler.name);
    const Drawing d = apart({50, 10, 30, 20});
    const std::vector<CoreId> cores = placed(scheduler.name, d, row_of(2));  // 2 crossbars each
    CHECK(std::count(cores.begin(), cores.end(), CoreId{0}) == 2);
    CHECK(std::count(cores.begin(), cores.end(), CoreId{1}) == 2);
    CHECK_THROWS_AS(placed(scheduler.name, apart({1, 1, 1, 1, 1}), row_of(2)), DoesNotFit);
  }
}

TEST_CASE("room: does the lowest core win a tie, a full one never, and is each round's room its own?") {
  Drawing d = apart({1, 1, 1});
  d.s.classes[2].round = 1;
  const isa::Chip chip = row_of(3);
  Room room(d.s, chip);
  const auto same = [](std::size_t) { return 0; };
  CHECK(room.best_core(0, same) == 0);
  room.take(0, 0), room.take(1, 0);
  CHECK_FALSE(room.has(0, 0));
  CHECK(room.best_core(0, same) == 1);
  CHECK(room.best_core(0, [](std::size_t k) { return k == 2 ? 0 : 1; }) == 2);
  CHECK(room.left(2, 0) == 2);
  CHECK(room.best_core(2, same) == 0);
  room.give_back(1, 0);
  CHECK(room.best_core(0, same) == 0);
}

TEST_CASE("schedulers: is an unknown one refused with the nearest name?") {
  CHECK_THROWS_WITH_AS(find_scheduler("pefft"), "unknown scheduler 'pefft'; nearest: 'peft'", UserError);
}

TEST_CASE("schedulers: is a second one of a name our fault?") {
  CHECK_THROWS_AS(register_scheduler({"peft", "", nullptr}), InternalError);
}

TEST_CASE("round-robin: do classes go to cores in turn, past those that are full?") {
  Drawing d = apart({1, 1, 1, 1});
  CHECK(placed("round-robin", d, row_of(4)) == std::vector<CoreId>{0, 1, 2, 3});
  d.s.classes[0].crossbars = 2;  // core 0 is full at once
  CHECK(placed("round-robin", d, row_of(3)) == std::vector<CoreId>{0, 1, 2, 1});
}

TEST_CASE("load: does the longest go first, and each to the core with least work?") {
  // 50 -> core 0, 30 -> core 1, 20 -> core 1 (30 < 50), 10 -> core 0, where there is still a crossbar
  CHECK(placed("load", apart({50, 10, 30, 20}), row_of(2)) == std::vector<CoreId>{0, 0, 1, 1});
}

TEST_CASE("heft: does a chain stay on one core while messages cost more than waiting, and do independent tasks part?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto a = d.value("a");
  const auto b = d.value("b");
  d.compute(a, {x}, 100, d.weights());
  d.compute(b, {a}, 100, d.weights());
  d.compute(d.value("c", ValueRole::output), {x}, 150, d.weights());
  // ranks: a = 200 and a message, c = 150, b = 100; a on core 0 until 100; c on core 1 until 150; b on core 0 until 200
  CHECK(placed("heft", d, row_of(2)) == std::vector<CoreId>{0, 0, 1});
}

TEST_CASE("near: does a class stay with its source where messages counted for peft's weight would let it go?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input), a = d.value("a");
  d.compute(a, {x}, 26, d.weights());
  d.compute(d.value("b", ValueRole::output), {a}, 26, d.weights());
  // The first on core 0. The second there: 26 of work, and half of the crossbars as half of an even share, 13; on core
  // 1 a message of 2 + 2 + 2 + 1 + 1 = 8, which counts four times (32 < 39) or six times (48 > 39).
  CHECK(placed("peft", d, row_of(2)) == std::vector<CoreId>{0, 1});
  CHECK(placed("near", d, row_of(2)) == std::vector<CoreId>{0, 0});
}

TEST_CASE("balanced: is a class placed again, near a reader that was placed behind it?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input), a = d.value("a");
  d.compute(a, {x}, 200, d.weights());
  for (const char* name : {"b", "c"}) d.compute(d.value(name, ValueRole::output), {x}, 200, d.weights());
  d.compute(d.value("e", ValueRole::output), {a}, 200, d.weights());
  // Each takes an empty core, the last one the empty core that is nearest to the first: 3, three hops away. Core 4 is
  // one hop from that, and empty too: the first goes there.
  CHECK(placed("peft", d, row_of(5)) == std::vector<CoreId>{0, 1, 2, 3});
  CHECK(placed("balanced", d, row_of(5)) == std::vector<CoreId>{4, 1, 2, 3});
}

TEST_CASE("heft: does a source that has no place yet hold nobody back where classes feed each other in a circle?") {
  Drawing d;
  const auto x = d.value("x", ValueRole::input), a = d.value("a"), b = d.value("b"), sum = d.value("sum");
  const auto early = d.value("early");
  for (const SpatialValueId v : {a, early}) d.s.values[index_of(v)].layout.channels = 65536;  // a message of M cycles
  const ClassId first = d.weights(), second = d.weights();
  d.compute(a, {x}, 100, first);
  d.compute(b, {a}, 10, second);
  d.compute(sum, {a, b}, 1);  // of the first class, which feeds it most
  d.compute(d.value("y", ValueRole::output), {sum}, 100, d.weights());
  const ClassId other = d.weights();
  d.compute(early, {x}, 50, other);
  d.compute(d.value("z", ValueRole::output), {early}, 1000, d.weights());
  const isa::Chip chip = row_of(3);
  const Scheduling all(d.s, chip);
  REQUIRE(all.classes.sources[index_of(first)].size() == 1);
  REQUIRE(all.classes.sources[index_of(first)][0].from == index_of(second));
  // ranks: other = 50 + M + 1000, then second = 10 + a short message + 100 + 10 + M, then first. Other takes core 0
  // until 50; second, whose source has no place yet, begins at once on core 1 and does not wait for it beside core 0
  const std::vector<CoreId> cores = find_scheduler("heft").place(all);
  CHECK(cores[index_of(other)] == 0);
  CHECK(cores[index_of(second)] == 1);
}

TEST_CASE("run-ahead: does a layer of 0 rows ahead wait for the end of the layers before it, and one of 1 row not?") {
  Drawing d;
  SpatialValueId x = d.value("x", ValueRole::input), m = d.value("m"), y = d.value("y", ValueRole::output);
  for (const SpatialValueId v : {x, m, y}) d.s.values[index_of(v)].layout.rows = 2;
  const auto row = [](int r) { return PBox{r, r + 1, 0, 1, 0, 8}; };
  const ClassId first = d.weights(), second = d.weights();
  for (std::int32_t i = 0; i < 2; ++i) d.s.batches[static_cast<std::size_t>(i) + 1].body.node = i;
  std::vector<ComputeId> one, two;
  for (int r = 0; r < 2; ++r) {
    one.push_back(d.compute(m, {x}, 10, first));
    two.push_back(d.compute(y, {m}, 10, second));
    for (const auto& [c, from] : {std::pair{one.back(), x}, {two.back(), m}}) {
      d.s.computes[index_of(c)].write.box = row(r);
      d.s.computes[index_of(c)].reads = {{from, row(r)}};
    }
  }
  const isa::Chip chip = row_of(2);
  const Scheduling scheduling(d.s, chip);
  const Work& work = scheduling.work;
  for (const int rows : {0, 1}) {
    RunAhead ahead(work, rows);
    CHECK(ahead.may_start(index_of(one[0])));
    ahead.finished(index_of(one[0]));
    CHECK(ahead.may_start(index_of(two[0])) == (rows == 1));
    CHECK(ahead.finished(index_of(one[1])));
    CHECK(ahead.may_start(index_of(two[0])));
  }
}

TEST_CASE(
    "candidates: may what has no weights leave its inputs' makers only where it roams, messages counting so often?") {
  using Candidate = Work::Candidate;
  const auto found = [](const std::vector<Work::Origin>& origins, Roaming roaming) {
    std::vector<std::pair<CoreId, int>> all;
    std::vector<Candidate> candidates;
    Work::find_candidates(origins, 4, roaming, candidates);
    for (const Candidate& c : candidates) all.emplace_back(c.core, c.times);
    return all;
  };
  using All = std::vector<std::pair<CoreId, int>>;
  const std::vector<Work::Origin> of_two{{.core = 1}, {.core = 3}, {.core = 3, .bytes = 8}};
  CHECK(found(of_two, 0) == All{{1, 1}, {3, 1}});
  CHECK(found(of_two, 2) == All{{1, 1}, {3, 1}, {0, 2}, {2, 2}});
  CHECK(found({}, 4).size() == 4);
  CHECK(found({}, 0).size() == 4);
}

TEST_CASE("roaming: do computes without weights leave a busy core only when they may?") {
  for (const bool rendezvous : {false, true}) {
    CAPTURE(rendezvous);
    Drawing d;
    const auto m = d.value("m");
    d.compute(m, {d.value("x", ValueRole::input)}, 10, d.weights());
    for (int i = 0; i < 4; ++i) d.compute(d.value("y", ValueRole::output), {m}, 10000);
    isa::Chip chip = row_of(4);
    chip.network.receive_buffer_messages = rendezvous ? 0 : 1;
    const Scheduling all(d.s, chip);
    const auto cores = [&](Roaming roaming) {
      std::set<CoreId> used;
      for (const Placed& p : schedule_computes(all, {0}, 6, roaming).placed) used.insert(p.core);
      return used.size();
    };
    CHECK(cores(0) == 1);
    CHECK(cores(1) == 4);
    CHECK(schedule_computes(all, {0}, 6, 1).makespan < schedule_computes(all, {0}, 6, 0).makespan / 2);
  }
}

TEST_CASE("renumbered: do cores that exchange most come to lie next to each other, their classes together as before?") {
  // three chains, each from one end of a row of six cores to the other
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  for (int chain = 0; chain < 3; ++chain) {
    const auto between = d.value("t", ValueRole::intermediate);
    d.compute(between, {x}, 100, d.weights());
    d.compute(d.value("y", ValueRole::output), {between}, 100, d.weights());
  }
  const isa::Chip chip = row_of(6);
  const Scheduling all(d.s, chip);
  const std::vector<CoreId> before{0, 5, 1, 4, 2, 3};
  for (const int power : {1, 2, 8}) {
    CAPTURE(power);
    const std::vector<CoreId> after = renumbered(all, before, power);
    for (std::size_t c = 0; c < 6; c += 2)
      CHECK(std::max(after[c], after[c + 1]) - std::min(after[c], after[c + 1]) == 1);
    CHECK(std::set<CoreId>(after.begin(), after.end()).size() == 6);  // a permutation
    CHECK(renumbered(all, after, power) == after);                    // nothing is left to do
  }
  // what shared a core shares one
  const std::vector<CoreId> shared = renumbered(all, {0, 5, 0, 5, 2, 3}, 2);
  CHECK(shared[0] == shared[2]);
  CHECK(shared[1] == shared[3]);
  CHECK(std::set<CoreId>(shared.begin(), shared.end()).size() == 4);
}
