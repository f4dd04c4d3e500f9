#pragma once
// Disjoint sets of indices; the representative of a set is its smallest member, so results do not depend on the order
// of joining.
#include <algorithm>
#include <numeric>
#include <vector>

namespace pimento::pim {

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t x = find(a);
    const std::size_t y = find(b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace pimento::pim
