#pragma once
// Interning for the decoder: instructions that cost the same get one index.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace pimento::sim {

/// What a cost depends on, word by word of the record: opcode, types, flags, strides, count, length; where it matters,
/// the target; then tile and node. Addresses, registers and constants do not count.
struct Shape {
  std::array<std::uint64_t, 6> words{};
  /// Word by word: whole vectors of words that were just written singly would wait for the writes.
  bool operator==(const Shape& other) const {
    const auto &a = words, &b = other.words;
    return a[0] == b[0] && a[2] == b[2] && a[3] == b[3] && a[1] == b[1] && a[4] == b[4] && a[5] == b[5];
  }
  std::uint64_t hash() const {
    // independent products, so that none waits for another
    constexpr std::array<std::uint64_t, 6> odd = {0x9e3779b97f4a7c15U, 0xc2b2ae3d27d4eb4fU, 0x165667b19e3779f9U,
                                                  0xd6e8feb86659fd93U, 0xff51afd7ed558ccdU, 0xc4ceb9fe1a85ec53U};
    const auto product = [&](std::size_t k) { return (words[k] ^ words[k] >> 32) * odd[k]; };
    const std::uint64_t h = product(0) + product(1) + product(2) + product(3) + product(4) + product(5);
    return h ^ h >> 32;
  }
};

/// Shapes to indices, in order of first appearance: open addressing, since a map's nodes cost more than the work.
class Interned {
 public:
  static constexpr std::uint32_t no_index = 0xffffffffU;
  void clear() {
    shapes_.clear();
    slots_.assign(256, no_index);
  }
  /// The index of a shape; a new one gets the next.
  std::uint32_t index(const Shape& shape) {
    const std::uint32_t last = last_[shape.words[0] & 0xff];  // of the same opcode: most often it is the same shape
    return last < shapes_.size() && shapes_[last] == shape ? last : search(shape);
  }

 private:
  [[gnu::noinline]] std::uint32_t search(const Shape& shape) {
    if (shapes_.size() * 2 >= slots_.size()) grow();
    std::size_t at = shape.hash() & (slots_.size() - 1);
    while (slots_[at] != no_index && !(shapes_[slots_[at]] == shape)) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at] == no_index) {
      slots_[at] = static_cast<std::uint32_t>(shapes_.size());
      shapes_.push_back(shape);
    }
    return last_[shape.words[0] & 0xff] = slots_[at];
  }
  void grow() {
    std::vector<std::uint32_t> wider(slots_.size() * 2, no_index);
    for (std::uint32_t n = 0; n < shapes_.size(); ++n) {
      std::size_t at = shapes_[n].hash() & (wider.size() - 1);
      while (wider[at] != no_index) at = (at + 1) & (wider.size() - 1);
      wider[at] = n;
    }
    slots_ = std::move(wider);
  }
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256, no_index);
  std::array<std::uint32_t, 256> last_{};
};

}  // namespace pimento::sim
