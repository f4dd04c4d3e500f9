#include "simulator/observe/interval.hpp"

#include <algorithm>

namespace pimento::sim {

std::optional<double> steady_interval(const Result& result) {
  const std::vector<Cycles>& ends = result.image_ends;
  const std::size_t images = ends.size();
  if (images < 2 || std::find(ends.begin(), ends.end(), 0) != ends.end()) return {};
  const std::size_t a = images / 4;
  const std::size_t b = std::max(a + 1, 3 * images / 4);
  return static_cast<double>(ends[b] - ends[a]) / static_cast<double>(b - a);
}

}  // namespace pimento::sim
