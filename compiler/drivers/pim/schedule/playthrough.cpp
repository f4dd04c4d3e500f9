#include "compiler/drivers/pim/schedule/playthrough.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/emit/moves.hpp"
#include "compiler/drivers/pim/schedule/overlapping.hpp"
#include "isa/cost/cost.hpp"
#include "isa/cost/service.hpp"
#include "isa/cost/ways.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// Up to the next edge of a clock.
Femtoseconds edge(Femtoseconds time, Femtoseconds period) { return (time + period - 1) / period * period; }

class Play {
 public:
  Play(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, Closeness closeness)
      : steps_(steps),
        s_(spatial),
        chip_(chip),
        core_(chip.core.clock.period_fs),
        network_(chip.network.clock.period_fs),
        memory_(chip.global_memory.clock.period_fs),
        rendezvous_(chip.network.receive_buffer_messages == 0),
        cores_(steps.cores.size()),
        mailboxes_(steps.cores.size() * steps.cores.size()) {
    if (chip.core.window > 1) {
      const std::vector<CorePlan> plans = drafted_plans(steps, spatial, chip);
      for (std::size_t k = 0; k < cores_.size(); ++k)
        cores_[k].overlapping = std::make_unique<OverlappingCore>(
            spatial, chip,
            draft(steps, spatial, chip, plans, static_cast<CoreId>(k), closeness == Closeness::with_loops));
    }
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
    for (Core& core : cores_) {
      PIMENTO_CHECK(core.at == steps_of(core).size(), "the steps wait in a circle");
      end = std::max(end, core.overlapping ? cycles(core.overlapping->clock().end()) : core.next);
    }
    return edge(end, core_) / core_;
  }

 private:
  enum class Waits : std::uint8_t { nothing, credit, arrival, memory };
  /// The instruction of a transfer that a core is in: what local memory takes for it, and when it began.
  struct Moving {
    isa::Instruction form;
    isa::cost::Duration duration;
    Femtoseconds start = 0, ready = 0;  ///< ready: its bytes are read
    Bytes bytes() const { return static_cast<Bytes>(form.count) * form.len; }
  };
  struct Core {
    std::size_t at = 0;     ///< step
    Femtoseconds next = 0;  ///< the next step begins, where nothing overlaps
    Moving moving;
    Waits waits = Waits::nothing;
    std::uint32_t sent = 0;
    std::unique_ptr<OverlappingCore> overlapping;  ///< where the chip lets instructions overlap
    std::size_t moved = 0;                         ///< instructions of its transfer step that are done
    std::optional<CoreId> owed;                    ///< whose message the last transfer took, its credit not given yet
  };
  struct Mailbox {
    std::deque<Femtoseconds> arrived, credits, receives;
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
  bool rendezvous_;
  std::vector<Core> cores_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  ///< by source * cores + destination; made on first use
  std::optional<isa::cost::Ways> ways_;
  std::vector<Femtoseconds> free_, channel_free_;
  std::vector<Flight> flights_;
  std::priority_queue<Claim> claims_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> known_ways_;
  std::vector<std::size_t> woken_;  ///< cores that may go on

  Mailbox& mailbox(CoreId from, CoreId to) {
    std::unique_ptr<Mailbox>& box = mailboxes_[from * cores_.size() + to];
    if (!box) {
      box = std::make_unique<Mailbox>();
      box->credits.assign(static_cast<std::size_t>(chip_.network.receive_buffer_messages), 0);
    }
    return *box;
  }
  Femtoseconds cycles(Cycles n) const { return n * core_; }

  std::size_t number_of(const Core& core) const { return static_cast<std::size_t>(&core - cores_.data()); }
  const std::vector<Step>& steps_of(const Core& core) const { return steps_.cores[number_of(core)]; }
  const Transfer& transfer_of(const Core& core) const {
    return steps_.transfers[static_cast<std::size_t>(steps_of(core)[core.at].index)];
  }

  /// Does what the core can do until it must wait.
  void go(std::size_t k) {
    Core& core = cores_[k];
    while (core.waits == Waits::nothing && core.at < steps_.cores[k].size()) {
      const Step& step = steps_.cores[k][core.at];
      switch (step.kind) {
        case Step::Kind::compute:
          compute(core, step);
          break;
        case Step::Kind::write: {  // as long as the schedule says, and nothing beside it
          const CellWrite& w = steps_.writes[static_cast<std::size_t>(step.index)];
          stand(core, w.end - w.start);
          break;
        }
        case Step::Kind::send:
          send(k);
          break;
        case Step::Kind::receive:
          receive(k);
          break;
        default:
          access(k, step.kind == Step::Kind::store);
      }
    }
    if (core.at < steps_.cores[k].size() || core.waits != Waits::nothing) return;
    if (core.overlapping) core.overlapping->next();
    pay(core);
  }
  void stand(Core& core, Cycles time) {
    if (core.overlapping) {
      core.overlapping->next();
      pay(core);
      core.overlapping->clock().stand_until(core.overlapping->clock().end() + time);
    }
    core.next += cycles(time);
    ++core.at;
  }
  /// Where instructions overlap, its own issue when the next transfer is asked for.
  void compute(Core& core, const Step& step) {
    if (!core.overlapping)
      core.next += cycles(std::max<Cycles>(1, s_.computes[static_cast<std::size_t>(step.index)].alone));
    ++core.at;
  }

  /// The next instruction of the core's transfer step issues.
  void begin(Core& core) {
    const Step& step = steps_of(core)[core.at];
    const bool brings = step.kind == Step::Kind::receive || step.kind == Step::Kind::load;
    Moving& m = core.moving;
    if (!core.overlapping) {
      const Transfer& t = transfer_of(core);
      m.form = packed_move(step.kind, t, s_.values[index_of(t.what.value)]);
      m.duration = isa::cost::local(chip_, m.form);
      m.start = core.next;
      m.ready = m.start + cycles(m.duration.start + m.duration.read);
      return;
    }
    const OverlappingCore::Contact contact = core.overlapping->next();
    PIMENTO_CHECK(contact.instruction != nullptr, "a step has no instruction");
    pay(core);
    m.form = *contact.instruction;
    m.duration = contact.timed.duration;
    const CoreClock::Begun begun = core.overlapping->clock().begin(contact.timed, brings);
    m.start = cycles(begun.start), m.ready = cycles(begun.read_end);
  }
  /// What the core's transfer brings is there, or what it sends has left: what does not need it goes on.
  void end_transfer(Core& core, Femtoseconds time) {
    core.waits = Waits::nothing;
    const isa::cost::Duration& d = core.moving.duration;
    const bool is_receive = steps_of(core)[core.at].kind == Step::Kind::receive;
    const bool brings = is_receive || steps_of(core)[core.at].kind == Step::Kind::load;
    if (is_receive && !rendezvous_) core.owed = transfer_of(core).source;
    if (core.overlapping) {
      core.overlapping->clock().known(edge(time, core_) / core_);
      if (++core.moved < core.overlapping->moves(core.at)) return;
      core.moved = 0;
    } else {
      const Femtoseconds done = std::max(core.next, edge(time, core_)) + cycles((brings ? d.write : 0) + d.retire);
      core.next = std::max(core.next + core_, done);
      pay(core);
    }
    ++core.at;
  }
  /// The place of the message that was taken last is free, and its credit goes back.
  void pay(Core& core) {
    if (!core.owed) return;
    const Femtoseconds end = core.overlapping ? cycles(core.overlapping->clock().close()) : core.next;
    const CoreId source = *std::exchange(core.owed, std::nullopt), here = static_cast<CoreId>(number_of(core));
    mailbox(source, here)
        .credits.push_back(edge(end, network_) + network_ * isa::cost::credit_network_cycles(chip_, source, here));
    wake_sender(source);
  }
  // --- messages
  void send(std::size_t k) {
    Core& core = cores_[k];
    begin(core);
    core.waits = Waits::credit;
    try_launch(k);
  }
  void try_launch(std::size_t k) {
    Core& core = cores_[k];
    if (core.waits != Waits::credit) return;
    const Transfer& t = transfer_of(core);
    for (const CoreId d : t.destinations) {
      const Mailbox& box = mailbox(t.source, d);
      if ((rendezvous_ ? box.receives : box.credits).empty()) return;
    }
    Femtoseconds start = edge(core.moving.ready, network_);
    for (const CoreId d : t.destinations) {
      Mailbox& box = mailbox(t.source, d);
      auto& tokens = rendezvous_ ? box.receives : box.credits;
      start = std::max(start, tokens.front());
      tokens.pop_front();
    }
    start += network_ * isa::cost::request_and_grant_cycles(chip_, t.source, t.destinations.front());
    const std::int64_t flits = isa::cost::flits(chip_, core.moving.bytes());
    const std::size_t flight = flights_.size();
    flights_.push_back(
        {steps_of(core)[core.at].index, k, flits, static_cast<std::uint32_t>(t.destinations.size()), 0, {}});
    for (const CoreId d : t.destinations) depart(flight, t.source, d, start);
    core.waits = Waits::arrival;  // of its message
    if (!rendezvous_ && ways_)
      end_transfer(core, start + network_ * (chip_.network.handshake_cycles + flits));
    else if (chip_.rules.sends_end_early)
      end_transfer(core, start + core_);
  }

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
      end_transfer(cores_[sender], latest);
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

  void receive(std::size_t k) {
    Core& core = cores_[k];
    const CoreId source = transfer_of(core).source;
    begin(core);
    core.waits = Waits::arrival;
    if (rendezvous_) {
      mailbox(source, static_cast<CoreId>(k)).receives.push_back(edge(core.moving.start, network_));
      wake_sender(source);
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
    Mailbox& box = mailbox(transfer_of(core).source, static_cast<CoreId>(k));
    if (box.arrived.empty()) return;
    const Femtoseconds arrived = box.arrived.front();
    box.arrived.pop_front();
    end_transfer(core, arrived);
  }
  // --- global memory
  void access(std::size_t k, bool is_store) {
    Core& core = cores_[k];
    begin(core);
    core.waits = Waits::memory;
    const std::size_t flight = flights_.size();
    flights_.push_back(
        {steps_of(core)[core.at].index, k, is_store ? isa::cost::flits(chip_, core.moving.bytes()) : 1, 1, 0, {}});
    depart(flight, static_cast<std::uint32_t>(k), channel_of(transfer_of(core)), edge(core.moving.ready, network_));
  }
  /// By the place in its value, as if that began a page.
  std::uint32_t channel_of(const Transfer& t) const {
    const SpatialValue& v = s_.values[index_of(t.what.value)];
    const PBox& box = t.what.box;
    const std::int64_t position = std::int64_t{box.r0} * v.layout.positions + box.p0;
    const std::int64_t offset = (position * v.layout.channels + box.c0) * size_of(v.type);
    return static_cast<std::uint32_t>(chip_.cores + isa::cost::global_channel(chip_, offset));
  }
  void served(std::size_t index, std::uint32_t channel, Femtoseconds time) {
    Flight& f = flights_[index];
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(f.transfer)];
    const Moving& m = cores_[f.core].moving;
    const bool is_store = t.kind == Transfer::Kind::store;
    const Cycles service = isa::cost::service_cycles(chip_, isa::cost::global_accesses(chip_, m.form), is_store,
                                                     isa::cost::expected_rows(chip_, m.bytes()));
    Femtoseconds& free = channel_free_[channel - static_cast<std::uint32_t>(chip_.cores)];
    free = std::max(free, edge(time, memory_)) + service * memory_;
    if (is_store || chip_.rules.load_data_free) return loaded(f, free);
    f.flits = isa::cost::flits(chip_, m.bytes());
    depart(index, channel, static_cast<std::uint32_t>(f.core), edge(free, network_));
  }
  void loaded(const Flight& f, Femtoseconds time) {
    end_transfer(cores_[f.core], time);
    woken_.push_back(f.core);
  }
};

}  // namespace

Cycles play_through(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, Closeness closeness) {
  return Play(steps, spatial, chip, closeness).run();
}

}  // namespace pimento::pim
