#pragma once
// How every weight matrix is spread over the chip: how many copies of it, which output positions each copy serves, and
// how many strips of it share a core.
//
// One image streams through all layers row by row. A layer has R rows of P positions, S strips and B column blocks; px
// stripes of positions and k strips on a core (m = ceil(S / k) cores a copy, whose m - 1 partial sums travel) take
//   row time = ceil(P / px) * B * (ceil(k / together) * t_mvm + (m > 1 ? (m - 1) / slices + 1 : 0) * t_partial)
//   load     = R * P * B * (S * t_mvm + 2 (m - 1) * t_partial)     core cycles in all, both ends of a message counted
//   crossbars = px * X
// where `together` MVMs overlap on one core (its window). The time of the image is about the load per core plus the
// tail: what is left when the last row arrives, lag rows * row time of every layer, times a weight of at least 1,
// since a row also queues behind the other layers of its cores. Both are minimised together under the crossbar budget,
// by a price per crossbar that is raised until the budget holds (Lagrangian relaxation). Which weight is best depends
// on network and chip; the pipeline tries some and keeps the plan whose schedule ends first.
//
// A "position" here is one MVM's: a tile that makes several neighbouring positions at once has fewer of them, more
// columns and taller windows. Every such way to cut a matrix is a demand of its own, and one of them is taken.
#include <cstdint>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {

struct ReplicationDemand {
  std::string name;  ///< ONNX node, for the capacity message
  std::int32_t rows = 1;
  std::int32_t positions = 1;        ///< MVMs of a row
  std::int32_t windows = 1;          ///< positions of the output that one MVM makes
  std::int32_t strips = 1;           ///< of one column block
  std::int32_t blocks = 1;           ///< column blocks of all matrices
  std::int32_t crossbars = 1;        ///< of one copy
  std::int32_t strip_crossbars = 1;  ///< of the largest tile
  std::int32_t columns = 1;          ///< of a column block, what one window makes
  std::int32_t lag_rows = 1;         ///< output rows that wait for the last input row
  Bytes element = 1;                 ///< of one weight
  Cycles mvm_cycles = 1;             ///< one MVM
  Cycles partial_cycles = 0;         ///< one position's partial sum from core to core
  bool one_copy = false;             ///< its strips stand in several rounds: there is one of each
};
/// By matrix: its demand cut in each of its ways, the one of fewest crossbars first.
using WaysToCut = std::vector<std::vector<ReplicationDemand>>;
/// Positions that one MVM shall make as the user asks, and where.
struct AskedWindows {
  std::int32_t windows = 1;
  Place place;
};
struct Grid {
  std::int32_t rows = 1, positions = 1;  ///< blocks along rows and positions
  std::int32_t windows = 1;              ///< positions that one MVM makes: blocks begin at multiples of it
  std::int32_t copies() const { return rows * positions; }
  bool operator==(const Grid&) const = default;
};
struct Spread {
  Grid grid;
  std::int32_t strips_per_core = 1;
  std::int32_t slices = 0;  ///< in which partial sums are added up; 0: as few as combine_slices says
  std::int32_t pieces = 1;  ///< of a copy's row, each a compute: between two the core is free for what is more urgent
  bool operator==(const Spread&) const = default;
};

/// What spreads are chosen for.
struct SpreadGoal {
  double tail_weight = 1;
  /// Core cycles that every compute and message costs beside its own time: ports, links and buffers where others wait.
  /// 0 where a schedule is played through and so counts them itself.
  Cycles handling_cycles = 0;
  /// What every crossbar costs that is written while the program runs.
  double crossbar_cycles = 0;
  /// What one core does of a layer shall be no longer than this part of its even share of all work: for a stream, whose
  /// interval is the busiest core's work, small pieces come to even loads.
  double class_share = 1;
  /// Partial sums are added up in as many slices as have so many bytes each, or there are parts: more messages, of
  /// which fewer wait for the same core. 0: in as few as combine_slices says.
  Bytes slice_bytes = 0;
  /// MVMs of a piece of a row at least; 0: a copy's row is one compute.
  std::int32_t piece_mvms = 0;
  bool operator==(const SpreadGoal&) const = default;
};

/// Slices in which the partial sums of many parts are added up: as many as are asked for, or for 0 as have about eight
/// messages each; each is at least one pass of the vector unit.
std::int32_t combine_slices(const isa::Chip& chip, std::int32_t parts, std::int32_t channels, std::int32_t asked);
/// The model above; core clock.
Cycles row_cycles(const ReplicationDemand& demand, const Spread& spread, const isa::Chip& chip);
Cycles load_cycles(const ReplicationDemand& demand, const Spread& spread);
/// The longest class: what one core does of the layer at least.
Cycles class_cycles(const ReplicationDemand& demand, const Spread& spread, const isa::Chip& chip);
/// The shortest interval of a stream that any spreads within the budget allow, by the same model: no core may have more
/// of a layer than its longest class, nor all cores together more than their even share.
Cycles best_interval(const WaysToCut& ways, const isa::Chip& chip, std::int64_t spare_crossbars);
/// One spread per demand; `spare_crossbars` is what copies beyond the first of each may use. Throws UserError with
/// demand, supply and the largest layers when one copy of each does not fit.
std::vector<Spread> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                              std::int64_t spare_crossbars, const SpreadGoal& goal = {});
/// The same where each matrix may be cut in several ways: Grid::windows says which is taken. `spare_crossbars`: beyond
/// one copy of the first of each.
std::vector<Spread> replicate(const WaysToCut& ways, const isa::Chip& chip, std::int64_t spare_crossbars,
                              const SpreadGoal& goal = {});

/// The time of the image by the same model, with the spreads that replicate() takes; core cycles.
double replicated_time(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                       std::int64_t spare_crossbars, const SpreadGoal& goal);

}  // namespace pimento::pim
