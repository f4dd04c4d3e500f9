// Any topology of routers at message granularity. The head of a message crosses a router, claims the link behind it,
// and keeps it for one network cycle per flit; a message that finds its link taken waits in the router, which holds
// whole messages. Claims are served in the order (time, resource, source, sequence), so nothing depends on the kernel's
// order.
#include <queue>

#include "isa/cost/cost.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

class MessageNetwork final : public Network {
 public:
  MessageNetwork(const NetworkContext& context, std::unique_ptr<Routes> routes)
      : context_(context),
        held_routes_(std::move(routes)),
        routes_(*held_routes_),
        router_cycles_(context.chip.network.router_cycles),
        link_cycles_(context.chip.network.link_cycles),
        period_(context.chip.network.clock.period_fs),
        may_claim_at_once_(context.chip.network.handshake_cycles + router_cycles_ == 0),
        free_(routes_.count(), 0),
        traffic_(routes_.count()),
        process_(context.kernel, "network", [this] { context_.guard([this] { serve(); }); }) {}

  Cycles launch(const Flight& flight) override {
    const std::int64_t flits = isa::cost::flits(context_.chip, flight.bytes);
    std::uint32_t slot = 0;
    if (spare_.empty()) {
      slot = static_cast<std::uint32_t>(aloft_.size());
      aloft_.emplace_back();
    } else {
      slot = spare_.back();
      spare_.pop_back();
    }
    aloft_[slot] = {flight, flits, 0};
    const std::uint32_t router = routes_.router_of(flight.source);
    std::vector<Endpoint> destinations;
    if (flight.set >= 0) destinations = context_.core_sets[static_cast<std::size_t>(flight.set)];
    if (routes_.is_core(flight.source))
      enter(router, flight.start, slot, destinations);
    else
      claim({flight.start, routes_.injection(flight.source), flight.source, flight.sequence, slot, router, {}});
    return flight.start + flits;
  }

  std::vector<LinkResult> links() const override { return traffic_of_links(context_.chip, routes_, traffic_); }
  const std::vector<std::int64_t>* flits_by_resource() const override { return &traffic_; }
  std::int64_t flit_hops() const override { return flit_hops_; }

 private:
  struct Aloft {
    Flight flight;
    std::int64_t flits = 0;
    int claims = 0;  ///< not yet served
  };
  struct Claim {
    Cycles time = 0;
    Resource resource = 0;
    Endpoint source = 0;
    std::uint32_t sequence = 0;
    std::uint32_t slot = 0;
    std::uint32_t next_router = 0;
    std::vector<Endpoint> destinations;  ///< of a multicast
  };
  struct Later {
    bool operator()(const Claim& a, const Claim& b) const {
      if (a.time != b.time) return a.time > b.time;
      if (a.resource != b.resource) return a.resource > b.resource;
      if (a.source != b.source) return a.source > b.source;
      return a.sequence > b.sequence;
    }
  };

  /// The head enters a router; behind it, it claims what leads on.
  void enter(std::uint32_t router, Cycles time, std::uint32_t slot, const std::vector<Endpoint>& destinations) {
    const Flight& flight = aloft_[slot].flight;
    const Cycles at = time + router_cycles_;
    if (flight.set < 0) {
      std::uint32_t next = router;
      const Resource resource = routes_.step(router, flight.destination, next);
      return claim({at, resource, flight.source, flight.sequence, slot, next, {}});
    }
    for (auto& branch : routes_.branches(router, destinations))
      claim({at, branch.resource, flight.source, flight.sequence, slot, branch.next_router,
             std::move(branch.destinations)});
  }

  void claim(Claim c) {
    ++aloft_[c.slot].claims;
    const Femtoseconds due = c.time * period_;
    claims_.push(std::move(c));
    if (serving_) return;
    if (may_claim_at_once_ && due <= context_.kernel.now())
      process_.wake_after_others();
    else
      process_.wake_at(due);
  }

  void serve() {
    const Femtoseconds now = context_.kernel.now();
    if (may_claim_at_once_ && now != last_served_) {
      last_served_ = now;
      return process_.wake_after_others();  // cores that run in this cycle may still claim
    }
    serving_ = true;
    while (!claims_.empty() && claims_.top().time * period_ <= now) {
      Claim c = claims_.top();
      claims_.pop();
      grant(std::move(c));
    }
    serving_ = false;
    if (!claims_.empty()) process_.wake_at(claims_.top().time * period_);
  }

  void grant(Claim c) {
    const Flight flight = aloft_[c.slot].flight;
    const std::int64_t flits = aloft_[c.slot].flits;
    const Cycles start = std::max(c.time, free_[c.resource]);
    free_[c.resource] = start + flits;
    traffic_[c.resource] += flits;
    if (routes_.is_link(c.resource)) {
      flit_hops_ += flits;
      enter(c.next_router, start + link_cycles_, c.slot, c.destinations);
    } else if (!routes_.is_core(flight.source) && c.resource == routes_.injection(flight.source)) {
      enter(c.next_router, start, c.slot, {});
    } else {
      context_.sink.arrived(flight, flight.set < 0 ? flight.destination : c.destinations.front(), start + flits);
    }
    if (--aloft_[c.slot].claims == 0) spare_.push_back(c.slot);
  }

  NetworkContext context_;
  std::unique_ptr<Routes> held_routes_;
  const Routes& routes_;
  Cycles router_cycles_, link_cycles_;
  Femtoseconds period_;
  bool may_claim_at_once_;
  bool serving_ = false;
  Femtoseconds last_served_ = -1;
  std::vector<Cycles> free_;
  std::vector<std::int64_t> traffic_;  ///< flits, each a cycle
  std::vector<Aloft> aloft_;
  std::vector<std::uint32_t> spare_;
  std::priority_queue<Claim, std::vector<Claim>, Later> claims_;
  std::int64_t flit_hops_ = 0;
  Process process_;
};

}  // namespace

std::unique_ptr<Network> make_message_network(const NetworkContext& context, std::unique_ptr<Routes> routes) {
  return std::make_unique<MessageNetwork>(context, std::move(routes));
}

}  // namespace pimento::sim
