#pragma once
// The blocked path, part 1: which loops a kernel runs and how its tensors are addressed.
//
// A block is a run of points along one loop, the lane loop; every scalar of the kernel becomes an array over the lanes.
// Normally the lanes are parallel points, so each lane's reduction is sequential and keeps its written order. Where
// there are few parallel points and long reductions (a softmax over one row) the lanes are points of the innermost
// reduction loop: bodies are evaluated in lanes, then taken in one after another in order.
#include <unordered_map>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_run.hpp"

namespace pimento::ir {

/// Adjacent axes of one kind that every access sees as one.
struct Loop {
  AxisKind kind;
  std::int64_t extent;
  std::vector<int> axes;  ///< outermost first; more than one only if no expression sees them apart
};

/// An affine function of the loops.
struct LoopAffine {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;  ///< one per loop
};

/// How a load or a write finds its element: an affine offset, affine dimensions that must be checked, and dimensions
/// whose index is an expression.
struct Access {
  struct Check {
    Affine over_axes;
    LoopAffine index;
    std::int64_t extent;
    std::size_t dimension;
  };
  struct General {
    Expr index;
    std::int64_t stride, extent;
    std::size_t dimension;
  };
  int operand = 0;
  OutOfRange rule = OutOfRange::error;
  Affine flat_over_axes;
  LoopAffine flat;
  std::vector<Check> checks;
  std::vector<General> general;
  bool may_leave() const { return !checks.empty() || !general.empty(); }
};

struct LanePlan {
  std::vector<Loop> loops;                        ///< parallel, then carried, then reduction; each kind outermost first
  int lane_loop = -1;                             ///< -1: one lane, no loop
  bool lanes_reduce = false;                      ///< the lane loop is the innermost reduction loop
  std::vector<int> loop_of_axis;                  ///< -1 for axes of extent 1
  std::unordered_map<const void*, Access> loads;  ///< by node identity of the Load
  std::vector<Access> writes;                     ///< one per output
};
LanePlan plan_lanes(const KernelRun& run);

}  // namespace pimento::ir
