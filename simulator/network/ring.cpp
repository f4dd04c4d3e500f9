// A ring of routers, a link to each neighbour. A message goes the shorter way round, upwards when both are as long.
// Virtual channels fall into the two classes of a torus (torus.cpp).
#include <fmt/format.h>

#include "isa/cost/ways.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

std::uint32_t routers(const isa::Chip& chip) {
  return static_cast<std::uint32_t>(chip.cores / std::max(chip.network.cores_per_router, 1));
}

class Ring final : public Routes {
 public:
  explicit Ring(const isa::Chip& chip) : Routes(chip, routers(chip), routers(chip) * 2), size_(routers(chip)) {}

  int channel_classes() const override { return 2; }
  int channel_class(std::uint32_t router, std::uint32_t to, Resource link) const override {
    return (link % 2 == 0 ? to < router : to > router) ? 0 : 1;
  }

 private:
  Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const override {
    const bool rising = isa::cost::rises(router, to, size_);
    next = beside(router, rising);
    return router * 2 + (rising ? 0U : 1U);
  }
  std::string link_name(Resource link) const override {
    return fmt::format("ring {}->{}", link / 2, beside(link / 2, link % 2 == 0));
  }
  std::uint32_t beside(std::uint32_t router, bool rising) const { return (router + (rising ? 1U : size_ - 1)) % size_; }

  std::uint32_t size_;
};

const bool registered = register_routed<Ring>("ring", "one row closed to a ring; the shorter way round");

}  // namespace
}  // namespace pimento::sim
