#include "compiler/drivers/pim/laws/shape.hpp"

#include <algorithm>
#include <map>

#include "compiler/drivers/pim/schedule/stages.hpp"
#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {
namespace {

template <class Weight>
std::vector<std::int64_t> weighted_depths(const Spatial& s, const Producers& producers, Weight&& weight) {
  std::vector<std::int64_t> depth(s.computes.size(), 0);
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    for (const Producers::Feed& feed : producers.feeds(i)) depth[i] = std::max(depth[i], depth[index_of(feed.from)]);
    depth[i] += weight(s.computes[i]);
  }
  return depth;
}

}  // namespace

std::vector<std::int64_t> depths(const Spatial& spatial, const Producers& producers) {
  return weighted_depths(spatial, producers, [](const Compute&) { return 1; });
}
std::vector<std::int64_t> matrix_depths(const Spatial& spatial) {
  return weighted_depths(spatial, Producers(spatial), [](const Compute& c) { return c.cls == no_class ? 0 : 1; });
}

std::int64_t schedulable_width(const std::vector<std::int64_t>& depths) {
  std::map<std::int64_t, std::int64_t> at;
  std::int64_t widest = 0;
  for (const std::int64_t depth : depths) widest = std::max(widest, ++at[depth]);
  return widest;
}

std::int64_t message_chain(const Steps& steps) {
  const std::vector<std::int64_t> depths = message_depths(steps);
  return depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end());
}

}  // namespace pimento::pim
