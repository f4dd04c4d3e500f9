#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"
#include "simulator/lockstep/lockstep.hpp"
#include "simulator/network/mailbox.hpp"
#include "simulator/observe/account.hpp"

namespace pimento::sim::lockstep {

using isa::Opcode;

LockCore::LockCore(Chip& chip, CoreId id)
    : chip_(chip),
      id_(id),
      program_(chip.program.cores[id]),
      code_(chip.code.cores[id]),
      cost_of_(program_.instructions.size(), 0),
      ports_(static_cast<std::size_t>(std::max(chip.chip.core.local_memory.ports, 1))),
      tallies_(code_.costs.size()) {
  for (const Step& step : code_.steps)
    if (code_.costs[step.cost].kind != Kind::loop_end) cost_of_[step.instruction] = step.cost;
  if (!chip.options.timing_only)
    executor_.emplace(chip.program, id, chip.tiles,
                      std::max(program_.local_memory_used, chip.chip.core.local_memory.capacity), chip.carries);
  next_instruction(0);
  chip_.expect(chip_.chip.rules.first_issue);
}

/// Goes to `at`, or back to the start of a loop whose body ends there.
void LockCore::next_instruction(std::uint32_t at) {
  pc_ = at;
  while (!loops_.empty() && loops_.back().last == pc_) {
    std::int64_t& counter = registers_.counters[loops_.size() - 1];
    if (--loops_.back().left > 0) {
      ++counter;
      pc_ = loops_.back().first;
      return;
    }
    counter = 0;
    loops_.pop_back();
  }
}

Flying* LockCore::transfer() {
  for (Flying& f : window_)
    if (is_contact(f.cost->kind) && !f.end) return &f;
  return nullptr;
}

Cycles LockCore::book(Cycles earliest, Cycles cycles, const std::set<std::int64_t>& banks) {
  if (cycles == 0) return earliest;
  for (Cycles start = earliest;; ++start) {
    const auto is_free = [&](const std::set<Cycles>& taken) {
      const auto next = taken.lower_bound(start);
      return next == taken.end() || *next >= start + cycles;
    };
    if (!std::all_of(banks.begin(), banks.end(), [&](std::int64_t bank) { return is_free(banks_[bank]); })) continue;
    const auto port = std::find_if(ports_.begin(), ports_.end(), is_free);
    if (port == ports_.end()) continue;
    for (Cycles c = start; c < start + cycles; ++c) {
      port->insert(c);
      for (const std::int64_t bank : banks) banks_[bank].insert(c);
    }
    return start;
  }
}

/// Byte by byte.
void LockCore::find_banks(Flying& f, const Footprint& bytes, const Touched& touched) const {
  const isa::LocalMemory& memory = chip_.chip.core.local_memory;
  if (memory.bank_interleave == 0) return;
  const auto add = [&](const ByteRange& r, bool anywhere, std::set<std::int64_t>& banks) {
    for (std::int64_t bank = 0; anywhere && bank < memory.banks; ++bank) banks.insert(bank);
    for (std::int64_t byte = r.low; byte < r.high; ++byte)
      if (r.stride == 0 || (byte - r.low) % r.stride < r.bytes)
        banks.insert(isa::wrap(byte / memory.bank_interleave, 0, memory.banks));
  };
  for (const ByteRange& read : bytes.all_reads()) add(read, touched.reads_all > 0, f.read_banks);
  for (const isa::cost::Operand& source : touched.operands.sources()) add({}, source.indexed, f.read_banks);
  if (bytes.writes) add(bytes.write, touched.operands.destination.indexed, f.write_banks);
}

void LockCore::cycle(Cycles now) {
  if (finished_) return;
  for (auto& port : ports_) port.erase(port.begin(), port.lower_bound(now));
  for (auto& [bank, taken] : banks_) taken.erase(taken.begin(), taken.lower_bound(now));
  // 1. what has come from outside
  if (Flying* x = transfer()) advance_transfer(*x, now);
  // 2. retire in order
  while (!window_.empty() && window_.front().end && *window_.front().end <= now) window_.pop_front();
  // 3. issue one instruction
  if (pc_ >= program_.instructions.size()) {
    if (window_.empty()) {
      finished_ = true;
      time_ = end_;
    }
    return;
  }
  if (now < chip_.chip.rules.first_issue) return;
  Flying f;
  f.instruction = pc_;
  f.cost_index = cost_of_[pc_];
  f.cost = &code_.costs[f.cost_index];
  const isa::Instruction& i = program_.instructions.data[pc_];
  f.places = registers_.places(i);
  const std::int64_t columns = f.cost->tile == none ? 0 : chip_.program.tiles[f.cost->tile].cols;
  const Touched touches = touched(i, columns, chip_.chip.core.local_memory.capacity);
  footprint(touches, f.places, f.bytes);
  const Footprint bytes = f.bytes;  // as they are, whatever hazards make of them
  bend(f.bytes, f.cost->kind == Kind::load || f.cost->kind == Kind::store, chip_.chip.rules);
  if (!may_issue(f, now)) return;
  find_banks(f, bytes, touches);
  issue(std::move(f), now);
}

bool LockCore::uses_register_of(const Flying& writer, const isa::Instruction& i, const Cost& cost) const {
  const isa::Instruction& w = program_.instructions.data[writer.instruction];
  if (writer.cost->part != isa::Unit::scalar || w.reg_d == isa::no_register) return false;
  const bool writes_address = writer.cost->kind == Kind::address;
  const bool in_scalar_file = cost.part == isa::Unit::scalar && cost.kind != Kind::address;
  if (writes_address == in_scalar_file) return false;
  return i.reg_d == w.reg_d || i.reg_a == w.reg_d || i.reg_b == w.reg_d;
}

bool LockCore::share_crossbars(Unit a, Unit b) const {
  if (code_.sharing.empty() || a < unit_group || b < unit_group) return false;
  const auto& all = code_.sharing[a - unit_group];
  return std::find(all.begin(), all.end(), b - unit_group) != all.end();
}

bool LockCore::may_issue(const Flying& f, Cycles now) const {
  if (window_.size() >= static_cast<std::size_t>(std::max(chip_.chip.core.window, 1))) return false;
  const isa::Instruction& i = program_.instructions.data[f.instruction];
  for (const Flying& other : window_) {
    if (other.end && *other.end <= now) continue;
    // an array group that overlaps takes the next product early, but is written when it is empty
    const bool whole = writes_cells(f.cost->opcode) && !is_contact(other.cost->kind);
    const bool overlaps = !whole && other.cost->occupies >= 0 && f.cost->occupies >= 0;
    const bool unit_free = other.end && (whole ? *other.end - other.cost->retire : other.free) <= now &&
                           (!overlaps || other.read_end + other.cost->occupies <= now + f.cost->start + f.cost->read);
    if (f.cost->unit != unit_control && other.cost->unit == f.cost->unit && !unit_free) return false;
    if (whole && share_crossbars(f.cost->unit, other.cost->unit) && !unit_free) return false;
    if (uses_register_of(other, i, *f.cost)) return false;
    const Conflict c = conflict(other.bytes, f.bytes, chip_.chip.rules);
    if (c.on_result || (c.on_reading && other.read_end > now)) return false;
  }
  return true;
}

void LockCore::issue(Flying f, Cycles now) {
  const isa::Instruction& i = program_.instructions.data[f.instruction];
  const Cost& cost = *f.cost;
  f.issue = now;
  time_ = now + 1;
  ++instructions_;
  Tally& tally = tallies_[f.cost_index];
  if (tally.count++ == 0) tally.first = now;
  f.read_end = book(now + cost.start, cost.read, f.read_banks) + cost.read;
  chip_.expect(f.read_end);
  if (is_contact(cost.kind)) {
    window_.push_back(std::move(f));
    next_instruction(pc_ + 1);
    begin_transfer(window_.back(), now);
    if (cost.kind == Kind::receive) advance_transfer(window_.back(), now);  // its message may be there already
    return;
  }
  const Cycles end =
      std::max(now + 1, book(f.read_end + cost.compute, cost.write, f.write_banks) + cost.write + cost.retire);
  f.end = end;
  f.free = cost.occupies < 0 ? end - cost.retire : std::max(now + 1, f.read_end);
  end_ = std::max(end_, end);
  time_ = std::max(time_, end_);
  tally.last = std::max(tally.last, end);
  chip_.expect(end);
  const auto part = static_cast<std::size_t>(cost.part);
  const Cycles waited = end - now - cost.total;
  if (cost.part == isa::Unit::matrix) {
    const Cycles added = std::max<Cycles>(0, end - std::max(now, matrix_cover_));
    matrix_cover_ = std::max(matrix_cover_, end);
    busy_[part] += added - std::min(added, waited);
    stalled_[part] += std::min(added, waited);
  } else {
    busy_[part] += cost.total;
    stalled_[part] += waited;
  }
  if (executor_ && cost.part != isa::Unit::control && cost.part != isa::Unit::scalar)
    executor_->execute(i, f.instruction, f.places);
  window_.push_back(std::move(f));
  if (cost.kind == Kind::address) registers_.set(i);
  if (cost.kind == Kind::halt) {
    pc_ = static_cast<std::uint32_t>(program_.instructions.size());
    return;
  }
  if (cost.kind != Kind::loop) return next_instruction(pc_ + 1);
  const std::int64_t times =
      (i.flags & isa::flag::loop_register) != 0 ? registers_.place(0, i.reg_a).start(0, 0) : i.count;
  if (times <= 0) return next_instruction(pc_ + 1 + i.target);
  loops_.push_back({pc_ + 1, pc_ + 1 + i.target, times});
  registers_.counters[loops_.size() - 1] = 0;
  ++pc_;
}

void LockCore::begin_transfer(Flying& x, Cycles now) {
  const isa::Instruction& i = program_.instructions.data[x.instruction];
  const Kind kind = x.cost->kind;
  const Cycles start = now + x.cost->start;
  const bool asks = chip_.chip.rules.request_and_grant && kind == Kind::send;
  x.ready = chip_.clocks.core_to_network(asks ? start : x.read_end);
  if (executor_ && (kind == Kind::send || kind == Kind::multicast || kind == Kind::store)) {
    x.payload = std::make_shared<Payload>();
    executor_->read(i, x.instruction, x.places, *x.payload);
  }
  if (kind == Kind::receive && chip_.rendezvous())
    chip_.boxes[chip_.mailbox(i.target, id_)].tickets.push_back(chip_.clocks.core_to_network(start));
  if (kind == Kind::load || kind == Kind::store) {
    const bool indexed = i.opcode == Opcode::gload || i.opcode == Opcode::gstore;
    std::vector<std::int32_t> indices;
    if (executor_ && indexed) indices = executor_->indices(i, x.instruction, x.places);
    chip_.request_memory(id_, x, indices);
  }
}

void LockCore::advance_transfer(Flying& x, Cycles now) {
  const isa::Instruction& i = program_.instructions.data[x.instruction];
  if (x.cost->kind == Kind::wait) {
    std::int64_t sum = 0;
    for (const auto& [time, value] : events_[i.tag]) sum += time <= now ? value : 0;
    if (sum >= i.imm || i.imm <= 0) end_transfer(x, std::max(now, x.issue + 1) + x.cost->retire);
    return;
  }
  if (x.cost->kind == Kind::receive && !x.arrival) {
    Chip::Box& box = chip_.boxes[chip_.mailbox(i.target, id_)];
    if (!box.arrived.empty()) x.arrival = box.arrived.front().arrival;
  }
  if (!x.arrival || *x.arrival > now) return;
  const Cycles start = book(std::max(*x.arrival, x.issue + x.cost->start), x.cost->write, x.write_banks);
  const Cycles end = std::max(start + x.cost->write + x.cost->retire, x.issue + 1);
  if (x.cost->kind == Kind::receive) {
    Chip::Box& box = chip_.boxes[chip_.mailbox(i.target, id_)];
    const Delivery d = box.arrived.front();
    box.arrived.pop_front();
    if (d.tag != i.tag || d.bytes != x.cost->bytes)
      throw UserError(fmt::format("{}: expected tag {} and {} bytes, got tag {} and {} bytes",
                                  describe(chip_.program, id_, x.instruction), i.tag, x.cost->bytes, d.tag, d.bytes));
    if (executor_) executor_->write(i, x.instruction, x.places, *d.payload);
    chip_.receive_ended(i.target, id_, end);
  } else if (executor_) {
    executor_->write(i, x.instruction, x.places, *x.payload);
  }
  end_transfer(x, end);
}

void LockCore::end_transfer(Flying& x, Cycles end) {
  const bool early = chip_.chip.rules.sends_end_early && x.cost->kind == Kind::send;
  end = std::max(end, early ? x.moving + 1 : 0);
  x.end = end;
  x.free = std::max(end - x.cost->retire, early ? x.moving + 1 : 0);
  end_ = std::max(end_, end);
  time_ = std::max(time_, end_);
  chip_.expect(end);
  tallies_[x.cost_index].last = std::max(tallies_[x.cost_index].last, end);
  Cycles busy = x.cost->read;
  const Kind kind = x.cost->kind;
  if (kind == Kind::receive || kind == Kind::load) busy += x.cost->write;
  if (kind == Kind::send || kind == Kind::multicast) busy += std::max<Cycles>(0, end - x.moving);
  if (kind == Kind::sync) busy = end - x.issue;
  busy = std::min(busy, end - x.issue);
  const auto part = static_cast<std::size_t>(isa::Unit::transfer);
  busy_[part] += busy;
  stalled_[part] += end - x.issue - busy;
  contacts_.push_back({x.instruction, x.issue, end});
}

Wait LockCore::standing() const {
  Wait w;
  w.core = id_;
  for (const Flying& f : window_) {
    if (f.end) continue;
    const isa::Instruction& i = program_.instructions.data[f.instruction];
    w.has_transfer = true;
    w.kind = f.cost->kind;
    w.instruction = f.instruction;
    w.since = f.issue;
    if (w.kind == Kind::receive || w.kind == Kind::send) w.for_cores.push_back(i.target);
    if (w.kind == Kind::multicast)
      for (const CoreId to : chip_.program.core_sets[i.target])
        if (chip_.boxes[chip_.mailbox(id_, to)].tickets.empty()) w.for_cores.push_back(to);
    if (const auto event = events_.find(i.tag); w.kind == Kind::wait && event != events_.end())
      for (const auto& [time, value] : event->second) w.event_value += value;
    break;
  }
  return w;
}

void LockCore::fill(Result& r, isa::cost::Events& events, Cycles end) const {
  CoreResult& c = r.cores.emplace_back();
  c.instructions = instructions_;
  c.finished = finished_;
  c.end = end_;
  r.instructions += instructions_;
  r.largest_core = std::max(r.largest_core, instructions_);
  std::array<Cycles, 5> stalled = stalled_;
  for (const Flying& f : window_)
    if (is_contact(f.cost->kind) && !f.end) stalled[static_cast<std::size_t>(isa::Unit::transfer)] += end - f.issue;
  UnitCycles* const out[5] = {&c.control, &c.scalar, &c.vector, &c.matrix, &c.transfer};
  for (std::size_t u = 0; u < 5; ++u) *out[u] = {busy_[u], stalled[u], end - busy_[u] - stalled[u]};
  if (chip_.options.record_contacts) r.contacts.push_back(contacts_);
  add_executions(chip_.program, chip_.chip, id_, code_, tallies_, r, events);
}

}  // namespace pimento::sim::lockstep
