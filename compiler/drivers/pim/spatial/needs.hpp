#pragma once
// Which part of each node input a physical box of the node's output needs: ir::needed through the node's kernels, from
// the last to the first.
#include <vector>

#include "compiler/drivers/pim/spatial/layout.hpp"
#include "compiler/ir/analysis.hpp"

namespace pimento::pim {

/// The logical box (an enclosure) of a physical box.
ir::Box to_logical(const Layout& layout, const ir::Shape& shape, const PBox& box);
/// One logical box per node input (empty when it is not read). `first_call` skips the kernels before it (an epilogue);
/// the box is one of the node's output `output_index`.
std::vector<ir::Box> needed_inputs(const ir::Graph& graph, const ir::Node& node, const ir::KernelSequence& sequence,
                                   const ir::Box& output, std::size_t first_call = 0, int output_index = 0);
PBox physical(const Layout& layout, const ir::Shape& shape, const ir::Box& box);

}  // namespace pimento::pim
