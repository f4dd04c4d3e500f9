// What a message takes on an idle network, and how far two places of it are apart.
#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"
#include "isa/support/whole.hpp"

namespace pimento::isa::cost {
namespace {

const std::vector<Cycles>& table_row(const Chip& chip, CoreId source) {
  PIMENTO_CHECK(chip.network.table && source < chip.network.table->size(),
                "chip '" + chip.name + "': no network table");
  return (*chip.network.table)[source];
}

CoreId node_of(const Chip& chip, CoreId position) {
  if (position < static_cast<CoreId>(chip.cores)) return position;
  return chip.global_memory.attached_to.empty() ? 0 : chip.global_memory.attached_to.front();
}

int apart(CoreId a, CoreId b) { return static_cast<int>(a > b ? a - b : b - a); }
/// The shorter way round.
int apart_on_ring(CoreId a, CoreId b, int size) { return std::min(apart(a, b), size - apart(a, b)); }

/// Up to the first router that is above both, and down again.
int hops_in_tree(CoreId a, CoreId b, int arity) {
  int up = 0;
  for (; a != b; ++up) a /= static_cast<CoreId>(arity), b /= static_cast<CoreId>(arity);
  return 2 * up;
}

/// Cycles that the flits of a message stand still because a virtual channel's buffer is smaller than the cycles between
/// a flit's leaving and its credit's return: after every `buffer` flits one such wait.
Cycles waits_for_credits(const Network& n, int far, std::int64_t flits) {
  if (n.level != NetworkLevel::flit) return 0;
  const Cycles link = far > 0 ? n.link_cycles : 0;
  const Cycles round_trip = link + n.router_cycles + std::max<Cycles>(link, 1);
  return (flits - 1) / n.virtual_channel_buffer * std::max<Cycles>(round_trip - n.virtual_channel_buffer, 0);
}

}  // namespace

std::int64_t flits(const Chip& chip, Bytes bytes) {
  const Bytes flit = std::max<Bytes>(chip.network.flit, 1);
  return std::max<std::int64_t>(1, ceil_div(bytes, flit));
}

CoreId router_of(const Chip& chip, CoreId position) {
  const Network& n = chip.network;
  const CoreId core = node_of(chip, position);
  if (n.topology == "tree") return core / static_cast<CoreId>(std::max(n.tree_arity, 1));
  return core / static_cast<CoreId>(std::max(n.cores_per_router, 1));
}

int hops(const Chip& chip, CoreId source, CoreId destination) {
  const Network& n = chip.network;
  if (n.topology == "table") return source == destination ? 0 : 1;
  const CoreId a = router_of(chip, source), b = router_of(chip, destination);
  if (n.topology == "tree") return hops_in_tree(a, b, std::max(n.tree_arity, 2));
  if (n.topology == "ring") return apart_on_ring(a, b, chip.cores / std::max(n.cores_per_router, 1));
  if (n.topology == "crossbar" || n.width <= 0) return a == b ? 0 : 1;
  const auto w = static_cast<CoreId>(n.width);
  if (n.topology == "torus") return apart_on_ring(a % w, b % w, n.width) + apart_on_ring(a / w, b / w, n.height);
  return apart(a % w, b % w) + apart(a / w, b / w);
}

std::int64_t way(const Chip& chip, CoreId source, CoreId destination) {
  if (chip.network.topology != "table") return hops(chip, source, destination);
  const Cycles there = table_row(chip, source).at(destination);
  if (!chip.rules.request_and_grant) return there;
  return there << 31 | table_row(chip, destination).at(source);  // the grant comes back; both are below 2^31
}

Cycles message_network_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes) {
  const auto& n = chip.network;
  if (n.topology == "table")
    return n.handshake_cycles + table_cycles(table_row(chip, source).at(destination), flits(chip, bytes));
  const int far = hops(chip, source, destination);
  const std::int64_t size = flits(chip, bytes);
  return n.handshake_cycles + (far + 1) * n.router_cycles + far * n.link_cycles + size +
         waits_for_credits(n, far, size);
}

Cycles credit_network_cycles(const Chip& chip, CoreId source, CoreId destination) {
  return message_network_cycles(chip, destination, source, 1) - chip.network.handshake_cycles;
}

Cycles request_and_grant_cycles(const Chip& chip, CoreId source, CoreId destination) {
  if (!chip.rules.request_and_grant) return 0;
  return message_network_cycles(chip, source, destination, 1) + message_network_cycles(chip, destination, source, 1) -
         2 * chip.network.handshake_cycles;
}

}  // namespace pimento::isa::cost
