#include "simulator/chip/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

using isa::Opcode;

std::int64_t wall_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Machine::Machine(const isa::Program& p, const isa::Chip& c, const Options& o, std::shared_ptr<const Code> decoded)
    : program(p),
      chip(c),
      options(o),
      clocks{c.core.clock.period_fs, c.network.clock.period_fs, c.global_memory.clock.period_fs},
      values(!o.timing_only),
      items(decodes_items(c, o.timing_only, o.observer != nullptr)),
      carries{values && p.numerics == Numerics::exact, values && o.track_writers},
      held_code(std::move(decoded)),
      code(*held_code),
      images_(p) {
  if (program.cores.size() > static_cast<std::size_t>(chip.cores))
    throw UserError(
        fmt::format("the program is for {} cores, chip '{}' has {}", program.cores.size(), chip.name, chip.cores));
  if (values) {
    tiles.reserve(program.tiles.size());
    for (const isa::Tile& tile : program.tiles) tiles.push_back(pack(tile, carries.shadows, chip, tiles.size()));
    global_ = GlobalImage(program, chip, carries, options.inputs);
  }
  mailboxes.reserve(code.pairs.size());
  for (const PairKey& pair : code.pairs) {
    Mailbox& box = mailboxes.emplace_back();
    box.source = pair.source;
    box.destination = pair.destination;
    for (int n = 0; n < chip.network.receive_buffer_messages; ++n) box.credits.push(0);
  }
  const auto guarded = [this](const std::function<void()>& body) { guard(body); };
  network_ = make_network({chip, program.core_sets, kernel, *this, guarded});
  arrange_meetings();
  const int channels = std::max(chip.global_memory.channels, 1);
  for (int n = 0; n < channels; ++n)
    channels_.push_back(std::make_unique<Channel>(
        chip, kernel,
        [this](MemoryRequest&& request, Cycles start, Cycles end) { served(std::move(request), start, end); },
        guarded));
  left_.resize(program.cores.size(), 0);
  sequence_.resize(static_cast<std::size_t>(chip.cores + channels), 0);
  for (CoreId id = 0; id < program.cores.size(); ++id) cores.push_back(std::make_unique<Core>(*this, id));
}

Machine::~Machine() = default;

void Machine::run() {
  last_progress_ms_ = wall_ms();
  for (const auto& core : cores) core->wake_first();
  kernel.run();
  if (fault_) std::rethrow_exception(fault_);
}

void Machine::run_with_woken(Core& core) {
  guard([&] {
    running_ = true;
    core.run();
    while (!woken_.empty()) {
      Core& next = *woken_.back();
      woken_.pop_back();
      next.run();
    }
    running_ = false;
  });
}

void Machine::arrange_meetings() {
  if (!items || !rendezvous()) return;
  meetings.reserve(mailboxes.size());
  for (const Mailbox& box : mailboxes) {
    PrivateWay* way = network_->way(box.source, box.destination);
    if (way == nullptr) return meetings.clear();
    meetings.push_back({nullptr, nullptr, 0, way, 0, 0});
  }
  // A multicast meets its receives with a flight, and the flight's receives queue with those of messages.
  if (!code.pair_sets.empty()) meetings.clear();
}

bool Machine::should_stop(Cycles time) {
  if (stopping_) return true;
  if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) stopping_ = interrupted_ = true;
  if (options.progress) {
    const std::int64_t now = wall_ms();
    if (now - last_progress_ms_ >= 200) {
      last_progress_ms_ = now;
      std::int64_t instructions = 0;
      for (const auto& core : cores) instructions += core->instructions();
      options.progress({time, instructions});
    }
  }
  return stopping_;
}

std::uint32_t Machine::new_transit() {
  if (spare_.empty()) {
    transits_.emplace_back();
    return static_cast<std::uint32_t>(transits_.size() - 1);
  }
  const std::uint32_t slot = spare_.back();
  spare_.pop_back();
  Transit& t = transits_[slot];  // what it carried is gone already; the rest is set by who takes it
  t.mailbox = t.mailbox_set = none;
  t.latest = 0;
  return slot;
}

std::span<const std::uint32_t> Machine::mailboxes_of(const Transfer& x, const std::uint32_t& single) const {
  if (x.kind == Kind::multicast) return code.pair_sets[x.step.aux];
  return {&single, 1};
}

Cycles Machine::one_flit(CoreId source, CoreId destination) const {
  return isa::cost::message_network_cycles(chip, source, destination, 1) - chip.network.handshake_cycles;
}

Cycles Machine::granted(CoreId source, CoreId destination, Cycles asks, Cycles read, Cycles receive) {
  const Cycles asked = left_[source] = turn(source, asks) + one_flit(source, destination);
  const Cycles answered = left_[destination] =
      turn(destination, std::max(asked, receive)) + one_flit(destination, source);
  return clocks.core_to_network(clocks.network_to_core(answered) + read);
}

void Machine::try_launch(Core& source) {
  Transfer& x = source.transfer();
  if (!x.active || x.launched || (x.kind != Kind::send && x.kind != Kind::multicast)) return;
  const std::uint32_t single = x.step.aux;
  const auto boxes = mailboxes_of(x, single);
  for (const std::uint32_t each : boxes)
    if ((rendezvous() ? mailboxes[each].receives : mailboxes[each].credits).empty()) return;
  Cycles start = x.ready;
  for (const std::uint32_t each : boxes) {
    Mailbox& box = mailboxes[each];
    const Cycles since = rendezvous() ? box.receives.pop() : box.credits.pop();
    start = std::max(start, chip.rules.request_and_grant
                                ? granted(source.id(), box.destination, x.ready, x.cost->read, since)
                                : since);
  }
  x.launched = true;
  x.moving = clocks.network_to_core(start);

  const std::uint32_t token = new_transit();
  Transit& t = transits_[token];
  t.cargo = Cargo::message;
  t.core = source.id();
  t.instruction = x.step.instruction;
  t.tag = x.tag;
  t.bytes = x.cost->bytes;
  t.left = static_cast<int>(boxes.size());
  t.payload = x.payload;
  (x.kind == Kind::multicast ? t.mailbox_set : t.mailbox) = x.step.aux;
  Flight flight{source.id(),
                x.target,
                x.kind == Kind::multicast ? static_cast<std::int32_t>(x.target) : -1,
                x.cost->bytes,
                turn(source.id(), start) + chip.network.handshake_cycles,
                sequence_[source.id()]++,
                token};
  const Cycles free = network_->launch(flight);
  left_[source.id()] = free;
  if (!rendezvous() || boxes.empty()) x.known = clocks.network_to_core(free);
}

void Machine::wake_source_of(Mailbox& box) {
  Core& source = *cores[box.source];
  const Transfer& x = source.transfer();
  if (!x.active || x.launched) return;
  try_launch(source);
  if (x.known != unknown) source.wake();
}

void Machine::receive_issued(std::uint32_t mailbox, Cycles issue) {
  if (!rendezvous()) return;
  Mailbox& box = mailboxes[mailbox];
  box.receives.push(clocks.core_to_network(issue));
  wake_source_of(box);
}

void Machine::receive_ended(std::uint32_t mailbox, Cycles end) {
  if (rendezvous()) return;
  Mailbox& box = mailboxes[mailbox];
  box.credits.push(clocks.core_to_network(end) + isa::cost::credit_network_cycles(chip, box.source, box.destination));
  wake_source_of(box);
}

void Machine::request_memory(Core& source, const isa::Instruction& i, const GlobalView& view,
                             std::vector<std::int64_t> starts) {
  const Transfer& x = source.transfer();
  MemoryRequest request;
  request.core = source.id();
  request.instruction = x.step.instruction;
  request.is_store = x.kind == Kind::store;
  request.view = view;
  request.channel = isa::cost::global_channel(chip, view.place.start(0, 0));
  request.bytes = x.cost->bytes;
  request.accesses = isa::cost::global_accesses(chip, i);
  request.starts = std::move(starts);
  request.segment = i.len;
  request.payload = x.payload;
  // a gstore's addresses travel with its data
  const Bytes addresses = i.opcode == Opcode::gstore ? Bytes{4} * i.count : 0;
  const Bytes bytes = request.is_store ? request.bytes + addresses : isa::cost::request_bytes(i);
  const std::uint32_t token = new_transit();
  Transit& t = transits_[token];
  t.cargo = Cargo::request;
  t.left = 1;
  const auto channel = static_cast<Endpoint>(chip.cores + request.channel);
  t.request = std::move(request);
  left_[source.id()] =
      network_->launch({source.id(), channel, -1, bytes, turn(source.id(), x.ready) + chip.network.handshake_cycles,
                        sequence_[source.id()]++, token});
}

Cycles Machine::launch_event(Core& source, const isa::Instruction& i, Cycles ready) {
  if (i.imm < 0 || i.target >= cores.size())
    throw UserError(fmt::format("{}: expected a value of at least 0 and a core of the program",
                                describe(program, source.id(), source.transfer().step.instruction)));
  const std::uint32_t token = new_transit();
  Transit& t = transits_[token];
  t.cargo = Cargo::event;
  t.left = 1;
  t.tag = i.tag;
  t.value = i.imm;
  const Cycles free =
      network_->launch({source.id(), i.target, -1, 1, turn(source.id(), ready) + chip.network.handshake_cycles,
                        sequence_[source.id()]++, token});
  left_[source.id()] = free;
  return chip.rules.sends_end_early ? clocks.network_to_core(ready) + 1 : clocks.network_to_core(free);
}

void Machine::arrived(const Flight& flight, Endpoint destination, Cycles time) {
  Transit& t = transits_[flight.token];
  t.latest = std::max(t.latest, time);
  --t.left;
  switch (t.cargo) {
    case Cargo::message:
      deliver(t, destination, time);
      break;
    case Cargo::request: {
      MemoryRequest request = std::move(t.request);
      Channel& channel = *channels_[static_cast<std::size_t>(request.channel)];
      channel.request(std::move(request), clocks.network_to_memory(time), flight.sequence);
      break;
    }
    case Cargo::data: {
      Core& core = *cores[destination];
      core.transfer().known = clocks.network_to_core(time);
      core.transfer().payload = std::move(t.payload);
      core.wake();
      break;
    }
    case Cargo::event:
      cores[destination]->event_added(t.tag, t.value, clocks.network_to_core(time));
      break;
  }
  if (transits_[flight.token].left == 0) {
    transits_[flight.token].payload.reset();
    spare_.push_back(flight.token);
  }
}

void Machine::deliver(Transit& t, Endpoint destination, Cycles time) {
  std::uint32_t mailbox = t.mailbox;
  if (mailbox == none)
    for (const std::uint32_t each : code.pair_sets[t.mailbox_set])
      if (mailboxes[each].destination == destination) mailbox = each;
  Mailbox& box = mailboxes[mailbox];
  const Cycles arrival = clocks.network_to_core(time);
  box.arrived.push({arrival, t.instruction, t.tag, t.bytes, t.payload});
  Core& receiver = *cores[destination];
  Transfer& r = receiver.transfer();
  if (r.active && r.kind == Kind::receive && r.step.aux == mailbox && r.known == unknown) {
    r.known = box.arrived.front().arrival;
    receiver.wake();
  }
  if (!rendezvous() || t.left > 0) return;
  Core& sender = *cores[t.core];
  sender.transfer().known = chip.rules.sends_end_early ? sender.transfer().moving : clocks.network_to_core(t.latest);
  sender.wake();
}

void Machine::served(MemoryRequest&& request, Cycles start, Cycles end) {
  if (values) global_.serve(request);
  if (options.observer)
    options.observer->served({request.channel, request.core, request.instruction, request.is_store, request.bytes,
                              start, end, request.rows});
  Core& core = *cores[request.core];
  if (!request.is_store && chip.rules.load_data_free) core.transfer().payload = std::move(request.payload);
  if (request.is_store) images_.stored(request.view.place.start(0, 0), clocks.memory_to_core(end));
  if (request.is_store || chip.rules.load_data_free) {
    core.transfer().known = clocks.memory_to_core(end);
    core.wake();
    return;
  }
  const std::uint32_t token = new_transit();
  Transit& t = transits_[token];
  t.cargo = Cargo::data;
  t.left = 1;
  t.payload = std::move(request.payload);
  const auto channel = static_cast<Endpoint>(chip.cores + request.channel);
  network_->launch({channel, request.core, -1, request.bytes,
                    clocks.memory_to_network(end) + chip.network.handshake_cycles, sequence_[channel]++, token});
}

Result Machine::result() const {
  Result r;
  bool limited = false, unfinished = false;
  for (const auto& core : cores) {
    limited = limited || core->limited();
    unfinished = unfinished || !core->finished();
    r.cycles = std::max(r.cycles, core->finished() ? core->end() : core->time());
  }
  limited = limited || r.cycles > limit();
  r.stop = interrupted_ ? StopReason::interrupted
           : limited    ? StopReason::max_cycles
           : unfinished ? StopReason::deadlock
                        : StopReason::finished;
  if (r.stop == StopReason::finished && !unreceived().empty()) r.stop = StopReason::unreceived;
  r.explanation = explanation(r.stop, r.cycles);
  collect(r);
  r.image_ends = images_.ends();
  if (values)
    for (const isa::Port& port : program.outputs) r.outputs.push_back(global_.output(port, carries.shadows));
  return r;
}

}  // namespace pimento::sim
