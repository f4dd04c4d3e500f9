#include "compiler/drivers/pim/spatial/producers.hpp"

#include <algorithm>

namespace pimento::pim {

Producers::Producers(const Spatial& spatial)
    : spatial_(spatial), writers_(spatial.values.size()), by_row_(spatial.values.size()) {
  for (std::size_t v = 0; v < spatial.values.size(); ++v)
    by_row_[v].resize(static_cast<std::size_t>(spatial.values[v].layout.rows));
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const Access& write = spatial.computes[i].write;
    const std::size_t v = index_of(write.value);
    const auto at = static_cast<std::int32_t>(writers_[v].size());
    writers_[v].push_back(ComputeId{static_cast<std::int32_t>(i)});
    // rows outside of the value are the verifier's to report
    const auto last = std::min(static_cast<std::int32_t>(by_row_[v].size()), write.box.r1);
    for (std::int32_t r = std::max(0, write.box.r0); r < last; ++r)
      by_row_[v][static_cast<std::size_t>(r)].push_back(at);
  }
}

void Producers::of(SpatialValueId value, const PBox& box, const std::function<void(ComputeId, const PBox&)>& f) const {
  const std::size_t v = index_of(value);
  const auto& rows = by_row_[v];
  const auto first = std::max(0, box.r0);
  const auto last = std::min(static_cast<std::int32_t>(rows.size()), box.r1);
  for (std::int32_t r = first; r < last; ++r)
    for (const std::int32_t at : rows[static_cast<std::size_t>(r)]) {
      const ComputeId id = writers_[v][static_cast<std::size_t>(at)];
      const PBox& written = spatial_.computes[index_of(id)].write.box;
      if (r != std::max(first, written.r0)) continue;  // met before, in an earlier row
      const PBox part = intersect(written, box);
      if (!part.empty()) f(id, part);
    }
}

}  // namespace pimento::pim
