#pragma once
// The ways through a network of routers: which resources a message holds, one after the other. The simulator has its
// own description of the same topologies (simulator/network); a test there holds the two to each other.
#include <cstdint>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::isa::cost {

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
  std::uint32_t row_of(std::uint32_t router) const;

  const Chip& chip_;
  std::uint32_t cores_, channels_, width_ = 1, height_ = 1, links_ = 0;
  std::vector<std::uint32_t> first_;  ///< tree: first router of each row, the lowest row first
};

}  // namespace pimento::isa::cost
