#pragma once
// Who writes what: an index over the rows of every value, so that a box finds its producers without a walk over all
// computes.
#include <functional>
#include <vector>

#include "compiler/drivers/pim/spatial/spatial.hpp"

namespace pimento::pim {

class Producers {
 public:
  explicit Producers(const Spatial& spatial);
  /// Calls f(compute, intersection with `box`) for each producer of a part of the box, in compute order within a row
  /// span.
  void of(SpatialValueId value, const PBox& box, const std::function<void(ComputeId, const PBox&)>& f) const;
  /// All writers of a value, in order.
  const std::vector<ComputeId>& writers(SpatialValueId value) const { return writers_[index_of(value)]; }

 private:
  const Spatial& spatial_;
  std::vector<std::vector<ComputeId>> writers_;
  /// Per value and row: indices into writers_.
  std::vector<std::vector<std::vector<std::int32_t>>> by_row_;
};

}  // namespace pimento::pim
