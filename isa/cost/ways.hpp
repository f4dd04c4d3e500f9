#pragma once
// The ways through a network of routers: which resources a message holds, one after the other. The simulator has its
// own description of the same topologies (simulator/network), but for what stands here apart from Ways; a test there
// holds the two to each other.
#include <cstdint>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::isa::cost {

/// Whether the shorter way round a ring goes upwards, also when both are as long.
constexpr bool rises(std::uint32_t from, std::uint32_t to, std::uint32_t size) {
  return 2 * ((to + size - from) % size) <= size;
}

/// The routers of a tree, numbered row by row, the lowest row first.
class TreeRows {
 public:
  TreeRows() = default;
  explicit TreeRows(const Chip& chip);
  std::uint32_t routers() const { return first_.back(); }
  std::uint32_t row_of(std::uint32_t router) const;
  std::uint32_t above(std::uint32_t router) const;
  /// The link that leaves a router for another one, of the lowest row: 2n from router n to the one above it, 2n + 1
  /// back; and the router behind it.
  std::uint32_t leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const;

 private:
  std::uint32_t arity_ = 2;
  std::vector<std::uint32_t> first_{0};  ///< router of each row; the last entry is their number
};

class Ways {
 public:
  /// Of any topology but `table`, which shares nothing.
  explicit Ways(const Chip& chip);
  /// Whether the chip's topology is one of these.
  static bool knows(const Chip& chip);
  /// How many resources there are: directed links, a port out of the network for each core and each memory channel, one
  /// into it for each memory channel. A channel's position is chip.cores + its number.
  std::uint32_t count() const { return links_ + cores_ + 2 * channels_; }
  bool is_link(std::uint32_t resource) const { return resource < links_; }
  /// What a message from one position to another holds, in order: from a channel its port first, then links, then the
  /// port of its destination.
  std::vector<std::uint32_t> between(std::uint32_t source, std::uint32_t destination) const;

 private:
  std::uint32_t router_of(std::uint32_t position) const;
  /// The link that leaves a router for another one, and the router behind it.
  std::uint32_t leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const;

  const Chip& chip_;
  std::uint32_t cores_, channels_, width_ = 1, height_ = 1, links_ = 0;
  TreeRows tree_;
};

}  // namespace pimento::isa::cost
