// Where do the array groups of a core lie, and who takes whose crossbars?
#include <doctest/doctest.h>

#include "isa/program/array_groups.hpp"

using namespace pimento::isa;

namespace {
Group of(std::int32_t rows, std::int32_t cols) { return {no_tile, rows, cols}; }
using Shared = std::vector<std::vector<std::uint32_t>>;
}  // namespace

TEST_CASE("array groups: does one that would end beyond the last crossbar begin at the first again?") {
  // of 8 crossbars: 0..3, 3..5, then 4 do not fit into 5..8
  CHECK(first_crossbars({of(1, 3), of(2, 1), of(2, 2), of(1, 4)}, 8) == std::vector<std::int64_t>{0, 3, 0, 4});
  CHECK(first_crossbars({of(1, 3), of(1, 5), of(1, 1)}, 8) == std::vector<std::int64_t>{0, 3, 0});
}
TEST_CASE("array groups: does every pair that shares crossbars stand in both lists, and no other?") {
  std::vector<Group> groups;
  for (std::int32_t g = 0; g < 60; ++g) groups.push_back(of(1 + g * 7 % 3, 1 + g * 5 % 4));
  const std::vector<std::int64_t> first = first_crossbars(groups, 17);
  Shared expected(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t other = 0; other < groups.size(); ++other)
      if (g != other && first[g] < first[other] + crossbars_of(groups[other]) &&
          first[other] < first[g] + crossbars_of(groups[g]))
        expected[g].push_back(static_cast<std::uint32_t>(other));
  CHECK(groups_that_share(groups, 17) == expected);
}
TEST_CASE("array groups: who shares crossbars with whom?") {
  CHECK(groups_that_share({of(1, 3), of(2, 1), of(1, 3)}, 8).empty());
  // 0..3, 3..5, 0..4 (over both), 4..8 (over the second)
  CHECK(groups_that_share({of(1, 3), of(2, 1), of(2, 2), of(1, 4)}, 8) == Shared{{2}, {2, 3}, {0, 1}, {1}});
}
