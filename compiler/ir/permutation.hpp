#pragma once
// The order of dimensions.
#include <numeric>

#include "compiler/ir/tensor.hpp"

namespace pimento::ir {

/// The dimensions of a shape in the order of `perm`.
inline Shape permuted(const Shape& shape, const std::vector<std::int64_t>& perm) {
  Shape result;
  for (const std::int64_t d : perm) result.push_back(shape[static_cast<std::size_t>(d)]);
  return result;
}
inline std::vector<std::int64_t> no_permutation(std::size_t rank) {
  std::vector<std::int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

}  // namespace pimento::ir
