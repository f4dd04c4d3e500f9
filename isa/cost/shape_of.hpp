#pragma once
// What the cost of a product depends on, of a tile of a program.
#include "isa/cost/cost.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::cost {

inline TileShape shape_of(const Tile& tile) { return {tile.rows, tile.cols, tile.crossbar_rows, tile.crossbar_cols}; }

}  // namespace pimento::isa::cost
