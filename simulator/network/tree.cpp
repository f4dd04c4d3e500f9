// A tree of routers: `tree_arity` cores at each router of the lowest row, as many routers below each router of the rows
// above, up to a single one. A message climbs to the first router that is above its destination too, then descends.
// Nothing that descends climbs again, so no links wait for each other in a cycle.
#include <fmt/format.h>

#include <utility>

#include "isa/cost/ways.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

class Tree final : public Routes {
 public:
  explicit Tree(const isa::Chip& chip) : Tree(chip, isa::cost::TreeRows(chip)) {}

 private:
  Tree(const isa::Chip& chip, isa::cost::TreeRows rows)
      : Routes(chip, rows.routers(), rows.routers() * 2), rows_(std::move(rows)) {}

  Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const override {
    return rows_.leave(router, to, next);
  }
  std::string link_name(Resource link) const override {
    const std::uint32_t low = link / 2;
    return link % 2 == 0 ? fmt::format("tree {}->{}", low, rows_.above(low))
                         : fmt::format("tree {}->{}", rows_.above(low), low);
  }

  isa::cost::TreeRows rows_;
};

const bool registered = register_routed<Tree>("tree", "routers above routers; up to the first common one, then down");

}  // namespace
}  // namespace pimento::sim
