#pragma once
// The matrices of a graph on one chip: which nodes become weight tiles, how each is cut, and how replicate() spreads
// it.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/drivers/pim/spatial/replicate.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"

namespace pimento::pim {

struct SpatialOptions;

/// A contraction of the graph as tiles; copies come from the replication.
struct MatrixNode {
  std::int32_t node = 0;
  std::shared_ptr<const Contracted> contraction;
  ir::ValueId data = ir::no_value;  ///< where the streamed content stands
  std::vector<std::int32_t> tiles;  ///< all tiles: by column block, then strip
  std::int32_t strips_of_block = 1;
  Grid grid;
  std::int32_t strips_per_core = 1;
  std::int32_t slices = 0;                  ///< see Spread
  std::int32_t pieces = 1;                  ///< see Spread
  std::vector<std::int32_t> round_of_tile;  ///< as `tiles`; empty: all in round 0
  std::int32_t round(std::size_t tile) const { return round_of_tile.empty() ? 0 : round_of_tile[tile]; }
  /// Strips of a block that stand together: up to strips_per_core that follow each other, of one round.
  struct Part {
    std::size_t first = 0, count = 0;
  };
  std::vector<Part> parts() const;
};

/// The tiles of the matrices of one graph on one chip.
struct CutMatrices {
  struct Made {
    std::int32_t strips_of_block = 1;
    std::vector<WeightTile> tiles;
  };
  std::map<std::pair<std::int32_t, std::int32_t>, Made> made;  ///< by node and windows of an MVM
};

struct Matrices {
  std::vector<MatrixNode> nodes;
  std::vector<std::int32_t> of_node;  ///< graph node -> index into nodes, or -1
  std::vector<WeightTile> tiles;
  Cycles best_interval = 0;  ///< of any copies within the budget, see replicate.hpp
};

/// Throws UserError when the matrices do not fit into the rounds that are asked for.
Matrices plan_matrices(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                       const std::vector<Layout>& layouts, const std::vector<Root>& roots,
                       const SpatialOptions& options);

/// The spreads alone, by matrix in the order of the nodes.
std::vector<Spread> plan_spreads(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                                 const std::vector<Layout>& layouts, const std::vector<Root>& roots,
                                 const SpatialOptions& options);

/// First of the i-th of `parts` nearly equal parts of an extent.
std::int32_t begin_of(std::int32_t extent, std::int32_t parts, std::int32_t i);
/// The same for the i-th of the grid's blocks along positions; the last one ends with the extent.
std::int32_t begin_of_block(std::int32_t positions, const Grid& grid, std::int32_t i);
/// And where such a block is cut into pieces, for the k-th of them.
std::int32_t begin_of_piece(std::int32_t positions, const MatrixNode& matrix, std::int32_t i, std::int32_t k);
/// ONNX name of a node, or its operator.
std::string label(const ir::Node& node);

}  // namespace pimento::pim
