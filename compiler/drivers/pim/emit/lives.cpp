// When the rows of a buffer stand in local memory: from the first step that touches them to the last one, without the
// times between a spill and the load that ends it.
#include <algorithm>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {

bool meet(const Lives& a, const Lives& b) {
  if (a.size() > b.size()) return meet(b, a);
  return std::any_of(a.begin(), a.end(), [&](const auto& life) {
    const auto other = std::ranges::lower_bound(b, life.first, {}, [](const auto& each) { return each.second; });
    return other != b.end() && other->first <= life.second;
  });
}

Lives Buffer::lives_of_row(std::size_t row) const {
  Lives found{rows[row]};
  auto at = std::lower_bound(absences.begin(), absences.end(), static_cast<std::int32_t>(row),
                             [](const Absence& away, std::int32_t r) { return away.row < r; });
  for (; at != absences.end() && at->row == static_cast<std::int32_t>(row); ++at) {
    const int end = std::exchange(found.back().second, at->from);
    found.emplace_back(at->to, end);
  }
  return found;
}

bool Buffer::begins(int at) const {
  const auto life = std::ranges::lower_bound(lives, at, {}, [](const auto& each) { return each.first; });
  return life != lives.end() && life->first == at;
}

void find_lives(Buffer& buffer) {
  buffer.lives.clear();
  std::sort(buffer.absences.begin(), buffer.absences.end(),
            [](const Absence& a, const Absence& b) { return std::tie(a.row, a.from) < std::tie(b.row, b.from); });
  Lives all;
  for (std::size_t row = 0; row < buffer.rows.size(); ++row)
    if (buffer.rows[row].first >= 0)
      for (const auto& life : buffer.lives_of_row(row)) all.push_back(life);
  std::sort(all.begin(), all.end());
  for (const auto& [first, last] : all)
    if (!buffer.lives.empty() && first <= buffer.lives.back().second)
      buffer.lives.back().second = std::max(buffer.lives.back().second, last);
    else
      buffer.lives.emplace_back(first, last);
}

}  // namespace pimento::pim
