#include "simulator/network/routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento::sim {

Routes::Routes(const isa::Chip& chip, std::uint32_t routers, Resource links)
    : links_(links),
      cores_(static_cast<std::uint32_t>(chip.cores)),
      channels_(static_cast<std::uint32_t>(std::max(chip.global_memory.channels, 1))) {
  if (chip.network.router_cycles + chip.network.link_cycles < 1)
    throw UserError(fmt::format("chip '{}': a hop of its network takes at least one cycle", chip.name));
  const auto& attached = chip.global_memory.attached_to;
  for (Endpoint e = 0; e < endpoints(); ++e) {
    const CoreId beside = e < cores_ ? e : attached.empty() ? 0 : attached[(e - cores_) % attached.size()];
    router_of_.push_back(isa::cost::router_of(chip, beside));
    if (router_of_.back() >= routers)
      throw UserError(fmt::format("chip '{}': its {} of {} routers has none for core {} of {}", chip.name,
                                  chip.network.topology, routers, beside, cores_));
  }
}

std::string Routes::name(Resource resource) const {
  if (is_link(resource)) return link_name(resource);
  const std::uint32_t port = resource - links_;
  if (port < cores_) return fmt::format("eject core{}", port);
  if (port < cores_ + channels_) return fmt::format("eject channel{}", port - cores_);
  return fmt::format("inject channel{}", port - cores_ - channels_);
}

std::vector<Routes::Branch> Routes::branches(std::uint32_t router, const std::vector<Endpoint>& destinations) const {
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

void Routes::ways(std::uint32_t /*source*/, std::uint32_t router, std::uint32_t to, std::vector<Way>& found) const {
  Way way{0, router};
  way.link = leave(router, to, way.next);
  found.assign(1, way);
}

Grid::Grid(const isa::Chip& chip)
    : Routes(chip, static_cast<std::uint32_t>(chip.network.width * chip.network.height),
             static_cast<Resource>(chip.network.width * chip.network.height * 4)),
      topology_(chip.network.topology),
      width_(static_cast<std::uint32_t>(chip.network.width)),
      height_(static_cast<std::uint32_t>(chip.network.height)) {}

Routes::Way Grid::beside(std::uint32_t router, std::uint32_t direction) const {
  const std::uint32_t column = x(router), row = y(router) * width_;
  const std::uint32_t next[4] = {row + (column + 1) % width_, row + (column + width_ - 1) % width_,
                                 (row + width_) % (width_ * height_) + column,
                                 (row + width_ * (height_ - 1)) % (width_ * height_) + column};
  return {router * 4 + direction, next[direction]};
}

std::string Grid::link_name(Resource link) const {
  return fmt::format("{} {}->{}", topology_, link / 4, beside(link / 4, link % 4).next);
}

}  // namespace pimento::sim
