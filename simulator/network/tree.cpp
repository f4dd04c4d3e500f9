// A tree of routers: `tree_arity` cores at each router of the lowest row, as many routers below each router of the rows
// above, up to a single one. A message climbs to the first router that is above its destination too, then descends.
// Nothing that descends climbs again, so no links wait for each other in a cycle.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

/// First router of each row, the lowest row first; the last entry is their number.
std::vector<std::uint32_t> rows(const isa::Chip& chip) {
  const auto arity = static_cast<std::uint32_t>(std::max(chip.network.tree_arity, 2));
  std::vector<std::uint32_t> first{0};
  for (auto below = static_cast<std::uint32_t>(chip.cores); first.size() == 1 || below > 1;) {
    below = (below + arity - 1) / arity;
    first.push_back(first.back() + below);
  }
  return first;
}

class Tree final : public Routes {
 public:
  explicit Tree(const isa::Chip& chip)
      : Routes(chip, rows(chip).back(), rows(chip).back() * 2),
        arity_(static_cast<std::uint32_t>(std::max(chip.network.tree_arity, 2))),
        first_(rows(chip)) {}

 private:
  std::size_t row_of(std::uint32_t router) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), router) - first_.begin()) - 1;
  }
  std::uint32_t above(std::uint32_t router) const {
    const std::size_t row = row_of(router);
    return first_[row + 1] + (router - first_[row]) / arity_;
  }
  /// `to` is of the lowest row. Link 2n leads from router n to the one above it, link 2n + 1 back.
  Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const override {
    std::uint32_t child = to, parent = to;
    for (const std::size_t row = row_of(router); row_of(parent) < row;) {
      child = parent;
      parent = above(parent);
    }
    if (parent == router) {
      next = child;
      return child * 2 + 1;
    }
    next = above(router);
    return router * 2;
  }
  std::string link_name(Resource link) const override {
    const std::uint32_t low = link / 2;
    return link % 2 == 0 ? fmt::format("tree {}->{}", low, above(low)) : fmt::format("tree {}->{}", above(low), low);
  }

  std::uint32_t arity_;
  std::vector<std::uint32_t> first_;
};

const bool registered = register_routed<Tree>("tree", "routers above routers; up to the first common one, then down");

}  // namespace
}  // namespace pimento::sim
