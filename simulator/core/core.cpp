#include "simulator/core/core.hpp"

#include <algorithm>

#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"

namespace pimento::sim {
namespace {

bool uses_ports(const Cost& c) { return c.read + c.write > 0; }

/// What a core waits for that is in such a transfer.
constexpr Cycles IdleCycles::*reason(Kind transfer) {
  switch (transfer) {
    case Kind::receive:
      return &IdleCycles::receive;
    case Kind::load:
    case Kind::store:
      return &IdleCycles::memory;
    case Kind::wait:
    case Kind::sync:
      return &IdleCycles::event;
    default:
      return &IdleCycles::send;
  }
}

}  // namespace

Core::Core(Machine& machine, CoreId id)
    : machine_(machine),
      id_(id),
      code_(machine.code.cores[id]),
      instructions_of_(machine.program.cores[id].instructions.data.data()),
      window_(std::max(machine.chip.core.window, 1)),
      counters_(machine.options.counters || machine.options.observer != nullptr),
      observer_(machine.options.observer),
      process_(machine.kernel, "core", [this] { machine_.run_with_woken(*this); }),
      next_(machine.chip.rules.first_issue),
      until_check_(steps_between_checks),
      end_of_(static_cast<std::size_t>(window_), 0),
      retired_of_(static_cast<std::size_t>(window_), 0),
      free_(unit_group + machine.program.cores[id].groups.size(), 0),
      done_(free_.size(), 0),
      through_(free_.size(), 0),
      banks_(machine.chip.core.local_memory),
      ports_(machine.chip.core.local_memory.ports, banks_.count()),
      tallies_(code_.costs.size()) {
  if (window_ > 1) address_ready_.resize(registers), scalar_ready_.resize(registers);
  if (machine.items && counters_) stretch_tallies_.resize(code_.stretches.size());
  if (machine.values) {
    const Bytes planned = machine.program.cores[id].local_memory_used,
                capacity = machine.chip.core.local_memory.capacity;
    executor_.emplace(machine.program, id, machine.tiles, std::max(planned, capacity), machine.carries);
  }
}

void Core::wake_first() { process_.wake_at(0); }

void Core::wake() {
  if (!waiting_) return;
  waiting_ = false;
  if (!machine_.runs_after_this(*this)) process_.wake();
}

bool Core::wait() {
  waiting_ = true;
  return false;
}

bool Core::wait_until(Cycles time) {
  process_.wake_at(time * machine_.clocks.core);
  return wait();
}

void Core::run() {
  waiting_ = false;
  if (finished_ || limited_ || machine_.stopping()) return;
  if (!machine_.items) return run_steps();
  counters_ ? run_items<true>() : run_items<false>();
}

void Core::finish() {
  finished_ = true;
  next_ = retired_;
}

void Core::run_steps() {
  while (step_issued()) {}
}

bool Core::step_issued() {
  if (pc_ == code_.steps.size()) {
    if (transfer_.active) {
      if (!transfer_known()) return wait();
      settle();
    }
    finish();
    return false;
  }
  const Step& step = code_.steps[pc_];
  const Cost& cost = code_.costs[step.cost];
  if (cost.kind == Kind::loop_end) {
    end_turn(step.aux);
    return true;
  }
  if (--until_check_ == 0) {
    until_check_ = steps_between_checks;
    if (machine_.should_stop(next_)) return false;
  }
  const isa::Instruction& instruction = instructions_of_[step.instruction];
  bool meets_open = transfer_.active && meets_open_transfer(cost);
  Cycles t = next_;
  if (!meets_open) {
    t = std::max({t, retired_of_[static_cast<std::size_t>(order_ % window_)], free_[cost.unit]});
    if (cost.occupies >= 0) t = std::max(t, through_[cost.unit] - cost.start - cost.read);  // it is read meanwhile
    if (writes_cells(cost.opcode)) t = group_empty(cost.unit, t);
    if (window_ > 1) t = hazards(instruction, cost, t, meets_open);
  }
  if (meets_open) {
    if (!transfer_known()) return wait();
    settle();
    return true;  // asks again, with the transfer's end known
  }
  if (transfer_.active && transfer_.opens_ports() && uses_ports(cost)) {
    if (!transfer_known()) {
      // Whatever arrives at t is known when time has come to t: then it comes first, being older.
      if (machine_.kernel.now() < t * machine_.clocks.core) return wait_until(t);
    } else if (transfer_.known <= t) {
      settle();
      return true;
    }
  }
  if (t >= machine_.limit()) {
    limited_ = true;
    return false;
  }
  next_ = t + 1;
  ++instructions_;
  if (is_contact(cost.kind)) {
    issue_transfer(step, cost, instruction, t);
    ++pc_;
  } else {
    issue_local(step, cost, instruction, t);
  }
  return true;
}

bool Core::meets_open_transfer(const Cost& cost) const {
  return cost.unit == unit_transfer || order_ - window_ >= transfer_.order;
}

Cycles Core::group_empty(Unit group, Cycles t) const {
  t = std::max(t, done_[group]);
  if (code_.sharing.empty()) return t;
  for (const std::uint32_t other : code_.sharing[group - unit_group])
    t = std::max({t, free_[unit_group + other], done_[unit_group + other]});
  return t;
}

Cycles Core::registers_ready(const isa::Instruction& i, const Cost& cost, Cycles t) const {
  // no_register is an entry of its own that stays 0
  const bool scalar = cost.part == isa::Unit::scalar && cost.kind != Kind::address;
  const auto& ready = scalar ? scalar_ready_ : address_ready_;
  return std::max({t, ready[i.reg_d], ready[i.reg_a], ready[i.reg_b]});
}

void Core::note_registers(const isa::Instruction& i, const Cost& cost, Cycles end) {
  if (cost.part != isa::Unit::scalar || i.reg_d == isa::no_register) return;
  (cost.kind == Kind::address ? address_ready_ : scalar_ready_)[i.reg_d] = end;
}

Cycles Core::hazards(const isa::Instruction& instruction, const Cost& cost, Cycles t, bool& meets_open) {
  t = registers_ready(instruction, cost, t);
  candidate_.reads = 0;
  candidate_.writes = false;
  read_banks_.clear();
  write_banks_.clear();
  if (!cost.touches_memory) return t;
  footprint(cost.touched, registers_.places(instruction), candidate_);
  if (banks_.present()) banks_.of(cost.touched, candidate_, read_banks_, write_banks_);
  bend(candidate_, cost.kind == Kind::load || cost.kind == Kind::store, machine_.chip.rules);
  return isa::cost::after_conflicts(in_flight_, candidate_, machine_.chip.rules, t, meets_open);
}

void Core::enter_window(Cycles end) {
  const auto slot = static_cast<std::size_t>(order_++ % window_);
  end_of_[slot] = end;
  latest_ = std::max(latest_, end);
  if (transfer_.active) return;  // retires after the transfer: settle() knows when
  retired_ = std::max(retired_, end);
  retired_of_[slot] = retired_;
}

void Core::issue_loop(const Step& step, const isa::Instruction& i) {
  const bool from_register = (i.flags & isa::flag::loop_register) != 0;
  const std::int64_t times = from_register ? registers_.place(0, i.reg_a).start(0, 0) : i.count;
  if (times <= 0) {
    pc_ = step.aux;
    return;
  }
  if (loops_.size() == isa::max_loop_levels)
    throw UserError(describe(machine_.program, id_, step.instruction) + ": loops are nested deeper than 4");
  begin_turns(times);
}

void Core::begin_turns(std::int64_t times) {
  loops_.push_back({times});
  registers_.counters[loops_.size() - 1] = 0;
  ++pc_;
}

void Core::end_turn(std::size_t body) {
  if (--loops_.back().left > 0) {
    ++registers_.counters[loops_.size() - 1];
    pc_ = body;
    return;
  }
  registers_.counters[loops_.size() - 1] = 0;
  loops_.pop_back();
  ++pc_;
}

void Core::issue_local(const Step& step, const Cost& cost, const isa::Instruction& instruction, Cycles t) {
  const Cycles start = t + cost.start;
  Cycles read_end = start + cost.read, end = t + cost.total;
  if (window_ > 1) {
    if (!transfer_.active) ports_.forget(t);  // an open transfer may still book earlier cycles
    read_end = ports_.book(start, cost.read, read_banks_) + cost.read;
    end = std::max(t + 1, ports_.book(read_end + cost.compute, cost.write, write_banks_) + cost.write + cost.retire);
    const Cycles waited = end - t - cost.total;
    if (cost.part == isa::Unit::matrix) {
      const Cycles added = std::max<Cycles>(0, end - std::max(t, matrix_cover_)), idle = std::min(added, waited);
      matrix_cover_ = std::max(matrix_cover_, end);
      matrix_busy_ += added - idle;
      matrix_stalled_ += idle;
    } else {
      waited_[static_cast<std::size_t>(cost.part)] += waited;
    }
    note_registers(instruction, cost, end);
    if (candidate_.reads > 0 || candidate_.writes) in_flight_.push_back({end, read_end, false, candidate_});
  }
  // What ends beyond the limit ends the run: its values, which may take for ever, are nobody's.
  if (executor_ && end <= machine_.limit() && cost.part != isa::Unit::control && cost.part != isa::Unit::scalar)
    executor_->execute(instruction, step.instruction, registers_.places(instruction));
  Tally& tally = tallies_[step.cost];
  if (tally.count++ == 0) tally.first = t;
  tally.last = std::max(tally.last, end);
  if (cost.unit != unit_control) free_[cost.unit] = end - cost.retire;
  if (cost.occupies >= 0) {
    done_[cost.unit] = std::max(done_[cost.unit], end - cost.retire);
    through_[cost.unit] = read_end + cost.occupies;
    free_[cost.unit] = std::max(t + 1, read_end);
  }
  if (counters_) {
    idle_.latency += std::max<Cycles>(0, t - covered_);
    covered_ = std::max(covered_, end);
    if (observer_) {
      const bool overlaps = cost.occupies >= 0;
      observer_->executed({id_, step.instruction, cost.part,
                           cost.unit >= unit_group ? static_cast<int>(cost.unit - unit_group) : -1,
                           overlaps ? read_end : t, overlaps ? through_[cost.unit] : end - cost.retire});
    }
  }
  enter_window(end);
  if (cost.kind == Kind::address) registers_.set(instruction);
  if (cost.kind == Kind::loop) return issue_loop(step, instruction);
  pc_ = cost.kind == Kind::halt ? code_.steps.size() : pc_ + 1;
}

void Core::note_waiting(Kind kind, Cycles from, Cycles waits, Cycles end) {
  idle_.*reason(kind) += std::max<Cycles>(0, from + waits - std::max(covered_, from));
  covered_ = std::max(covered_, end);
}

IdleCycles Core::idle_until(Cycles end) const {
  IdleCycles idle = idle_;
  // what is left after the last instruction, or of a transfer that never ended
  Cycles since = std::max(retired_, covered_);
  if (transfer_.active) since = machine_.items ? transfer_.issue : std::max(covered_, transfer_.issue);
  Cycles& left = transfer_.active ? idle.*reason(transfer_.kind) : finished_ ? idle.finished : idle.stopped;
  left += std::max<Cycles>(0, end - since);
  return idle;
}

void Core::account(CoreResult& result, Cycles end, const std::vector<Tally>& tallies) const {
  std::array<Cycles, 5> busy{};
  for (std::size_t n = 0; n < tallies.size(); ++n)
    if (!is_contact(code_.costs[n].kind))
      busy[static_cast<std::size_t>(code_.costs[n].part)] += tallies[n].count * code_.costs[n].total;
  std::array<Cycles, 5> stalled = waited_;
  const auto matrix = static_cast<std::size_t>(isa::Unit::matrix),
             transfer = static_cast<std::size_t>(isa::Unit::transfer);
  if (window_ > 1) busy[matrix] = matrix_busy_, stalled[matrix] = matrix_stalled_;
  // A transfer that never ended has waited until the run's end.
  const Cycles open = transfer_.active ? std::max<Cycles>(0, end - transfer_.issue) : 0;
  busy[transfer] += transfer_busy_;
  stalled[transfer] += transfer_held_ - transfer_busy_ + open;
  result.idle = idle_until(end);
  UnitCycles* const out[5] = {&result.control, &result.scalar, &result.vector, &result.matrix, &result.transfer};
  for (std::size_t u = 0; u < 5; ++u) *out[u] = {busy[u], stalled[u], end - busy[u] - stalled[u]};
}

}  // namespace pimento::sim
