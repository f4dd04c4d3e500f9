#include "compiler/drivers/pim/spatial/producers.hpp"

#include <algorithm>

namespace pimento::pim {

Producers::Producers(const Spatial& spatial) {
  first_row_.assign(1, 0);
  for (const SpatialValue& v : spatial.values)
    first_row_.push_back(first_row_.back() + static_cast<std::size_t>(std::max(0, v.layout.rows)));
  const auto each_row = [&](const Access& write, auto&& f) {
    const std::size_t v = index_of(write.value);
    // rows outside of the value are the verifier's to report
    const auto last = std::min(static_cast<std::int32_t>(first_row_[v + 1] - first_row_[v]), write.box.r1);
    for (std::int32_t r = std::max(0, write.box.r0); r < last; ++r) f(first_row_[v] + static_cast<std::size_t>(r));
  };
  begin_.assign(first_row_.back() + 1, 0);
  for (const Compute& c : spatial.computes) each_row(c.write, [&](std::size_t row) { ++begin_[row + 1]; });
  for (std::size_t row = 0; row + 1 < begin_.size(); ++row) begin_[row + 1] += begin_[row];
  writers_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const Access& write = spatial.computes[i].write;
    each_row(write, [&](std::size_t row) {
      writers_[next[row]++] = {ComputeId{static_cast<std::int32_t>(i)}, write.box};
    });
  }
  first_feed_.reserve(spatial.computes.size() + 1);
  first_feed_.assign(1, 0);
  feeds_.reserve(4 * spatial.computes.size());
  for (const Compute& c : spatial.computes) {
    for (std::size_t k = 0; k < c.reads.size(); ++k)
      of(c.reads[k].value, c.reads[k].box, [&](ComputeId p, const PBox& part) {
        feeds_.push_back({p, static_cast<std::int32_t>(k), part});
      });
    first_feed_.push_back(feeds_.size());
  }
}

}  // namespace pimento::pim
