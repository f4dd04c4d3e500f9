#pragma once
// Where the channels of a vector node's result are cut into lanes.
#include <cstdint>
#include <vector>

#include "compiler/drivers/pim/spatial/needs.hpp"

namespace pimento::pim {

/// Boundaries of the channel slices, 0 and the last included. A result that several inputs fill side by side (a
/// concatenation) is cut where one input ends; one that mixes channels is not cut; any other gets slices that fill the
/// vector unit, no more than there are cores for `lanes` of rows and positions. `needs`: of `output`.
std::vector<std::int32_t> channel_cuts(const ir::Graph& graph, const ir::Node& node, const InputNeeds& needs,
                                       const std::vector<Layout>& layouts, const isa::Chip& chip, std::int64_t lanes,
                                       std::int32_t output = 0);

}  // namespace pimento::pim
