// A torus: a mesh whose rows and columns are closed to rings. x first, then y, in each the shorter way round; to the
// right or down when both are as long.
//
// A ring of links could wait for itself, so its virtual channels fall into two classes (Dally and Seitz, IEEE TC 1987):
// a message that has still to cross the link from the last place to the first, or back, uses the first class, and the
// second when that is behind it or never comes. Within a class no link waits for one that waits for it.
#include "isa/cost/ways.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

class Torus final : public Grid {
 public:
  explicit Torus(const isa::Chip& chip) : Grid(chip) {}

  int channel_classes() const override { return 2; }
  int channel_class(std::uint32_t router, std::uint32_t to, Resource link) const override {
    const bool in_row = link % 4 < 2;
    const std::uint32_t here = in_row ? x(router) : y(router), there = in_row ? x(to) : y(to);
    const bool rising = link % 2 == 0;
    return (rising ? there < here : there > here) ? 0 : 1;
  }

 private:
  Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const override {
    const bool in_row = x(router) != x(to);
    const bool rising =
        in_row ? isa::cost::rises(x(router), x(to), width_) : isa::cost::rises(y(router), y(to), height_);
    const Way way = beside(router, (in_row ? 0U : 2U) + (rising ? 0U : 1U));
    next = way.next;
    return way.link;
  }
};

const bool registered =
    register_routed<Torus>("torus", "rows and columns closed to rings; x first, then y, the shorter way round");

}  // namespace
}  // namespace pimento::sim
