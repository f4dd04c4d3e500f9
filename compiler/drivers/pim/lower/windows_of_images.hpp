#pragma once
// Rows of several images (a batch, a depth) stand one after another, so a window at the edge of one image would read
// the next one where the kernel reads padding. Such rows are found here, from the kernel's own index maps.
#include "compiler/drivers/pim/lower/nest.hpp"

namespace pimento::pim {

/// Whether rows of several images stand one after another in a value.
bool has_several_images(const SelectContext& context, const SpatialValue& value);
/// By segment of the tile's window: whether it lies outside the image that output row `row` belongs to while another
/// image's row stands there. Empty when no segment does. `layout`: of the node's output.
std::vector<bool> segments_outside(const SelectContext& context, const WeightTile& tile, const SpatialValue& read,
                                   const Layout& layout, std::int32_t row);

}  // namespace pimento::pim
