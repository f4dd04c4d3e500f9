#include "simulator/network/flit_level.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento::sim {

FlitFabric::FlitFabric(const isa::Chip& chip, const Routes& routes, FlightSink& sink)
    : routes_(routes),
      sink_(sink),
      chip_(chip),
      router_(chip.network.router_cycles),
      link_(chip.network.link_cycles),
      channels_(static_cast<std::uint32_t>(chip.network.virtual_channels)),
      queues_(std::size_t{routes.links() + routes.endpoints()} * channels_),
      interfaces_(routes.endpoints()),
      busy_(queues_.size()),
      injecting_(routes.endpoints()),
      outputs_(routes.count()),
      inputs_(routes.links() + routes.endpoints()),
      allocated_(routes.links(), 0),
      traffic_(routes.count(), 0) {
  if (router_ < 1 || channels_ < static_cast<std::uint32_t>(routes.channel_classes()))
    throw UserError(
        fmt::format("chip '{}': at flit level, expected network.router_latency 1 or more and "
                    "network.virtual_channels {} or more on this topology, got {} and {}",
                    chip.name, routes.channel_classes(), router_, channels_));
  for (Queue& queue : queues_) queue.room = std::max(chip.network.virtual_channel_buffer, 1);
  for (Endpoint e = 0; e < routes.endpoints(); ++e)
    for (std::uint32_t v = 0; v < channels_; ++v)
      queues_[injection_port(e) * channels_ + v].router = routes.router_of(e);
}

void FlitFabric::launch(const Flight& flight, const std::vector<Endpoint>& destinations) {
  if (destinations.empty()) return;
  Packet packet = 0;
  if (spare_.empty()) {
    packet = static_cast<Packet>(packets_.size());
    packets_.emplace_back();
  } else {
    packet = spare_.back();
    spare_.pop_back();
  }
  const std::int64_t flits = isa::cost::flits(chip_, flight.bytes);
  packets_[packet] = {flight, flits, destinations, static_cast<int>(destinations.size())};
  for (const Endpoint each : destinations) expected_[{flight.source, each}].push_back({packet, false});
  interfaces_[flight.source].waiting.emplace(std::pair{flight.start, flight.sequence}, packet);
  injecting_.insert(flight.source);
  if (next_ == never || flight.start + 1 < next_) next_ = flight.start + 1;
}

void FlitFabric::cycle() {
  const Cycles now = next_;
  moved_ = false;
  inject(now - 1);
  return_credits(now);
  allocate_channels(now);
  propose(now);
  grant(now);
  look_ahead(now);
  for (const Arrival& each : arrivals_) finish(each.packet, each.destination, now + 1);
  arrivals_.clear();
}

bool FlitFabric::begin_next(Endpoint source, Cycles at) {
  Interface& i = interfaces_[source];
  if (i.packet == nobody) {
    if (i.waiting.empty() || i.waiting.begin()->first.first > at) return false;
    i.packet = i.waiting.begin()->second;
    i.waiting.erase(i.waiting.begin());
    i.sent = 0;
    const InFlight& message = packets_[i.packet];
    if (message.flight.set >= 0) i.copies = copies_at(routes_.router_of(source), i.packet, message.destinations);
  }
  if (packets_[i.packet].flight.set >= 0 || i.queue != nobody) return true;
  const Channel first = injection_port(source) * channels_;
  for (Channel c = first; c < first + channels_; ++c)
    if (!queues_[c].owned && (i.queue == nobody || queues_[c].room > queues_[i.queue].room)) i.queue = c;
  if (i.queue == nobody) return false;
  queues_[i.queue].owned = true;
  return true;
}

void FlitFabric::inject(Cycles at) {
  injecting_.visit([&](Endpoint source) {
    if (!begin_next(source, at)) return true;
    Interface& i = interfaces_[source];
    if (i.queue != nobody) {
      Queue& queue = queues_[i.queue];
      if (queue.room == 0) return true;
      --queue.room;
      queue.flits.push({i.packet, i.sent, at + router_});
      busy_.insert(i.queue);
      ++flits_inside_;
    } else {
      for (Copy* copy : i.copies) copy->ready.push(at + router_);
      flits_inside_ += static_cast<std::int64_t>(i.copies.size());
    }
    moved_ = true;
    if (!routes_.is_core(source)) ++traffic_[routes_.injection(source)];
    if (++i.sent < packets_[i.packet].flits) return true;
    if (i.queue != nobody) queues_[i.queue].owned = false;
    i.packet = i.queue = nobody;
    i.copies.clear();
    if (i.waiting.empty()) injecting_.erase(source);
    return true;
  });
}

void FlitFabric::return_credits(Cycles now) {
  for (auto* credits : {&link_credits_, &interface_credits_})
    for (; !credits->empty() && credits->front().first <= now; credits->pop_front()) {
      ++queues_[credits->front().second].room;
      moved_ = true;
    }
}

FlitFabric::Channel FlitFabric::free_channel(Resource link, int channel_class) const {
  const auto classes = static_cast<std::uint32_t>(routes_.channel_classes());
  const auto k = static_cast<std::uint32_t>(channel_class);
  Channel best = nobody;
  for (Channel c = link * channels_ + channels_ * k / classes; c < link * channels_ + channels_ * (k + 1) / classes;
       ++c)
    if (!queues_[c].owned && (best == nobody || queues_[c].room > queues_[best].room)) best = c;
  return best;
}

/// The head at the front of a queue asks for one link: of those that it may take the one whose free virtual channel has
/// most room, the first of those that have as much.
void FlitFabric::request(Channel id) {
  Queue& queue = queues_[id];
  const InFlight& message = packets_[queue.flits.front().packet];
  const std::uint32_t to = routes_.router_of(message.flight.destination);
  if (to == queue.router) {
    queue.output = routes_.ejection(message.flight.destination);
    return;
  }
  routes_.ways(routes_.router_of(message.flight.source), queue.router, to, ways_);
  const Routes::Way* best = nullptr;
  int most = -1;
  for (const Routes::Way& way : ways_) {
    const Channel free = free_channel(way.link, routes_.channel_class(queue.router, to, way.link));
    if (free == nobody || queues_[free].room <= most) continue;
    best = &way;
    most = queues_[free].room;
  }
  if (best != nullptr)
    requests_.push_back({best->link, id, routes_.channel_class(queue.router, to, best->link), best->next});
}

void FlitFabric::allocate_channels(Cycles now) {
  requests_.clear();
  busy_.visit([&](Channel id) {
    if (queues_[id].output == nobody && queues_[id].flits.front().ready <= now) request(id);
    return true;
  });
  // by link; of one link, those behind the one served last first
  const auto turn = [&](const Request& r) { return std::tuple(r.link, r.queue <= allocated_[r.link], r.queue); };
  std::sort(requests_.begin(), requests_.end(), [&](const Request& a, const Request& b) { return turn(a) < turn(b); });
  for (const Request& r : requests_) {
    const Channel given = free_channel(r.link, r.channel_class);
    if (given == nobody) continue;
    queues_[given].owned = true;
    queues_[given].router = r.next;
    queues_[r.queue].output = r.link;
    queues_[r.queue].downstream = given;
    allocated_[r.link] = r.queue;
  }
}

bool FlitFabric::may_move(const Queue& queue, Cycles now) const {
  return queue.output != nobody && queue.flits.front().ready <= now &&
         (queue.downstream == nobody || queues_[queue.downstream].room > 0);
}

void FlitFabric::propose(Cycles now) {
  proposals_.clear();
  std::uint32_t port = nobody;
  Channel chosen = nobody;
  const auto preferred = [&](Channel a, Channel b) {  // of one port
    const Turn& t = inputs_[port];
    const auto rank = [&](Channel c) { return std::tuple(!(t.holds && c == t.last), c <= t.last, c); };
    return rank(a) < rank(b);
  };
  const auto close = [&] {
    if (chosen != nobody) proposals_.push_back({queues_[chosen].output, port, chosen, nullptr});
    chosen = nobody;
  };
  busy_.visit([&](Channel id) {
    if (!may_move(queues_[id], now)) return true;
    if (id / channels_ != port) close();
    port = id / channels_;
    if (chosen == nobody || preferred(id, chosen)) chosen = id;
    return true;
  });
  close();
  for (auto& [key, copy] : copies_) {
    if (copy.ready.empty() || copy.ready.front() > now) continue;
    const std::uint64_t who =
        std::uint64_t{1} << 63 | static_cast<std::uint64_t>(std::get<0>(key)) << 32 | std::get<1>(key);
    proposals_.push_back({copy.output, who, nobody, &copy});
  }
}

void FlitFabric::grant(Cycles now) {
  const auto turn = [&](const Proposal& p) {
    const Turn& t = outputs_[p.output];
    return std::tuple(p.output, !(t.holds && p.who == t.last), p.who <= t.last, p.who);
  };
  std::sort(proposals_.begin(), proposals_.end(),
            [&](const Proposal& a, const Proposal& b) { return turn(a) < turn(b); });
  Resource latest = nobody;
  for (const Proposal& each : proposals_) {
    if (each.output == latest) continue;
    latest = each.output;
    moved_ = true;
    ++traffic_[each.output];
    if (routes_.is_link(each.output)) ++flit_hops_;
    each.copy != nullptr ? move_copy(each, now) : move(each, now);
  }
}

void FlitFabric::move(const Proposal& taken, Cycles now) {
  Queue& queue = queues_[taken.queue];
  const Flit flit = queue.flits.pop();
  if (queue.flits.empty()) busy_.erase(taken.queue);
  const auto port = static_cast<std::uint32_t>(taken.who);
  if (port < routes_.links())
    link_credits_.emplace_back(now + std::max<Cycles>(link_, 1), taken.queue);
  else
    interface_credits_.emplace_back(now + 1, taken.queue);
  const bool last = flit.number + 1 == packets_[flit.packet].flits;
  outputs_[taken.output] = {taken.who, !last};
  inputs_[port] = {taken.queue, !last};
  if (queue.downstream != nobody) {
    Queue& behind = queues_[queue.downstream];
    behind.flits.push({flit.packet, flit.number, now + link_ + router_});
    busy_.insert(queue.downstream);
    --behind.room;
    if (last) behind.owned = false;
  } else {
    --flits_inside_;
    if (last) arrivals_.push_back({flit.packet, packets_[flit.packet].flight.destination});
  }
  if (last) queue.output = queue.downstream = nobody;
}

std::vector<FlitFabric::Copy*> FlitFabric::copies_at(std::uint32_t router, Packet packet,
                                                     const std::vector<Endpoint>& destinations) {
  std::vector<Copy*> made;
  const Flight& flight = packets_[packet].flight;
  for (auto& branch : routes_.branches(router, destinations)) {
    Copy& copy = copies_[{flight.source, flight.sequence, branch.resource}];
    copy = {packet, branch.resource, branch.next_router, std::move(branch.destinations)};
    made.push_back(&copy);
  }
  return made;
}

void FlitFabric::move_copy(const Proposal& taken, Cycles now) {
  Copy& copy = *taken.copy;
  copy.ready.pop();
  const bool last = ++copy.sent == packets_[copy.packet].flits;
  outputs_[taken.output] = {taken.who, !last};
  --flits_inside_;
  if (routes_.is_link(copy.output)) {
    if (copy.sent == 1) copy.behind = copies_at(copy.next_router, copy.packet, copy.destinations);
    for (Copy* behind : copy.behind) behind->ready.push(now + link_ + router_);
    flits_inside_ += static_cast<std::int64_t>(copy.behind.size());
  } else if (last) {
    arrivals_.push_back({copy.packet, copy.destinations.front()});
  }
  if (!last) return;
  const Flight& flight = packets_[copy.packet].flight;
  copies_.erase({flight.source, flight.sequence, copy.output});
}

/// Messages of one pair arrive in the order of their sending: one that comes first waits at its destination's
/// interface.
void FlitFabric::finish(Packet packet, Endpoint destination, Cycles arrival) {
  const auto at = expected_.find({packets_[packet].flight.source, destination});
  std::deque<Expected>& expected = at->second;
  std::find_if(expected.begin(), expected.end(), [&](const Expected& e) { return e.packet == packet; })->here = true;
  for (; !expected.empty() && expected.front().here; expected.pop_front()) {
    const Packet here = expected.front().packet;
    const Flight flight = packets_[here].flight;  // the sink may launch others, which moves the packets
    sink_.arrived(flight, destination, arrival);
    if (--packets_[here].left == 0) spare_.push_back(here);
  }
  if (expected.empty()) expected_.erase(at);
}

void FlitFabric::look_ahead(Cycles now) {
  next_ = never;
  const auto expect = [&](Cycles time) {
    const Cycles at = std::max(time, now + 1);
    if (next_ == never || at < next_) next_ = at;
    return next_ > now + 1;
  };
  busy_.visit([&](Channel id) { return expect(queues_[id].flits.front().ready); });
  for (const auto& [key, copy] : copies_)
    if (!copy.ready.empty()) expect(copy.ready.front());
  injecting_.visit([&](Endpoint source) {
    const Interface& i = interfaces_[source];
    return expect(i.packet != nobody ? now + 1 : i.waiting.begin()->first.first + 1);
  });
  if (!moved_ && link_credits_.empty() && interface_credits_.empty()) check_that_time_helps(now);
}

/// Where nothing has moved and no credit is under way, something must be that has not come yet.
void FlitFabric::check_that_time_helps(Cycles now) const {
  bool later = false;
  busy_.visit([&](Channel id) { return !(later = queues_[id].flits.front().ready > now); });
  for (const auto& [key, copy] : copies_) later = later || !copy.ready.empty();
  injecting_.visit([&](Endpoint source) {
    const Interface& i = interfaces_[source];
    later = later || (i.packet == nobody && i.waiting.begin()->first.first >= now);
    return !later;
  });
  PIMENTO_CHECK(later || next_ == never, fmt::format("network: {} flits stand still in cycle {}", flits_inside_, now));
}

}  // namespace pimento::sim
