// Where the array groups of a core lie, and which of them share crossbars.
#include "isa/program/array_groups.hpp"

namespace pimento::isa {

std::int64_t crossbars_of(const std::vector<Group>& groups) {
  std::int64_t all = 0;
  for (const Group& group : groups) all += crossbars_of(group);
  return all;
}

std::vector<std::int64_t> first_crossbars(const std::vector<Group>& groups, int crossbars) {
  std::vector<std::int64_t> first;
  std::int64_t at = 0;
  for (const Group& group : groups) {
    if (at + crossbars_of(group) > crossbars) at = 0;
    first.push_back(at);
    at += crossbars_of(group);
  }
  return first;
}

std::vector<std::vector<std::uint32_t>> groups_that_share(const std::vector<Group>& groups, int crossbars) {
  if (crossbars_of(groups) <= crossbars) return {};
  const std::vector<std::int64_t> first = first_crossbars(groups, crossbars);
  const auto end = [&](std::uint32_t g) { return first[g] + crossbars_of(groups[g]); };
  std::vector<std::uint32_t> rounds;  // the first group of each; those of one round share nothing and ascend
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    if (first[g] == 0) rounds.push_back(g);
  rounds.push_back(static_cast<std::uint32_t>(groups.size()));
  std::vector<std::vector<std::uint32_t>> shared(groups.size());
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (std::size_t r = 0; r + 1 < rounds.size(); ++r) {
      std::uint32_t low = rounds[r], high = rounds[r + 1];
      while (low < high) {  // the first of the round that ends behind where g begins
        const std::uint32_t middle = low + (high - low) / 2;
        end(middle) > first[g] ? high = middle : low = middle + 1;
      }
      for (; low < rounds[r + 1] && first[low] < end(g); ++low)
        if (low != g) shared[g].push_back(low);
    }
  return shared;
}

}  // namespace pimento::isa
