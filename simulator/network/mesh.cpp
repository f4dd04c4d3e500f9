// A mesh: x first, then y; at flit level also two turn models that adapt.
//
// west_first (Glass and Ni, ISCA 1992): whatever must go left goes left first; the rest adapts. odd_even (Chiu, IEEE
// TPDS 2000): in even columns no message turns from going right to up or down, in odd columns none turns from up or
// down to going left; the rest adapts. Either leaves no cycle of links that could wait for each other.
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

enum Direction : std::uint32_t { right, left, down, up };

class Mesh final : public Grid {
 public:
  explicit Mesh(const isa::Chip& chip) : Grid(chip), routing_(chip.network.routing) {}

  void ways(std::uint32_t source, std::uint32_t router, std::uint32_t to, std::vector<Way>& found) const override {
    if (routing_ == isa::Routing::xy) return Routes::ways(source, router, to, found);
    found.clear();
    const auto may = [&](Direction d) { found.push_back(beside(router, d)); };
    const bool level = y(router) == y(to);
    const Direction vertical = y(to) > y(router) ? down : up;
    if (routing_ == isa::Routing::west_first) {
      if (x(to) < x(router)) return may(left);
      if (x(to) > x(router)) may(right);
      if (!level) may(vertical);
      return;
    }
    if (x(to) == x(router)) return may(vertical);
    if (x(to) > x(router)) {
      if (level) return may(right);
      if (x(router) % 2 == 1 || x(router) == x(source)) may(vertical);
      if (x(to) % 2 == 1 || x(to) - x(router) != 1) may(right);
      return;
    }
    may(left);
    if (x(router) % 2 == 0 && !level) may(vertical);
  }

 private:
  Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const override {
    const std::uint32_t here = x(router), there = x(to);
    const Way way = beside(router, there > here ? right : there < here ? left : to > router ? down : up);
    next = way.next;
    return way.link;
  }
  isa::Routing routing_;
};

const bool registered = register_routed<Mesh>("mesh", "rows and columns; x first, then y");

}  // namespace
}  // namespace pimento::sim
