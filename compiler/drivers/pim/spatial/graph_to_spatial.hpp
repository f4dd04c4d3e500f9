#pragma once
// Stage graph-to-spatial: nodes become computes. A contraction with a constant operand becomes weight tiles in several
// copies, one MVM compute per tile, copy and row of the copy's block of output positions, and (with several strips) one
// compute that adds the partial sums; every other node becomes one vector compute per row and block of positions.
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/drivers/pim/lower/select.hpp"
#include "compiler/drivers/pim/spatial/replicate.hpp"
#include "compiler/drivers/pim/spatial/rounds.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "isa/support/hash.hpp"

namespace pimento::pim {

struct PredictedTime {
  Cycles cycles = 0, alone = 0;        ///< Compute's
  std::shared_ptr<const Alike> alike;  ///< null where nothing overlaps on a core
};
/// By what a compute is and the shape of what it reads and writes.
struct HashOfKey {
  std::size_t operator()(const std::vector<std::int32_t>& key) const {
    return hash64(key.data(), key.size() * sizeof(std::int32_t));
  }
};
using PredictedTimes = std::unordered_map<std::vector<std::int32_t>, PredictedTime, HashOfKey>;

struct CutMatrices;

struct SpatialOptions {
  bool replicate = true;
  /// Share of the crossbars left by one copy of everything that further copies may use (packing needs some air).
  double crossbar_share = 1.0;
  /// The user's own spread of a node, from the rows and positions of its output and the strips of a copy; empty:
  /// replicate() chooses.
  std::function<Spread(std::int32_t node, std::int32_t rows, std::int32_t positions, std::int32_t strips)> spread_of =
      {};
  /// The windows of that spread, which come first: they decide the strips.
  std::function<AskedWindows(std::int32_t node, std::int32_t positions)> windows_of = {};
  /// The user's own rounds of a node's tiles (column block by column block, strips in order), beside spread_of.
  std::function<std::vector<std::int32_t>(std::int32_t node, std::int32_t strips, std::int32_t tiles)> rounds_of = {};
  SpreadGoal goal{};
  int rounds = 1;  ///< how often the crossbars hold other weights (rounds.hpp), where rounds_of does not say
  /// By node, the ways to cut its matrices: written by the first who plans with it, read by all others that plan for
  /// the same graph, chip, numerics and windows_per_mvm. None: cut anew.
  std::shared_ptr<WaysToCut> ways = {};
  /// The tiles of matrices, which further mappings of the same graph on the same chip share. None: cut anew.
  std::shared_ptr<CutMatrices> cuts = {};
  /// The times of vector computes, which further mappings of the same graph on the same chip share. None: each for
  /// itself.
  std::shared_ptr<PredictedTimes> vector_times = {};
  int windows_per_mvm = 1;  ///< output positions that one MVM may make; any_windows: as many as pay
};
inline constexpr int any_windows = 0;

struct SpatialStatistics {
  std::int64_t computes = 0, batches = 0, classes = 0, values = 0, mvms = 0, crossbars_used = 0;
  Cycles best_interval = 0;  ///< see replicate.hpp
};

/// What the later stages need besides the computes: values by graph value, and the pool that selection fills.
struct SpatialResult {
  Spatial spatial;
  SpatialStatistics statistics;
};

/// Throws UserError when the model does not fit (needed, present, largest layers) or a node cannot be lowered.
SpatialResult graph_to_spatial(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                               ConstantPool& pool, const SpatialOptions& options);

/// How graph_to_spatial would spread each weight matrix, in the order of the nodes: goals that spread alike make the
/// same computes.
std::vector<Spread> planned_spreads(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                                    const SpatialOptions& options);

/// In how many rounds the graph's matrices fit (rounds.hpp).
RoundRange range_of_rounds(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, bool apart = false);

}  // namespace pimento::pim
