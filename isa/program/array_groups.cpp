// Where the array groups of a core lie, and which of them share crossbars.
#include "isa/program/program.hpp"

namespace pimento::isa {

std::int64_t crossbars_of(const std::vector<Group>& groups) {
  std::int64_t all = 0;
  for (const Group& group : groups) all += std::int64_t{group.crossbar_rows} * group.crossbar_cols;
  return all;
}

std::vector<std::int64_t> first_crossbars(const std::vector<Group>& groups, int crossbars) {
  std::vector<std::int64_t> first;
  std::int64_t at = 0;
  for (const Group& group : groups) {
    const std::int64_t size = std::int64_t{group.crossbar_rows} * group.crossbar_cols;
    if (at + size > crossbars) at = 0;
    first.push_back(at);
    at += size;
  }
  return first;
}

std::vector<std::vector<std::uint32_t>> groups_that_share(const std::vector<Group>& groups, int crossbars) {
  if (crossbars_of(groups) <= crossbars) return {};
  const std::vector<std::int64_t> first = first_crossbars(groups, crossbars);
  const auto end = [&](std::size_t g) {
    return first[g] + std::int64_t{groups[g].crossbar_rows} * groups[g].crossbar_cols;
  };
  std::vector<std::vector<std::uint32_t>> shared(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t other = 0; other < groups.size(); ++other)
      if (other != g && first[g] < end(other) && first[other] < end(g))
        shared[g].push_back(static_cast<std::uint32_t>(other));
  return shared;
}

}  // namespace pimento::isa
