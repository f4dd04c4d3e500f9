#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "simulator/lockstep/lockstep.hpp"

namespace pimento::sim::lockstep {

Net::Net(const isa::Chip& chip, Arrived arrived)
    : chip_(chip), arrived_(std::move(arrived)), routes_(make_routes(chip)) {
  if (!routes_) return;
  free_.resize(routes_->count(), 0);
  if (chip.network.level == isa::NetworkLevel::flit) fabric_ = std::make_unique<FlitFabric>(chip, *routes_, *this);
}
Net::~Net() = default;

Cycles Net::launch(const MessagePtr& message, Cycles start) {
  message->left = static_cast<int>(message->destinations.size());
  if (!routes_) {
    const auto memory = static_cast<Endpoint>(chip_.cores);
    Cycles last = start;
    const auto name = [&](Endpoint e) { return e == memory ? std::string("memory") : fmt::format("core{}", e); };
    for (const Endpoint to : message->destinations) {
      const Endpoint s = std::min(message->source, memory), d = std::min(to, memory);
      const Cycles takes =
          isa::cost::message_network_cycles(chip_, s, d, message->bytes) - chip_.network.handshake_cycles;
      LinkResult& t = traffic_[fmt::format("{:05}{:05}", s, d)];
      t.name = fmt::format("table {}->{}", name(s), name(d));
      t.bytes += wire_bytes(chip_, message->flits);
      t.busy += takes;
      flit_hops_ += message->flits;
      last = std::max(last, start + takes);
      arrived_(message, to, start + takes);
    }
    return last;
  }
  if (fabric_) {
    const auto token = static_cast<std::uint32_t>(aloft_.size());
    aloft_.push_back(message);
    // set 0: a multicast, whatever the number of its destinations
    const std::int32_t set = message->multicast ? 0 : -1;
    fabric_->launch({message->source, message->destinations.empty() ? 0 : message->destinations.front(), set,
                     message->bytes, start, message->sequence, token},
                    message->destinations);
    return start + message->flits;
  }
  const std::uint32_t router = routes_->router_of(message->source);
  if (routes_->is_core(message->source))
    enter(message, router, start, message->destinations);
  else
    heads_.push_back({start, routes_->injection(message->source), router, message->destinations, message});
  return start + message->flits;
}

void Net::enter(const MessagePtr& message, std::uint32_t router, Cycles time,
                const std::vector<Endpoint>& destinations) {
  for (auto& branch : routes_->branches(router, destinations))
    heads_.push_back({time + chip_.network.router_cycles, branch.resource, branch.next_router,
                      std::move(branch.destinations), message});
}

void Net::arrived(const Flight& flight, Endpoint destination, Cycles time) {
  arrived_(aloft_[flight.token], destination, time);
}

bool Net::idle() const { return fabric_ ? fabric_->next() == FlitFabric::never : heads_.empty(); }
std::int64_t Net::flit_hops() const { return fabric_ ? fabric_->flit_hops() : flit_hops_; }

void Net::cycle(Cycles now) {
  if (fabric_) {
    while (fabric_->next() != FlitFabric::never && fabric_->next() <= now) fabric_->cycle();
    return;
  }
  // Each free resource takes the head that came first; of those that came together, the lower source, then sequence.
  for (bool again = true; again;) {
    again = false;
    std::vector<std::size_t> first(free_.size(), heads_.size());
    for (std::size_t n = 0; n < heads_.size(); ++n) {
      const Head& h = heads_[n];
      if (h.here > now || free_[h.resource] > now) continue;
      std::size_t& best = first[h.resource];
      const auto key = [&](const Head& x) { return std::tuple(x.here, x.message->source, x.message->sequence); };
      if (best == heads_.size() || key(h) < key(heads_[best])) best = n;
    }
    std::vector<Head> granted;
    std::vector<Head> rest;
    for (std::size_t n = 0; n < heads_.size(); ++n)
      (first[heads_[n].resource] == n ? granted : rest).push_back(std::move(heads_[n]));
    heads_ = std::move(rest);
    for (Head& h : granted) {
      again = true;
      const Message& m = *h.message;
      free_[h.resource] = now + m.flits;
      if (routes_->is_link(h.resource)) {
        LinkResult& t = traffic_[fmt::format("{:08}", h.resource)];
        t.name = routes_->name(h.resource);
        t.bytes += wire_bytes(chip_, m.flits);
        t.busy += m.flits;
        flit_hops_ += m.flits;
        enter(h.message, h.next_router, now + chip_.network.link_cycles, h.destinations);
      } else if (!routes_->is_core(m.source) && h.resource == routes_->injection(m.source)) {
        enter(h.message, h.next_router, now, h.destinations);
      } else {
        arrived_(h.message, h.destinations.front(), now + m.flits);
      }
    }
  }
}

std::vector<LinkResult> Net::links() const {
  if (fabric_) return traffic_of_links(chip_, *routes_, fabric_->traffic());
  std::vector<LinkResult> all;
  for (const auto& [key, link] : traffic_) all.push_back(link);
  return all;
}

}  // namespace pimento::sim::lockstep
