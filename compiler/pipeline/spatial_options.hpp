#pragma once
// What graph-to-spatial is asked for: by an effort of ours, or by a mapping of the user's own.
#include <memory>

#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/drivers/pim/placement/placement.hpp"
#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/drivers/pim/spatial/matrices.hpp"
#include "compiler/pipeline/efforts.hpp"

namespace pimento {

/// Of one compile: what its plans know of the matrices, they know together.
class AskedOfSpatial {
 public:
  /// `own`, where there is one, must outlive the options. `windows_per_mvm`: of CompileOptions.
  pim::SpatialOptions of(const ir::Graph& graph, const Effort& effort, int windows_per_mvm, const pim::Placement* own);

 private:
  std::shared_ptr<pim::PredictedTimes> vector_times_ = std::make_shared<pim::PredictedTimes>();
  std::shared_ptr<pim::CutMatrices> cuts_ = std::make_shared<pim::CutMatrices>();
  std::shared_ptr<pim::WaysToCut> one_window_ = std::make_shared<pim::WaysToCut>();
  std::shared_ptr<pim::WaysToCut> several_ = std::make_shared<pim::WaysToCut>();
};

/// The bounds of a program and its computes; with `kernels`, those of all nodes, also that of one position per MVM,
/// where the computes have more and it fits.
pim::Bounds bounds_of(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                      const pim::Spatial& spatial, const isa::Program& program, const pim::ConstantPool* kernels);

}  // namespace pimento
