// Where do classes of several rounds stand, and is a schedule that writes cells too early or too late found out?
#include "compiler/drivers/pim/schedule/residency.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "compiler/drivers/pim/schedule/rewriting.hpp"
#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// Four products in a row, on two crossbars of one core: two classes a round.
struct Made : DrawnAndScheduled {
  explicit Made(int buffers = 1) {
    chip.network.receive_buffer_messages = buffers;
    auto x = d.value("x", ValueRole::input);
    for (const std::int32_t round : {0, 0, 1, 1, 2}) {
      const ClassId c = d.weights();
      d.s.classes.back().round = round;
      WeightTile& tile = d.s.tiles.back();
      tile.col1 = 8;
      tile.shape = {8, 8, 1, 1};
      const auto y = d.value("y", d.s.classes.size() == 5 ? ValueRole::output : ValueRole::intermediate);
      d.compute(y, {x}, 50, c);
      x = y;
    }
    schedule_on(std::vector<CoreId>(5, 0));
  }
};

std::string said(const std::function<void(Made&)>& fault) {
  Made m;
  fault(m);
  return verify_writes(m.schedule, m.d.s, m.chip);
}

}  // namespace

TEST_CASE("residency: who stands there from the start, and who takes whose crossbars?") {
  const Made m;
  const Residency r = make_residency(m.d.s, m.chip, m.schedule.class_core);
  CHECK(r.at_start == std::vector<bool>{true, true, false, false, false});
  CHECK(r.displaced[2] == std::vector<ClassId>{ClassId{0}});
  CHECK(r.displaced[3] == std::vector<ClassId>{ClassId{1}});
  CHECK(r.displaced[4] == std::vector<ClassId>{ClassId{0}, ClassId{2}});
  REQUIRE(r.groups[0].size() == 5);
  CHECK(r.groups[0][1].tile == 1);
  CHECK(r.groups[0][2].tile == isa::no_tile);
}
TEST_CASE("residency: does a later round find free crossbars, and begin at the first where the rest is too small?") {
  Made m;
  m.chip.core.crossbars = 5;
  m.d.s.tiles[1].shape.crossbar_cols = 2;  // round 0 takes 0..3, round 1 3..5, round 2 0..1
  Residency r = make_residency(m.d.s, m.chip, m.schedule.class_core);
  CHECK(r.at_start == std::vector<bool>{true, true, true, true, false});
  CHECK(r.displaced[4] == std::vector<ClassId>{ClassId{0}});
  // round 1 asks for 2 and 3 of 5: 3..5, then 0..3, never over itself
  m.d.s.tiles[2].shape.crossbar_cols = 2, m.d.s.tiles[3].shape.crossbar_cols = 3;
  r = make_residency(m.d.s, m.chip, m.schedule.class_core);
  CHECK(r.displaced[2].empty());
  CHECK(r.displaced[3] == std::vector<ClassId>{ClassId{0}, ClassId{1}});
  // 3 and 2: 3 do not fit behind 0..3 and would meet what follows them: a gap, then 0..3 and 3..5
  m.d.s.tiles[2].shape.crossbar_cols = 3, m.d.s.tiles[3].shape.crossbar_cols = 2;
  r = make_residency(m.d.s, m.chip, m.schedule.class_core);
  CHECK(r.displaced[2] == std::vector<ClassId>{ClassId{0}, ClassId{1}});
  CHECK(r.displaced[3].empty());
}
TEST_CASE("residency: are all rows written once, in both schedulers, and no sooner than they may?") {
  for (const int buffers : {0, 1}) {
    CAPTURE(buffers);
    const Made m(buffers);
    CHECK(verify(m.schedule, m.d.s, m.chip) == "");
    CHECK(verify(m.steps, m.schedule, m.d.s, m.chip) == "");
    REQUIRE(m.schedule.writes.size() == 3);
    CHECK(m.schedule.writes[0].start >= m.schedule.placed[0].end);
    CHECK(m.schedule.writes[0].end <= m.schedule.placed[2].start);
    CHECK(m.schedule.makespan > 5 * 50 + 3 * 8 * 1000);  // 8 rows of 1 us
    CHECK(std::count_if(m.steps.cores[0].begin(), m.steps.cores[0].end(),
                        [](const Step& s) { return s.kind == Step::Kind::write; }) == 3);
  }
}
TEST_CASE("residency: does a piece of weights wait until the memory has served the one before, row by row?") {
  const auto wait = [](Bytes row_size) {
    Made m;
    m.chip.global_memory.row_size = row_size;
    m.chip.global_memory.activate_cycles = 100;
    m.chip.global_memory.precharge_cycles = 50;
    const MoveCosts costs(m.d.s, m.chip);
    Rewriting r(m.d.s, m.chip, costs, std::vector<CoreId>(5, 0));
    for (const Compute& c : m.d.s.computes) r.finished(c);
    const Cycles first = r.begin(0, 0).value();
    r.end(0);
    return r.begin(0, 0).value() - first;
  };
  CHECK(wait(32) - wait(0) == 2 * (50 + 100));  // 64 bytes: two rows, each closed before it is opened
}
TEST_CASE("verifier of writes: is a sound schedule accepted, and a fault of each kind found?") {
  CHECK(said([](Made&) {}) == "");
  CHECK(said([](Made& m) { m.schedule.writes.pop_back(); }) == "class 4: 0 rows of tile 4 are written, expected 8");
  CHECK(said([](Made& m) { m.schedule.writes[1].tile = 4; }) == "class 3: tile 4 is written, which is another's");
  CHECK(said([](Made& m) { m.schedule.writes[0].count = 0; }) ==
        "class 2: rows 0:0 of tile 2 are written, row 0 comes next");
  CHECK(said([](Made& m) { m.schedule.writes[0].count = 9; }) == "class 2: 9 rows of tile 2 are written, expected 8");
  // rows 0:4 twice and 4:8 never: as many rows as there are
  const auto in_halves = [](Made& m, std::int32_t second) {
    CellWrite& first = m.schedule.writes[0];
    const CellWrite half{first.cls, first.tile, second, 4, first.core, first.end, first.end};
    first.count = 4;
    m.schedule.writes.insert(m.schedule.writes.begin() + 1, half);
  };
  CHECK(said([&](Made& m) { in_halves(m, 4); }) == "");
  CHECK(said([&](Made& m) { in_halves(m, 0); }) == "class 2: rows 0:4 of tile 2 are written, row 4 comes next");
  // what stands there from the start is not written again
  CHECK(said([](Made& m) {
          m.schedule.writes.insert(m.schedule.writes.begin(), {ClassId{0}, 0, 0, 8, 0, 0, 0});
        }) == "class 0: 8 rows of tile 0 are written, expected 0");
  CHECK(said([](Made& m) { m.schedule.writes[0].core = 1; }) == "class 2 is written on core 1");
  CHECK(said([](Made& m) {
          m.schedule.writes[0].end = m.schedule.placed[2].start + 1;
        }).find("the cells of its class are written until") != std::string::npos);
  CHECK(said([](Made& m) {
          m.schedule.writes[0].start = m.schedule.placed[0].end - 1;
        }).find("of class 0 needs the crossbars until") != std::string::npos);
  CHECK(said([](Made& m) {
          m.schedule.writes[1].start = m.schedule.writes[0].end - 1;
        }).find("core 0 does two things at") != std::string::npos);
}
