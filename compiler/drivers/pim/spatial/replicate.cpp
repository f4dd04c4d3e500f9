#include "compiler/drivers/pim/spatial/replicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void refuse(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, std::int64_t needed) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return demands[a].crossbars > demands[b].crossbars; });
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
    largest += fmt::format("{}'{}' {}", i ? ", " : "", demands[order[i]].name, demands[order[i]].crossbars);
  throw UserError(fmt::format("chip '{}', stage graph-to-spatial: {} crossbars needed, {} on the chip; largest: {}",
                              chip.name, needed, std::int64_t{chip.cores} * chip.core.crossbars, largest));
}
}  // namespace

Grid best_grid(std::int32_t rows, std::int32_t positions, std::int32_t copies) {
  Grid best;
  std::int64_t smallest = std::int64_t{rows} * positions;
  for (std::int32_t py = 1; py <= std::min(rows, copies); ++py)
    for (std::int32_t px = 1; px <= std::min(positions, copies / py); ++px) {
      const std::int64_t block = ceil_div(rows, py) * ceil_div(positions, px);
      if (block < smallest || (block == smallest && py * px < best.copies())) {
        smallest = block;
        best = {py, px};
      }
    }
  return best;
}

Cycles layer_cycles(const ReplicationDemand& d, const Grid& grid, std::int32_t cores) {
  const std::int64_t busy = std::max<std::int64_t>(1, ceil_div(std::int64_t{grid.copies()} * d.tiles, cores));
  return ceil_div(d.rows, grid.rows) * ceil_div(d.positions, grid.positions) * d.mvm_cycles * busy;
}

std::vector<Grid> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                            std::int64_t crossbar_budget) {
  std::int64_t used = 0;
  for (const ReplicationDemand& d : demands) used += d.crossbars;
  if (used > std::int64_t{chip.cores} * chip.core.crossbars) refuse(demands, chip, used);

  // candidates of each layer: grids that are faster than every grid with fewer copies
  struct Candidate {
    Grid grid;
    Cycles cycles;
  };
  std::vector<std::vector<Candidate>> candidates(demands.size());
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const ReplicationDemand& d = demands[i];
    for (std::int32_t copies = 1; copies <= chip.cores && copies <= d.rows * d.positions; ++copies) {
      const Grid grid = best_grid(d.rows, d.positions, copies);
      const Cycles cycles = layer_cycles(d, grid, chip.cores);
      if (candidates[i].empty() || cycles < candidates[i].back().cycles) candidates[i].push_back({grid, cycles});
    }
  }
  std::vector<std::size_t> chosen(demands.size(), 0);
  while (true) {
    std::size_t best = demands.size();
    std::size_t best_candidate = 0;
    double best_gain = 0;
    for (std::size_t i = 0; i < demands.size(); ++i)
      for (std::size_t c = chosen[i] + 1; c < candidates[i].size(); ++c) {
        const std::int64_t extra =
            std::int64_t{candidates[i][c].grid.copies() - candidates[i][chosen[i]].grid.copies()} *
            demands[i].crossbars;
        if (used + extra > crossbar_budget) break;
        const double gain = static_cast<double>(candidates[i][chosen[i]].cycles - candidates[i][c].cycles) /
                            static_cast<double>(std::max<std::int64_t>(1, extra));
        if (gain > best_gain) {
          best_gain = gain;
          best = i;
          best_candidate = c;
        }
      }
    if (best == demands.size()) break;
    used +=
        std::int64_t{candidates[best][best_candidate].grid.copies() - candidates[best][chosen[best]].grid.copies()} *
        demands[best].crossbars;
    chosen[best] = best_candidate;
  }
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < demands.size(); ++i) grids.push_back(candidates[i][chosen[i]].grid);
  return grids;
}

}  // namespace pimento::pim
