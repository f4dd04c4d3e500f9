#include "simulator/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

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

std::unique_ptr<Network> make_network(const NetworkContext& context) {
  if (context.chip.network.topology != "table" && context.chip.network.level == isa::NetworkLevel::flit)
    throw UserError(fmt::format("chip '{}': network.level flit is not simulated", context.chip.name));
  std::vector<std::string> names;
  for (const Topology& each : topologies()) {
    if (each.name == context.chip.network.topology) return each.make(context);
    names.emplace_back(each.name);
  }
  throw UserError(fmt::format("chip '{}': unknown network topology '{}'{}", context.chip.name,
                              context.chip.network.topology, suggestion(context.chip.network.topology, names)));
}

}  // namespace pimento::sim
