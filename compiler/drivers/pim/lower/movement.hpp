#pragma once
// Index maps that are not affine (reshape, shuffle, resize, tables), cut into pieces that are: each dimension's map is
// split into runs x -> first + step * x, or with a radix q, x -> first + outer * (x // q) + inner * (x % q).
#include "compiler/drivers/pim/lower/stored.hpp"

namespace pimento::pim {

/// One piece of a copy: the dimensions of the nest refined to `extents`.
struct CopyPiece {
  Extents extents;
  View from, to;
};
/// Pieces of `to[x] = from at (logical indices)`, x over the axes `dims` of the domain. `to` has a step per entry of
/// dims.
std::vector<CopyPiece> copy_pieces(const Constants& constants, const std::vector<ir::Expr>& indices, const Stored& from,
                                   const View& to, const std::vector<int>& dims, const Domain& domain);
/// The view of a load over the nest of `dims`, when its map is affine there.
std::optional<View> affine_view(const std::vector<ir::Expr>& indices, const Stored& from, const std::vector<int>& dims,
                                const Domain& domain);

}  // namespace pimento::pim
