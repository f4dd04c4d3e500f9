#pragma once
// A set of small numbers, kept as bits and visited in rising order.
#include <bit>
#include <cstdint>
#include <vector>

namespace pimento::sim {

class IndexSet {
 public:
  explicit IndexSet(std::size_t size) : words_((size + 63) / 64, 0) {}
  void insert(std::uint32_t index) { words_[index / 64] |= std::uint64_t{1} << index % 64; }
  void erase(std::uint32_t index) { words_[index / 64] &= ~(std::uint64_t{1} << index % 64); }
  /// Calls visit(index) until it answers false. It may erase what it is told.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        if (!visit(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))))) return;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace pimento::sim
