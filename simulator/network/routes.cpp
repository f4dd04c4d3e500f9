#include "simulator/network/routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::sim {

MeshRoutes::MeshRoutes(const isa::Chip& chip)
    : width_(static_cast<std::uint32_t>(chip.network.width)),
      routers_(static_cast<std::uint32_t>(chip.network.width * chip.network.height)),
      cores_(static_cast<std::uint32_t>(chip.cores)),
      channels_(static_cast<std::uint32_t>(std::max(chip.global_memory.channels, 1))),
      attached_(chip.global_memory.attached_to) {
  if (width_ == 0 || routers_ < cores_)
    throw UserError(fmt::format("chip '{}': a mesh of {} x {} for {} cores", chip.name, chip.network.width,
                                chip.network.height, chip.cores));
  if (chip.network.router_cycles + chip.network.link_cycles < 1)
    throw UserError(fmt::format("chip '{}': a hop of a mesh takes at least one network cycle", chip.name));
  if (attached_.empty()) attached_.push_back(0);
}

std::uint32_t MeshRoutes::router_of(Endpoint endpoint) const {
  return is_core(endpoint) ? endpoint : attached_[(endpoint - cores_) % attached_.size()];
}

Resource MeshRoutes::count() const { return routers_ * 4 + cores_ + 2 * channels_; }
Resource MeshRoutes::ejection(Endpoint endpoint) const { return routers_ * 4 + endpoint; }
Resource MeshRoutes::injection(Endpoint channel) const { return routers_ * 4 + channel + channels_; }

std::string MeshRoutes::name(Resource resource) const {
  if (is_link(resource)) {
    const std::uint32_t from = resource / 4;
    const std::uint32_t to[4] = {from + 1, from - 1, from + width_, from - width_};
    return fmt::format("mesh {}->{}", from, to[resource % 4]);
  }
  const std::uint32_t port = resource - routers_ * 4;
  if (port < cores_) return fmt::format("eject core{}", port);
  if (port < cores_ + channels_) return fmt::format("eject channel{}", port - cores_);
  return fmt::format("inject channel{}", port - cores_ - channels_);
}

Resource MeshRoutes::step(std::uint32_t router, Endpoint destination, std::uint32_t& next) const {
  const std::uint32_t to = router_of(destination);
  if (to == router) return ejection(destination);
  const std::uint32_t x = router % width_, tx = to % width_;
  const std::uint32_t direction = tx > x ? 0 : tx < x ? 1 : to > router ? 2 : 3;
  const std::uint32_t beside[4] = {router + 1, router - 1, router + width_, router - width_};
  next = beside[direction];
  return router * 4 + direction;
}

std::vector<MeshRoutes::Branch> MeshRoutes::branches(std::uint32_t router,
                                                     const std::vector<Endpoint>& destinations) const {
  std::vector<Branch> all;
  for (const Endpoint each : destinations) {
    std::uint32_t next = router;
    const Resource resource = step(router, each, next);
    const auto known = std::find_if(all.begin(), all.end(), [&](const Branch& b) { return b.resource == resource; });
    if (known != all.end())
      known->destinations.push_back(each);
    else
      all.push_back({resource, next, {each}});
  }
  std::sort(all.begin(), all.end(), [](const Branch& a, const Branch& b) { return a.resource < b.resource; });
  return all;
}

}  // namespace pimento::sim
