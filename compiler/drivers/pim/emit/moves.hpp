#pragma once
// What a step does beside the operations of its compute: the views that a transfer moves, one after the other, and the
// zeros that are written where padding begins to live. Emission writes them; who plays steps through asks for the same.
#include <vector>

#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {

/// The graph node that a core's step stands for. A contact stands for the node that made its data; a load for its first
/// reader; weights for their own.
std::uint32_t node_of(const Steps& steps, const Spatial& spatial, CoreId core, std::size_t step);

/// In global memory a value stands densely.
Located dense(const SpatialValue& value, std::int64_t base);

/// The instructions of a transfer on one core, with their addresses; targets and tags are the caller's. One view on
/// both sides moves the box at once; where some side has gaps in two directions it goes row by row, on every side
/// alike. `global`: where the value of a load or a store stands in global memory.
std::vector<FlatOp> moves(Step::Kind kind, const Transfer& transfer, CoreId core, const SpatialValue& value,
                          const std::vector<CorePlan>& plans, const Located& global);

/// A transfer as one instruction whose box stands without a gap in both memories; no addresses.
isa::Instruction packed_move(Step::Kind kind, const Transfer& transfer, const SpatialValue& value);

/// Padding columns are zeroed when a life of a buffer begins, padding rows where they are first touched.
class Padding {
 public:
  Padding(const CorePlan& plan, const Spatial& spatial)
      : plan_(plan), spatial_(spatial), born_(plan.buffers.size(), -1) {}
  /// What must be zeroed before the step at `time` (CorePlan::time) touches this; steps come in their order.
  std::vector<FlatOp> before(const Access& access, int time);

 private:
  const CorePlan& plan_;
  const Spatial& spatial_;
  std::vector<int> born_;  ///< by buffer: the last step at which a life of it began
};

}  // namespace pimento::pim
