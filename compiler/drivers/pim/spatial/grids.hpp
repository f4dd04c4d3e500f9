#pragma once
// How what no matrix makes is cut into blocks of rows and positions: after what it is made of.
#include <algorithm>

#include "compiler/drivers/pim/spatial/replicate.hpp"
#include "compiler/drivers/pim/spatial/spatial.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {

/// Blocks of what is made begin where blocks of what is read do, as far as the extents are in proportion.
inline Grid in_proportion(Grid grid, std::int32_t from, std::int32_t to) {
  const std::int64_t scaled = std::int64_t{grid.windows} * to;
  const bool fits = to > 0 && from > 0 && scaled % from == 0;
  grid.windows = fits ? static_cast<std::int32_t>(std::max<std::int64_t>(1, scaled / from)) : 1;
  return grid;
}

/// Rows of what is rearranged are no rows of what it is made of: a head has every token, a window some of each row. All
/// rows together have as many pieces as that is `made` in (or `grid` says), but a reader needs most of a row, and one
/// in many pieces takes as many messages to each: at most 8 pieces, none of less than 32 bytes. `grid`: the
/// proportional one; `element`: its bytes.
inline Grid cut_rearranged(Grid grid, const Layout& where, std::int64_t made, Bytes element) {
  constexpr Bytes least_piece = 32;
  constexpr std::int64_t most_pieces = 8;
  const Bytes row = std::int64_t{where.positions} * where.channels * element;
  const std::int64_t most = std::max<std::int64_t>(grid.positions, ceil_div(made, std::max(1, where.rows)));
  const std::int64_t pieces = std::clamp<std::int64_t>(row / least_piece, 1, std::min(most, most_pieces));
  grid.positions = static_cast<std::int32_t>(pieces);
  grid.windows = static_cast<std::int32_t>(std::max<std::int64_t>(1, ceil_div(where.positions, pieces)));
  return grid;
}

}  // namespace pimento::pim
