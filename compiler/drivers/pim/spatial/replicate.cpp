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
/// Spends what is left of the budget where the tail shrinks most per crossbar.
void shorten_tail(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, std::int64_t budget,
                  std::int64_t used, std::vector<Grid>& grids) {
  while (true) {
    std::size_t best = demands.size();
    Grid best_grid;
    double best_gain = 0;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      const ReplicationDemand& d = demands[i];
      const Cycles now = row_cycles(d, grids[i], chip.cores);
      // the next stripe counts that shorten a row
      for (std::int32_t px = grids[i].positions + 1;
           px <= d.positions && std::int64_t{px} * grids[i].rows * d.tiles <= chip.cores; ++px) {
        const Grid grid{grids[i].rows, px};
        const std::int64_t extra = std::int64_t{grid.copies() - grids[i].copies()} * d.crossbars;
        if (used + extra > budget) break;
        const double gain = static_cast<double>((now - row_cycles(d, grid, chip.cores)) * d.lag_rows) /
                            static_cast<double>(std::max<std::int64_t>(1, extra));
        if (gain > best_gain) {
          best_gain = gain;
          best = i;
          best_grid = grid;
        }
      }
    }
    if (best == demands.size()) return;
    used += std::int64_t{best_grid.copies() - grids[best].copies()} * demands[best].crossbars;
    grids[best] = best_grid;
  }
}
}  // namespace

Grid grid_for(std::int32_t rows, std::int32_t positions, std::int64_t block) {
  block = std::max<std::int64_t>(block, 1);
  Grid grid;
  // stripes of whole columns while one column fits, then blocks of rows of single columns
  const std::int64_t columns = std::clamp<std::int64_t>(block / rows, 1, positions);
  grid.positions = static_cast<std::int32_t>(ceil_div(positions, columns));
  if (rows > block) grid.rows = static_cast<std::int32_t>(ceil_div(rows, block));
  return grid;
}

Cycles row_cycles(const ReplicationDemand& d, const Grid& grid, std::int32_t cores) {
  const std::int64_t busy = std::max<std::int64_t>(1, ceil_div(std::int64_t{grid.positions} * d.tiles, cores));
  return ceil_div(d.positions, grid.positions) * d.mvm_cycles * busy;
}

Cycles layer_cycles(const ReplicationDemand& d, const Grid& grid, std::int32_t cores) {
  return ceil_div(d.rows, grid.rows) * row_cycles(d, grid, cores);
}

std::vector<Grid> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                            std::int64_t crossbar_budget) {
  std::int64_t used = 0;
  std::int64_t work = 0;
  for (const ReplicationDemand& d : demands) {
    used += d.crossbars;
    work += std::int64_t{d.rows} * d.positions * d.tiles * d.mvm_cycles;
  }
  if (used > std::int64_t{chip.cores} * chip.core.crossbars) refuse(demands, chip, used);

  // The even share is what a core would do were all work spread evenly; when the budget does not allow classes that
  // short, twice the share is tried, and so on.
  std::vector<Grid> grids(demands.size());
  const std::int64_t one_copy = used;
  for (std::int64_t share = std::max<std::int64_t>(1, work / chip.cores);; share *= 2) {
    used = 0;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      const ReplicationDemand& d = demands[i];
      grids[i] = grid_for(d.rows, d.positions, share / d.mvm_cycles);
      if (grids[i].copies() * d.tiles > chip.cores)
        grids[i] = grid_for(d.rows, d.positions, ceil_div(std::int64_t{d.rows} * d.positions * d.tiles, chip.cores));
      used += std::int64_t{grids[i].copies()} * d.crossbars;
    }
    if (used <= std::max(crossbar_budget, one_copy)) break;
  }
  shorten_tail(demands, chip, crossbar_budget, used, grids);
  return grids;
}

}  // namespace pimento::pim
