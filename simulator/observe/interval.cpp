#include "simulator/observe/interval.hpp"

#include <algorithm>
#include <cmath>

namespace pimento::sim {

std::optional<double> steady_interval(const Result& result) {
  const std::vector<Cycles>& ends = result.image_ends;
  const std::size_t images = ends.size();
  if (images < 2 || std::find(ends.begin(), ends.end(), 0) != ends.end()) return {};
  const std::size_t a = images / 4;
  const std::size_t b = std::max(a + 1, 5 * images / 8);
  const auto slope = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(ends[to] - ends[from]) / static_cast<double>(to - from);
  };
  const std::size_t middle = (a + b) / 2;
  constexpr double steady = 0.01;
  if (middle > a && std::abs(slope(a, middle) - slope(middle, b)) > steady * slope(a, b)) return {};
  return slope(a, b);
}

}  // namespace pimento::sim
