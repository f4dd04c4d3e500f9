#pragma once
// Stage merge: joins computes where no lane is lost and no path lengthens.
//   movement merge  a compute that only moves one box to another place (a part of a concatenation, an identity) joins
//   the
//                   computes that make that box: they write to its destination. One copy and one step less on the path,
//                   and every remaining compute keeps its lanes.
#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {

class ConstantPool;

struct MergeStatistics {
  std::int64_t moves_merged = 0, values_removed = 0, moves_kept = 0;
};
/// `pool`: has or gets the kernels of the graph's nodes.
Spatial merge(Spatial spatial, const ir::Graph& graph, ConstantPool& pool, MergeStatistics& statistics);
/// Longest chain of computes, in core cycles, transfers not counted.
Cycles critical_path(const Spatial& spatial, const Producers& producers);

}  // namespace pimento::pim
