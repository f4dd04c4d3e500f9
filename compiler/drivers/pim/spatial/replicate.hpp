#pragma once
// How many copies of each weight matrix stand on the chip, and which output positions each copy serves: the crossbar
// budget is spent where it shortens the sum of the layers' times most.
//
// Model: a layer with R x P output positions, S strips and B column blocks, cut into a grid of py x px blocks, takes
//   T = ceil(R / py) * ceil(P / px) * t_mvm * max(1, ceil(py * px * S * B / cores))
// since each core does one MVM at a time; the copies cost py * px * X crossbars. Layers of one image follow each other,
// so the sum of T is minimised, greedily by time won per crossbar.
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
};
struct Grid {
  std::int32_t rows = 1, positions = 1;  ///< blocks along rows and positions
  std::int32_t copies() const { return rows * positions; }
  bool operator==(const Grid&) const = default;
};

/// The grid of at most `copies` blocks whose largest block is smallest (fewest copies, then fewest row blocks, on a
/// tie).
Grid best_grid(std::int32_t rows, std::int32_t positions, std::int32_t copies);
/// Time of one layer in the model above, core clock.
Cycles layer_cycles(const ReplicationDemand& demand, const Grid& grid, std::int32_t cores);
/// One grid per demand. Throws UserError with demand, supply and the largest layers when one copy of each does not fit.
std::vector<Grid> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                            std::int64_t crossbar_budget);

}  // namespace pimento::pim
