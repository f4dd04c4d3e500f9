#include "compiler/drivers/pim/schedule/loads.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {
/// One core reads boxes of an input of so many rows and positions, a compute each, in their order.
struct Reading : Drawing {
  SpatialValueId x, y;
  Schedule schedule;
  Reading(std::int32_t rows, std::int32_t positions, const std::vector<PBox>& boxes)
      : x(value("x", ValueRole::input)), y(value("y", ValueRole::output)) {
    s.values[index_of(x)].layout.rows = rows;
    s.values[index_of(x)].layout.positions = positions;
    for (const PBox& box : boxes) {
      s.computes[index_of(compute(y, {x}, 10))].reads[0].box = box;
      schedule.placed.push_back({ComputeId{static_cast<std::int32_t>(schedule.placed.size())}, 0,
                                 static_cast<Cycles>(10 * schedule.placed.size()), 0});
    }
  }
  std::vector<PBox> loads() const {
    std::vector<ComputeId> order;
    for (const Placed& p : schedule.placed) order.push_back(p.compute);
    std::vector<PBox> boxes;
    for (const auto& [reader, what] : loads_of(s, schedule, row_of(2), 0, order)) boxes.push_back(what.box);
    return boxes;
  }
};
}  // namespace

TEST_CASE("loads: are columns that lie far apart loaded apart, and neighbours together?") {
  CHECK(Reading(1, 4096, {{0, 1, 0, 2, 0, 8}, {0, 1, 4000, 4096, 0, 8}}).loads() ==
        std::vector<PBox>{{0, 1, 0, 2, 0, 8}, {0, 1, 4000, 4096, 0, 8}});
  CHECK(Reading(1, 4096, {{0, 1, 0, 2, 0, 8}, {0, 1, 2, 4, 0, 8}}).loads() == std::vector<PBox>{{0, 1, 0, 4, 0, 8}});
  CHECK(Reading(1, 4096, {{0, 1, 0, 3, 0, 8}, {0, 1, 2, 4000, 0, 8}}).loads() ==
        std::vector<PBox>{{0, 1, 0, 4000, 0, 8}});
}

TEST_CASE("loads: does every row come once, and only rows that are read?") {
  CHECK(Reading(40, 1, {{3, 6, 0, 1, 0, 8}, {4, 7, 0, 1, 0, 8}, {10, 30, 0, 1, 0, 8}}).loads() ==
        std::vector<PBox>{{3, 11, 0, 1, 0, 8}, {11, 30, 0, 1, 0, 8}});
}

TEST_CASE("loads: does a row of a stream come early only where its last reader is done a turn later?") {
  Reading r(4, 1, {{0, 1, 0, 1, 0, 8}, {1, 2, 0, 1, 0, 8}});
  const std::vector<PBox> both{{0, 2, 0, 1, 0, 8}}, apart{{0, 1, 0, 1, 0, 8}, {1, 2, 0, 1, 0, 8}};
  CHECK(r.loads() == both);
  r.schedule.stage = {0, 1};  // its reader comes a turn and 10 cycles later
  CHECK(r.loads() == apart);
  r.schedule.placed[1].start = r.schedule.placed[0].start + 1;
  CHECK(r.loads() == apart);
  r.schedule.placed[0].start = 20;  // 1 cycle less than a turn later
  r.schedule.placed[1].start = 19;
  CHECK(r.loads() == both);
}
