#include "compiler/drivers/pim/schedule/playthrough.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "isa/cost/cost.hpp"
#include "isa/cost/service.hpp"
#include "isa/cost/ways.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

/// Up to the next edge of a clock.
Femtoseconds edge(Femtoseconds time, Femtoseconds period) { return (time + period - 1) / period * period; }

class Play {
 public:
  Play(const Steps& steps, const Spatial& spatial, const isa::Chip& chip)
      : steps_(steps),
        s_(spatial),
        chip_(chip),
        core_(chip.core.clock.period_fs),
        network_(chip.network.clock.period_fs),
        memory_(chip.global_memory.clock.period_fs),
        rendezvous_(chip.network.receive_buffer_messages == 0),
        overlaps_(chip.core.window > 1),
        cores_(steps.cores.size()) {
    if (isa::cost::Ways::knows(chip)) {
      ways_.emplace(chip);
      free_.assign(ways_->count(), 0);
    }
    channel_free_.assign(static_cast<std::size_t>(std::max(chip.global_memory.channels, 1)), 0);
  }

  Cycles run() {
    for (std::size_t k = 0; k < cores_.size(); ++k) go(k);
    while (!woken_.empty() || !claims_.empty()) {
      if (!woken_.empty()) {
        const std::size_t k = woken_.back();
        woken_.pop_back();
        go(k);
        continue;
      }
      const Claim claim = claims_.top();
      claims_.pop();
      claim.way == nullptr ? arrive(claim.flight, claim.resource, claim.time) : grant(claim);
    }
    Femtoseconds end = 0;
    for (std::size_t k = 0; k < cores_.size(); ++k) {
      PIMENTO_CHECK(cores_[k].at == steps_.cores[k].size(), "the steps wait in a circle");
      end = std::max({end, cores_[k].next, cores_[k].done, cores_[k].transfer_free});
    }
    return edge(end, core_) / core_;
  }

 private:
  enum class Waits : std::uint8_t { nothing, credit, arrival, memory };
  struct Core {
    std::size_t at = 0;     ///< step
    Femtoseconds next = 0;  ///< the next step may begin
    Femtoseconds done = 0;  ///< the results of the last compute stand
    Femtoseconds transfer_free = 0;
    Femtoseconds ready = 0;   ///< of the send that waits: its bytes are read
    std::int32_t made = -1;   ///< the last compute
    std::int32_t came = -1;   ///< what the last transfer brought
    std::int64_t behind = 0;  ///< instructions from the last transfer on
    Waits waits = Waits::nothing;
    std::uint32_t sent = 0;
  };
  struct Mailbox {
    std::deque<Femtoseconds> arrived, credits, receives;
    bool is_new = true;
  };
  struct Flight {
    std::int32_t transfer = 0;
    std::size_t core = 0;  ///< whose step it is
    std::int64_t flits = 1;
    std::uint32_t left = 0;  ///< destinations not reached
    Femtoseconds latest = 0;
    std::map<std::uint32_t, Femtoseconds> granted;  ///< of a multicast: links that it holds already
  };
  struct Claim {
    Femtoseconds time = 0;
    std::uint32_t resource = 0, source = 0, sequence = 0;
    std::size_t flight = 0, hop = 0;
    const std::vector<std::uint32_t>* way = nullptr;  ///< nothing is shared: it arrives at `resource` then
    bool operator<(const Claim& o) const {            // the earliest on top
      return std::tie(o.time, o.resource, o.source, o.sequence) < std::tie(time, resource, source, sequence);
    }
  };

  const Steps& steps_;
  const Spatial& s_;
  const isa::Chip& chip_;
  Femtoseconds core_, network_, memory_;
  bool rendezvous_, overlaps_;
  std::vector<Core> cores_;
  std::map<std::pair<CoreId, CoreId>, Mailbox> mailboxes_;
  std::optional<isa::cost::Ways> ways_;
  std::vector<Femtoseconds> free_, channel_free_;
  std::vector<Flight> flights_;
  std::priority_queue<Claim> claims_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> known_ways_;
  std::vector<std::size_t> woken_;  ///< cores that may go on

  Mailbox& mailbox(CoreId from, CoreId to) {
    Mailbox& box = mailboxes_[{from, to}];
    if (std::exchange(box.is_new, false))
      box.credits.assign(static_cast<std::size_t>(chip_.network.receive_buffer_messages), 0);
    return box;
  }
  Bytes bytes_of(const Transfer& t) const {
    return t.what.box.elements() * size_of(s_.values[index_of(t.what.value)].type);
  }
  isa::Instruction instruction(Opcode opcode, const Transfer& t) const {
    isa::Instruction i;
    i.opcode = opcode;
    i.type_d = i.type_a = ElementType::u8;
    i.count = t.what.box.rows();
    i.len = static_cast<std::int32_t>(bytes_of(t) / std::max(1, t.what.box.rows()));
    i.stride_d = i.stride_a = i.len;
    return i;
  }
  isa::cost::Duration duration(Opcode opcode, const Transfer& t) const {
    return isa::cost::local(chip_, instruction(opcode, t));
  }
  Femtoseconds cycles(Cycles n) const { return n * core_; }

  /// Does what the core can do until it must wait.
  void go(std::size_t k) {
    Core& core = cores_[k];
    while (core.waits == Waits::nothing && core.at < steps_.cores[k].size()) {
      const Step& step = steps_.cores[k][core.at];
      switch (step.kind) {
        case Step::Kind::compute:
          compute(core, step.index);
          break;
        case Step::Kind::write: {  // as long as the schedule says, and nothing beside it
          const CellWrite& w = steps_.writes[static_cast<std::size_t>(step.index)];
          core.next = std::max({core.next, core.done, core.transfer_free});
          end_step(core, core.next + cycles(w.end - w.start));
          break;
        }
        case Step::Kind::send:
          send(k, step.index);
          break;
        case Step::Kind::receive:
          receive(k, step.index);
          break;
        default:
          access(k, step.index, step.kind == Step::Kind::store);
      }
    }
  }
  void end_step(Core& core, Femtoseconds next) {
    core.next = std::max(next, core.next);
    core.waits = Waits::nothing;
    ++core.at;
  }

  /// An instruction waits for a result that it reads; others of the window go on.
  Femtoseconds after_what_it_reads(const Core& core, const Access& read, Femtoseconds start) const {
    if (core.made >= 0 && meet(read, s_.computes[static_cast<std::size_t>(core.made)].write))
      start = std::max(start, core.done);
    if (core.came >= 0 && meet(read, steps_.transfers[static_cast<std::size_t>(core.came)].what))
      start = std::max(start, core.transfer_free);
    return start;
  }
  static bool meet(const Access& a, const Access& b) { return a.value == b.value && !intersect(a.box, b.box).empty(); }
  void compute(Core& core, std::int32_t index) {
    const Compute& c = s_.computes[static_cast<std::size_t>(index)];
    const Cycles whole = std::max<Cycles>(1, c.alone.end);
    Femtoseconds start = core.next;
    if (!overlaps_) {
      core.done = start + cycles(whole);
      return end_step(core, core.done);
    }
    for (const Access& read : c.reads) start = after_what_it_reads(core, read, start);
    if (core.made >= 0) {
      const Compute& last = s_.computes[static_cast<std::size_t>(core.made)];
      const bool is_group = c.alone.first_unit % units_apart != 0;  // copies of one tile are groups of their own
      if (last.alone.last_unit == c.alone.first_unit && (!is_group || last.cls == c.cls))
        start = std::max(start, core.done);
    }
    core.made = index;
    Femtoseconds issued = start + cycles(c.alone.issued);
    // what stands further behind an open transfer than the window reaches waits for it
    const std::int64_t beyond = std::min(c.alone.instructions, core.behind + c.alone.instructions - chip_.core.window);
    if (core.transfer_free > start && beyond > 0)
      issued = std::max(issued, core.transfer_free + cycles(c.alone.issued * beyond / c.alone.instructions));
    core.behind += c.alone.instructions;
    core.done = std::max(core.done, issued + cycles(whole - c.alone.issued));
    end_step(core, issued);
  }
  /// The core's transfer ends; what does not need it goes on behind it.
  void end_transfer(Core& core, Femtoseconds end, std::int32_t came) {
    core.transfer_free = end;
    core.behind = 1;
    core.came = came;
    end_step(core, overlaps_ ? core.next + core_ : end);
  }
  // --- messages
  void send(std::size_t k, std::int32_t index) {
    Core& core = cores_[k];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(index)];
    const Opcode opcode = t.destinations.size() > 1 ? Opcode::mcast : Opcode::send;
    const isa::cost::Duration d = duration(opcode, t);
    Femtoseconds start = std::max(core.next, core.transfer_free);
    start = after_what_it_reads(core, t.what, start);
    core.next = start;
    core.ready = start + cycles(d.start + d.read);
    core.waits = Waits::credit;
    try_launch(k);
  }
  void try_launch(std::size_t k) {
    Core& core = cores_[k];
    if (core.waits != Waits::credit) return;
    const std::int32_t index = steps_.cores[k][core.at].index;
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(index)];
    for (const CoreId d : t.destinations) {
      const Mailbox& box = mailbox(t.source, d);
      if ((rendezvous_ ? box.receives : box.credits).empty()) return;
    }
    Femtoseconds start = edge(core.ready, network_);
    for (const CoreId d : t.destinations) {
      Mailbox& box = mailbox(t.source, d);
      auto& tokens = rendezvous_ ? box.receives : box.credits;
      start = std::max(start, tokens.front());
      tokens.pop_front();
    }
    start += network_ * isa::cost::request_and_grant_cycles(chip_, t.source, t.destinations.front());
    const std::int64_t flits = isa::cost::flits(chip_, bytes_of(t));
    const std::size_t flight = flights_.size();
    flights_.push_back({index, k, flits, static_cast<std::uint32_t>(t.destinations.size()), 0, {}});
    const Femtoseconds left = start + network_ * (chip_.network.handshake_cycles + flits);
    core.waits = Waits::nothing;
    if (!rendezvous_ && ways_) {
      sent(core, left);
    } else {
      core.waits = Waits::arrival;  // of its message
      if (chip_.rules.sends_end_early) sent(core, start + core_);
    }
    for (const CoreId d : t.destinations) depart(flight, t.source, d, start);
  }
  /// The send of the core's step ends.
  void sent(Core& core, Femtoseconds end) { end_transfer(core, edge(end, core_), -1); }

  /// A head leaves for a destination; the network's clock.
  void depart(std::size_t flight, std::uint32_t source, std::uint32_t destination, Femtoseconds start) {
    const Femtoseconds head = start + network_ * chip_.network.handshake_cycles;
    const std::int64_t flits = flights_[flight].flits;
    const std::uint32_t sequence = cores_[flights_[flight].core].sent++;
    if (!ways_) {
      const auto to = std::min(destination, static_cast<std::uint32_t>(chip_.cores));
      const auto from = std::min(source, static_cast<std::uint32_t>(chip_.cores));
      const Cycles whole =
          isa::cost::message_network_cycles(chip_, from, to, flits * std::max<Bytes>(chip_.network.flit, 1));
      return claims_.push({start + network_ * whole, destination, source, sequence, flight, 0, nullptr});
    }
    auto& way = known_ways_[{source, destination}];
    if (way.empty()) way = ways_->between(source, destination);
    const bool enters = source < static_cast<std::uint32_t>(chip_.cores);  // a channel's port stands before its router
    claims_.push(
        {head + (enters ? network_ * chip_.network.router_cycles : 0), way.front(), source, sequence, flight, 0, &way});
  }

  void grant(Claim claim) {
    Flight& f = flights_[claim.flight];
    const Femtoseconds holds = network_ * f.flits;
    Femtoseconds start = std::max(claim.time, free_[claim.resource]);
    const bool is_multicast = steps_.transfers[static_cast<std::size_t>(f.transfer)].destinations.size() > 1;
    if (is_multicast) start = f.granted.try_emplace(claim.resource, start).first->second;
    free_[claim.resource] = std::max(free_[claim.resource], start + holds);
    if (++claim.hop == claim.way->size())
      return arrive(claim.flight, claim.resource - (ways_->count() - ports()), start + holds);
    const Femtoseconds link = ways_->is_link(claim.resource) ? network_ * chip_.network.link_cycles : 0;
    claim.time = start + link + network_ * chip_.network.router_cycles;
    claim.resource = (*claim.way)[claim.hop];
    claims_.push(claim);
  }
  std::uint32_t ports() const {
    return static_cast<std::uint32_t>(chip_.cores) + 2 * static_cast<std::uint32_t>(channel_free_.size());
  }

  void arrive(std::size_t index, std::uint32_t at, Femtoseconds time) {
    Flight& f = flights_[index];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(f.transfer)];
    if (t.kind != Transfer::Kind::message)
      return at < static_cast<std::uint32_t>(chip_.cores) ? loaded(f, time) : served(index, at, time);
    f.latest = std::max(f.latest, time);
    mailbox(t.source, at).arrived.push_back(edge(time, core_));
    const bool is_last = --f.left == 0;
    const std::size_t sender = f.core;
    const Femtoseconds latest = f.latest;
    if (is_last && cores_[sender].waits == Waits::arrival && is_sending(sender, f.transfer)) {
      sent(cores_[sender], latest);
      woken_.push_back(sender);
    }
    if (cores_[at].waits != Waits::arrival || is_sending(at, -1)) return;
    take(at);
    woken_.push_back(at);
  }
  /// Whether the core's step is a send (of that transfer).
  bool is_sending(std::size_t k, std::int32_t transfer) const {
    const Step& step = steps_.cores[k][cores_[k].at];
    return step.kind == Step::Kind::send && (transfer < 0 || step.index == transfer);
  }

  void receive(std::size_t k, std::int32_t index) {
    Core& core = cores_[k];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(index)];
    core.next = std::max(core.next, core.transfer_free);
    core.waits = Waits::arrival;
    if (rendezvous_) {
      mailbox(t.source, static_cast<CoreId>(k)).receives.push_back(edge(core.next, network_));
      wake_sender(t.source);
    }
    take(k);
  }
  void wake_sender(CoreId source) {
    if (cores_[source].waits != Waits::credit) return;
    try_launch(source);
    if (cores_[source].waits == Waits::nothing) woken_.push_back(source);
  }
  /// The message that the core's receive waits for, if it is there.
  void take(std::size_t k) {
    Core& core = cores_[k];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(steps_.cores[k][core.at].index)];
    Mailbox& box = mailbox(t.source, static_cast<CoreId>(k));
    if (box.arrived.empty()) return;
    const isa::cost::Duration d = duration(Opcode::recv, t);
    const Femtoseconds end =
        std::max(core.next + core_, std::max(core.next, box.arrived.front()) + cycles(d.write + d.retire));
    box.arrived.pop_front();
    end_transfer(core, end, steps_.cores[k][core.at].index);
    if (!rendezvous_) {
      box.credits.push_back(edge(end, network_) +
                            network_ * isa::cost::credit_network_cycles(chip_, t.source, static_cast<CoreId>(k)));
      wake_sender(t.source);
    }
  }
  // --- global memory
  void access(std::size_t k, std::int32_t index, bool is_store) {
    Core& core = cores_[k];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(index)];
    Femtoseconds start = std::max(core.next, core.transfer_free);
    Femtoseconds ready = start;
    if (is_store) {
      start = after_what_it_reads(core, t.what, start);
      ready = start + cycles(duration(Opcode::store, t).read);
    }
    core.next = start;
    core.waits = Waits::memory;
    const std::size_t flight = flights_.size();
    flights_.push_back({index, k, is_store ? isa::cost::flits(chip_, bytes_of(t)) : 1, 1, 0, {}});
    depart(flight, static_cast<std::uint32_t>(k), channel_of(t), edge(ready, network_));
  }
  /// By the place in its value, as if that began a page.
  std::uint32_t channel_of(const Transfer& t) const {
    const SpatialValue& v = s_.values[index_of(t.what.value)];
    const std::int64_t offset = std::int64_t{t.what.box.r0} * v.layout.positions * v.layout.channels * size_of(v.type);
    return static_cast<std::uint32_t>(chip_.cores + isa::cost::global_channel(chip_, offset));
  }
  void served(std::size_t index, std::uint32_t channel, Femtoseconds time) {
    Flight& f = flights_[index];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(f.transfer)];
    const bool is_store = t.kind == Transfer::Kind::store;
    const std::int64_t accesses =
        isa::cost::global_accesses(chip_, instruction(is_store ? Opcode::store : Opcode::load, t));
    const Cycles service =
        isa::cost::service_cycles(chip_, accesses, is_store, isa::cost::expected_rows(chip_, bytes_of(t)));
    Femtoseconds& free = channel_free_[channel - static_cast<std::uint32_t>(chip_.cores)];
    free = std::max(free, edge(time, memory_)) + service * memory_;
    if (is_store || chip_.rules.load_data_free) return loaded(f, free);
    f.flits = isa::cost::flits(chip_, bytes_of(t));
    depart(index, channel, static_cast<std::uint32_t>(f.core), edge(free, network_));
  }
  void loaded(const Flight& f, Femtoseconds time) {
    const std::size_t k = f.core;
    Core& core = cores_[k];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(f.transfer)];
    const bool is_store = t.kind == Transfer::Kind::store;
    const isa::cost::Duration d = duration(is_store ? Opcode::store : Opcode::load, t);
    const Femtoseconds end =
        std::max(core.next + core_, edge(time, core_) + cycles((is_store ? 0 : d.write) + d.retire));
    end_transfer(core, end, is_store ? -1 : f.transfer);
    woken_.push_back(k);
  }
};

}  // namespace

Cycles play_through(const Steps& steps, const Spatial& spatial, const isa::Chip& chip) {
  return Play(steps, spatial, chip).run();
}

}  // namespace pimento::pim
