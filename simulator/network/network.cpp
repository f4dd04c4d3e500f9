#include "simulator/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

std::vector<Topology>& registry() {
  static std::vector<Topology> all;
  return all;
}

}  // namespace

const std::vector<Topology>& topologies() { return registry(); }

bool register_topology(const Topology& topology) {
  auto& all = registry();
  const auto at = std::lower_bound(all.begin(), all.end(), topology,
                                   [](const Topology& a, const Topology& b) { return a.name < b.name; });
  PIMENTO_CHECK(at == all.end() || at->name != topology.name,
                fmt::format("topology '{}' is registered twice", topology.name));
  all.insert(at, topology);
  return true;
}

namespace {

const Topology& topology_of(const isa::Chip& chip) {
  std::vector<std::string> names;
  for (const Topology& each : topologies()) {
    if (each.name == chip.network.topology) return each;
    names.emplace_back(each.name);
  }
  throw UserError(fmt::format("chip '{}': unknown network topology '{}'{}", chip.name, chip.network.topology,
                              suggestion(chip.network.topology, names)));
}

}  // namespace

std::unique_ptr<Routes> make_routes(const isa::Chip& chip) {
  const Topology& topology = topology_of(chip);
  return topology.routes == nullptr ? nullptr : topology.routes(chip);
}

std::unique_ptr<Network> make_network(const NetworkContext& context) {
  auto routes = make_routes(context.chip);
  if (!routes) return topology_of(context.chip).make(context);
  if (context.chip.network.level == isa::NetworkLevel::flit) return make_flit_network(context, std::move(routes));
  return make_message_network(context, std::move(routes));
}

std::vector<LinkResult> traffic_of_links(const isa::Chip& chip, const Routes& routes,
                                         const std::vector<std::int64_t>& flits) {
  std::vector<LinkResult> used;
  for (Resource r = 0; r < routes.links(); ++r)
    if (flits[r] > 0) used.push_back({routes.name(r), wire_bytes(chip, flits[r]), flits[r]});
  return used;
}

}  // namespace pimento::sim
