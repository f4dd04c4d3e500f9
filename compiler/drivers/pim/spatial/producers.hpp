#pragma once
// Who writes what: an index over the rows of every value, so that a box finds its producers without a walk over all
// computes; and, found once, who feeds whom.
#include <span>
#include <string>
#include <vector>

#include "compiler/drivers/pim/spatial/spatial.hpp"

namespace pimento::pim {

class Producers {
 public:
  explicit Producers(const Spatial& spatial);

  /// Calls f(compute, intersection with `box`) for each producer of a part of the box, in compute order within a row
  /// span.
  template <class F>
  void of(SpatialValueId value, const PBox& box, F&& f) const {
    const std::size_t v = index_of(value);
    const auto rows = static_cast<std::int32_t>(first_row_[v + 1] - first_row_[v]);
    const auto first = std::max(0, box.r0);
    const auto last = std::min(rows, box.r1);
    for (std::int32_t r = first; r < last; ++r) {
      const std::size_t row = first_row_[v] + static_cast<std::size_t>(r);
      for (std::size_t k = begin_[row]; k < begin_[row + 1]; ++k) {
        const PBox& written = writers_[k].box;
        if (r != std::max(first, written.r0)) continue;  // met before, in an earlier row
        const PBox part = intersect(written, box);
        if (!part.empty()) f(writers_[k].compute, part);
      }
    }
  }
  /// One part of one read of a compute, and who makes it.
  struct Feed {
    ComputeId from{};
    std::int32_t read = 0;  ///< index into Compute::reads
    PBox part;
  };
  /// All that a compute reads of other computes: read by read, each as `of` gives it.
  std::span<const Feed> feeds(std::size_t compute) const {
    return std::span(feeds_).subspan(first_feed_[compute], first_feed_[compute + 1] - first_feed_[compute]);
  }
  std::size_t feeds() const { return feeds_.size(); }

 private:
  struct Writer {
    ComputeId compute{};
    PBox box;
  };
  std::vector<std::size_t> first_row_;  ///< by value: of its rows among all rows
  std::vector<std::size_t> begin_;      ///< by row: of its writers
  std::vector<Writer> writers_;
  std::vector<std::size_t> first_feed_;  ///< by compute
  std::vector<Feed> feeds_;
};

/// By compute: the round of its class, or the last of its inputs.
std::vector<std::int32_t> rounds_of_computes(const Spatial& spatial, const Producers& producers);
/// As of the spatial program alone.
std::string verify(const Spatial& spatial, const Producers& producers, const isa::Chip& chip);

}  // namespace pimento::pim
