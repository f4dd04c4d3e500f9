#pragma once
// A tensor as sets of elements that share their coordinates outside some axes.
#include "validation/reference/operator.hpp"

namespace pimento::reference {

/// Flat positions of each set, ascending; the sets in row-major order of the kept coordinates.
std::vector<std::vector<std::size_t>> slices(const ir::Shape& shape, const ir::Shape& axes);
/// Axes first, first + 1, ..., rank - 1.
ir::Shape axes_from(std::int64_t first, std::size_t rank);

}  // namespace pimento::reference
