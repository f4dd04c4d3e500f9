// When does a result go to another core?
#include <doctest/doctest.h>

#include "compiler/drivers/pim/schedule/schedule.hpp"

using namespace pimento;
using namespace pimento::pim;

TEST_CASE(
    "message starts: is each found by producer and core, in whatever order they were told, the last of several?") {
  CHECK(MessageStarts().empty());
  CHECK_FALSE(MessageStarts().find(ComputeId{0}, 0).has_value());
  const MessageStarts starts(
      {{ComputeId{3}, 1, 30}, {ComputeId{1}, 2, 12}, {ComputeId{1}, 0, 10}, {ComputeId{3}, 1, 31}});
  CHECK_FALSE(starts.empty());
  CHECK(starts.find(ComputeId{1}, 0) == 10);
  CHECK(starts.find(ComputeId{1}, 2) == 12);
  CHECK(starts.find(ComputeId{3}, 1) == 31);
  for (const auto& [producer, to] : std::vector<std::pair<int, CoreId>>{{0, 0}, {1, 1}, {1, 3}, {2, 1}, {3, 0}, {4, 0}})
    CHECK_FALSE(starts.find(ComputeId{producer}, to).has_value());
}
