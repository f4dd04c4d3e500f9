#pragma once
// A product on an array group as its slices: what each takes, how they follow one another, how many there are.
#include "isa/cost/cost.hpp"

namespace pimento::isa::cost {

/// Rows in use on the fullest crossbar of a tile.
std::int64_t rows_used(const Chip& chip, const TileShape& tile);
/// Slices over all groups of active rows and phases.
std::int64_t dac_steps(const Chip& chip, const TileShape& tile, ElementType input);

/// A product's slices, one after the other, and what is left when the next product's could begin.
struct Product {
  Cycles occupied = 0, drain = 0;
};
Product product(const Chip& chip, const TileShape& tile, ElementType input);

}  // namespace pimento::isa::cost
