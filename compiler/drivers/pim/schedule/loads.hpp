#pragma once
// What a core loads of the model's inputs, and for which of its computes.
#include <span>
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"

namespace pimento::pim {

/// Adds a box; those that share columns become one.
void join_boxes(std::vector<PBox>& boxes, PBox box);

/// Each load just before the first of the core's computes (`order`, as the core does them) that reads some of it. A
/// load brings some rows of a span of columns: of all that the core ever reads of them, where two spans that lie apart
/// are one if that takes no longer. An input's rows are loaded once.
std::vector<std::pair<ComputeId, Access>> loads_of(const Spatial& spatial, const Schedule& schedule,
                                                   const isa::Chip& chip, CoreId core,
                                                   std::span<const ComputeId> order);

}  // namespace pimento::pim
