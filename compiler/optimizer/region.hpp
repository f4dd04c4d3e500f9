#pragma once
// Which nodes may become one group: a region of the graph that only one value leaves. Such a region needs nothing that
// is made from its own result, so it can stand as one node where that result was made.
#include <functional>

#include "compiler/ir/graph.hpp"

namespace pimento::optimizer {

/// Which node a region may take in besides its seed.
using Accepts = std::function<bool(int node)>;
/// The seed and accepted nodes after it that read the region, as long as one value leaves; ascending. A value read
/// twice (x * sigmoid(x)) does not stop it when its readers meet again inside.
std::vector<int> grow_region(const ir::Graph& graph, const ir::Uses& uses, int seed, const Accepts& accepts);
/// A `group` node in place of the region's last node. Its body holds the region's nodes in order; every value from
/// outside, constants included, is an input. The region's other nodes are left for the caller to remove.
ir::Node make_group(const ir::Graph& graph, const std::vector<int>& region);

}  // namespace pimento::optimizer
