#pragma once
// How many copies of each weight matrix stand on the chip, and which output positions each copy serves.
//
// One image streams through all layers row by row, so its time is about the largest load of a core plus the tail: what
// the layers still have to do when the last row arrives. A layer with R x P output positions, cut into px stripes of
// positions (and py blocks of rows, where positions are too few), makes a row in
//   row time = ceil(P / px) * t_mvm * max(1, ceil(px * tiles / cores)),
// since a core does one MVM at a time; its copies cost py * px * X crossbars. First every layer gets the copies without
// which one of its classes would be longer than an even share of all work; then the remaining crossbars go, one layer
// at a time, where they shorten the tail (lag rows * row time, summed over the layers) most per crossbar.
#include <cstdint>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::pim {

struct ReplicationDemand {
  std::string name;  ///< ONNX node, for the capacity message
  std::int32_t rows = 1, positions = 1;
  std::int32_t tiles = 1;      ///< strips x column blocks of all matrices: MVMs of one output position
  std::int32_t crossbars = 1;  ///< of one copy
  Cycles mvm_cycles = 1;
  std::int32_t lag_rows = 1;  ///< rows that wait for the last input row: ceil(window rows / row stride), 1 at least
};
struct Grid {
  std::int32_t rows = 1, positions = 1;  ///< blocks along rows and positions
  std::int32_t copies() const { return rows * positions; }
  bool operator==(const Grid&) const = default;
};

/// Stripes first: the fewest copies whose largest block has at most `block` positions.
Grid grid_for(std::int32_t rows, std::int32_t positions, std::int64_t block);
/// Time of one row, and of all rows of one copy, in the model above; core clock.
Cycles row_cycles(const ReplicationDemand& demand, const Grid& grid, std::int32_t cores);
Cycles layer_cycles(const ReplicationDemand& demand, const Grid& grid, std::int32_t cores);
/// One grid per demand. Throws UserError with demand, supply and the largest layers when one copy of each does not fit.
std::vector<Grid> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                            std::int64_t crossbar_budget);

}  // namespace pimento::pim
