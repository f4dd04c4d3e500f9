// The core's side of everything that involves another part of the chip.
#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/operands.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"
#include "simulator/core/core.hpp"

namespace pimento::sim {
namespace {

using isa::Opcode;

/// Addresses in global memory of a load's or store's segments.
std::vector<std::int64_t> global_starts(const GlobalView& view, const std::vector<std::int32_t>& indices) {
  std::vector<std::int64_t> starts;
  for (std::int64_t k = 0; k < view.count; ++k)
    starts.push_back(view.place.start(view.indexed ? indices[static_cast<std::size_t>(k)] : k, view.stride));
  return starts;
}

}  // namespace

void Core::issue_transfer(const Step& step, const Cost& cost, const isa::Instruction& instruction, Cycles t) {
  const isa::Rules& rules = machine_.chip.rules;
  const Cycles start = t + cost.start;
  Cycles read_end = start + cost.read;
  if (window_ > 1) {
    ports_.forget(t);
    read_end = ports_.book(start, cost.read, read_banks_) + cost.read;
  }
  Transfer& x = transfer_;
  x.active = true;
  x.launched = false;
  x.known = unknown;
  x.moving = 0;
  x.kind = cost.kind;
  x.tag = instruction.tag;
  x.target = instruction.target;
  x.cost = &cost;
  x.step = step;
  x.order = order_;
  x.written = write_banks_;
  x.issue = t;
  const bool has_address = executor_ || cost.kind == Kind::load || cost.kind == Kind::store;
  if (has_address) x.places = registers_.places(instruction);
  if (window_ > 1) in_flight_.push_back({0, read_end, true, candidate_});
  if (counters_ && !machine_.items) {
    idle_.latency += std::max<Cycles>(0, t - covered_);
    covered_ = std::max(covered_, read_end);
  }
  enter_window(unknown);
  Tally& tally = tallies_[step.cost];
  if (tally.count++ == 0) tally.first = t;

  // A send that asks first reads when it has been granted.
  const bool asks = rules.request_and_grant && cost.kind == Kind::send;
  x.ready = machine_.clocks.core_to_network(asks ? start : read_end);
  const bool takes_bytes = cost.kind == Kind::send || cost.kind == Kind::multicast || cost.kind == Kind::store;
  if (executor_ && takes_bytes) {
    x.payload = std::make_shared<Payload>();
    executor_->read(instruction, step.instruction, x.places, *x.payload);
  }
  switch (cost.kind) {
    case Kind::send:
    case Kind::multicast:
      machine_.try_launch(*this);
      break;
    case Kind::receive:
      machine_.receive_issued(step.aux, start);
      if (const Mailbox& box = machine_.mailboxes[step.aux]; !box.arrived.empty())
        x.known = box.arrived.front().arrival;
      break;
    case Kind::load:
    case Kind::store: {
      const GlobalView view = global_view(instruction, x.places);
      std::vector<std::int32_t> indices;
      if (executor_ && view.indexed) indices = executor_->indices(instruction, step.instruction, x.places);
      std::vector<std::int64_t> starts;
      if (executor_) starts = global_starts(view, indices);
      machine_.request_memory(*this, instruction, view, std::move(starts));
      break;
    }
    case Kind::sync:
      x.known = machine_.launch_event(*this, instruction, x.ready);
      break;
    default:
      break;  // wait: asks when it must
  }
}

bool Core::transfer_known() {
  if (transfer_.known != unknown) return true;
  if (transfer_.kind != Kind::wait) return false;
  const std::optional<Cycles> reached = event_reached();
  if (!reached) return false;
  const bool surely = *reached <= transfer_.issue || machine_.kernel.now() >= *reached * machine_.clocks.core;
  if (!surely) {  // another core may still add to it earlier
    process_.wake_at(*reached * machine_.clocks.core);
    return false;
  }
  transfer_.known = std::max(transfer_.issue + 1, *reached);
  return true;
}

Cycles Core::settle() {
  Transfer& x = transfer_;
  const Cost& cost = *x.cost;
  Cycles busy = cost.read;
  Cycles end = 0;
  // Nothing acts on another core in the same cycle: an early end follows the receive that lets the data move.
  const bool early = machine_.chip.rules.sends_end_early && x.kind == Kind::send;
  const Cycles after_moving = early ? x.moving + 1 : 0;
  if (x.opens_ports()) {
    end = settle_incoming();
    busy += cost.write;
  } else {
    end = std::max({x.known + cost.retire, x.issue + 1, after_moving});
    if (x.kind == Kind::send || x.kind == Kind::multicast) busy += std::max<Cycles>(0, end - x.moving);
    if (x.kind == Kind::sync) busy = end - x.issue;
  }
  x.active = false;
  x.payload.reset();
  const Cycles held = end - x.issue, waits = held - std::min(busy, held);
  transfer_held_ += held;
  transfer_busy_ += held - waits;
  if (counters_) {
    const Cycles from = x.issue + std::min(cost.read, held - waits);
    note_waiting(x.kind, from, waits, end);
    if (observer_) observer_->transferred({id_, x.step.instruction, x.issue, end - cost.retire, from, from + waits});
  }
  Tally& tally = tallies_[x.step.cost];
  tally.last = std::max(tally.last, end);
  if (machine_.options.record_contacts) contacts_.push_back({x.step.instruction, x.issue, end});

  free_[unit_transfer] = std::max(end - cost.retire, after_moving);
  latest_ = std::max(latest_, end);
  end_of_[static_cast<std::size_t>(x.order % window_)] = end;
  for (std::int64_t n = x.order; n < order_; ++n) {
    const auto slot = static_cast<std::size_t>(n % window_);
    retired_ = std::max(retired_, end_of_[slot]);
    retired_of_[slot] = retired_;
  }
  for (InFlight& each : in_flight_)
    if (each.is_open) each.is_open = false, each.end = end;
  return end;
}

Cycles Core::settle_incoming() {
  Transfer& x = transfer_;
  const Cycles arrived = std::max(x.issue + x.cost->start, x.known);
  const Cycles start = window_ > 1 ? ports_.book(arrived, x.cost->write, x.written) : arrived;
  const Cycles end = std::max(start + x.cost->write + x.cost->retire, x.issue + 1);
  const isa::Instruction& instruction = instructions_of_[x.step.instruction];
  if (x.kind == Kind::load) {
    if (executor_) executor_->write(instruction, x.step.instruction, x.places, *x.payload);
    return end;
  }
  check_delivery();
  const Delivery delivery = machine_.mailboxes[x.step.aux].arrived.pop();
  if (executor_) executor_->write(instruction, x.step.instruction, x.places, *delivery.payload);
  machine_.receive_ended(x.step.aux, end);
  return end;
}

void Core::check_delivery() const {
  const Mailbox& box = machine_.mailboxes[transfer_.step.aux];
  const Delivery& next = box.arrived.front();
  if (next.tag == transfer_.tag && next.bytes == transfer_.cost->bytes) return;
  mismatch({transfer_.step.instruction, transfer_.tag, transfer_.cost->bytes}, {next.instruction, next.tag, next.bytes},
           box.source);
}

void Core::mismatch(const Party& receiver, const Party& sender, CoreId source) const {
  throw UserError(fmt::format("{}: expected tag {} and {} bytes, got tag {} and {} bytes from {}",
                              describe(machine_.program, id_, receiver.instruction), receiver.tag, receiver.bytes,
                              sender.tag, sender.bytes, describe(machine_.program, source, sender.instruction)));
}

void Core::event_added(std::uint32_t event, std::int32_t value, Cycles time) {
  auto at = std::find_if(events_.begin(), events_.end(), [&](const auto& e) { return e.first == event; });
  if (at == events_.end()) at = events_.insert(events_.end(), {event, {}});
  auto& all = at->second;
  const auto place =
      std::upper_bound(all.begin(), all.end(), time, [](Cycles t, const EventAddition& a) { return t < a.time; });
  all.insert(place, {time, value});
  if (transfer_.active && transfer_.kind == Kind::wait) wake();
}

std::int64_t Core::event_value(std::uint32_t event) const {
  std::int64_t sum = 0;
  for (const auto& [id, additions] : events_)
    if (id == event)
      for (const EventAddition& each : additions) sum += each.value;
  return sum;
}

std::optional<Cycles> Core::event_reached() {
  const isa::Instruction& instruction = instructions_of_[transfer_.step.instruction];
  if (instruction.imm <= 0) return 0;
  for (auto& [id, additions] : events_) {
    if (id != instruction.tag) continue;
    std::int64_t sum = 0;
    for (const EventAddition& each : additions) {
      sum += each.value;
      if (sum >= instruction.imm) return each.time;
    }
  }
  return std::nullopt;
}

}  // namespace pimento::sim
