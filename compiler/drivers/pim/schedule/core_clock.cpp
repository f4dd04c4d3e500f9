#include "compiler/drivers/pim/schedule/core_clock.hpp"

#include <algorithm>

namespace pimento::pim {

CoreClock::CoreClock(const isa::Chip& chip)
    : chip_(chip),
      window_(std::max(chip.core.window, 1)),
      next_(chip.rules.first_issue),
      end_of_(static_cast<std::size_t>(window_), 0),
      retired_of_(static_cast<std::size_t>(window_), 0),
      free_(group_unit, 0),
      through_(group_unit, 0),
      registers_(256, 0),
      ports_(chip.core.local_memory.ports) {}

Cycles CoreClock::hazards(const Timed& instruction, Cycles t, bool& meets_open) {
  for (const std::uint8_t reg : instruction.registers) t = std::max(t, registers_[reg]);
  if (instruction.bytes.reads == 0 && !instruction.bytes.writes) return t;
  return isa::cost::after_conflicts(in_flight_, instruction.bytes, chip_.rules, t, meets_open);
}

Cycles CoreClock::issue_time(const Timed& instruction) {
  const std::uint32_t unit = instruction.unit;
  if (unit >= free_.size()) free_.resize(unit + 1, 0), through_.resize(unit + 1, 0);
  const isa::cost::Duration& d = instruction.duration;
  for (;;) {
    // what stands further behind an open transfer than the window reaches waits for it, and so does another transfer
    bool meets_open = open_.is_open && (unit == transfer_unit || order_ - window_ >= open_.order);
    Cycles t = next_;
    if (!meets_open) {
      t = std::max({t, retired_of_[static_cast<std::size_t>(order_ % window_)], free_[unit]});
      if (d.occupies >= 0) t = std::max(t, through_[unit] - d.start - d.read);  // it is read meanwhile
      t = hazards(instruction, t, meets_open);
    }
    // what comes in cycle t books its port before an instruction that issues in cycle t
    const bool comes_first = open_.is_open && open_.brings && d.read + d.write > 0 && open_.known <= t;
    if (!meets_open && !comes_first) return t;
    settle();
  }
}

void CoreClock::enter_window(Cycles end) {
  const auto slot = static_cast<std::size_t>(order_++ % window_);
  end_of_[slot] = end;
  if (open_.is_open) return;  // retires after the transfer
  retired_ = std::max(retired_, end);
  retired_of_[slot] = retired_;
}

Cycles CoreClock::issue(const Timed& instruction) {
  const Cycles t = issue_time(instruction);
  const std::uint32_t unit = instruction.unit;
  const isa::cost::Duration& d = instruction.duration;
  next_ = t + 1;
  if (!open_.is_open) ports_.forget(t);
  const Cycles read_end = ports_.book(t + d.start, d.read) + d.read;
  const Cycles end = std::max(t + 1, ports_.book(read_end + d.compute, d.write) + d.write + d.retire);
  if (instruction.bytes.reads > 0 || instruction.bytes.writes)
    in_flight_.push_back({end, read_end, false, instruction.bytes});
  if (instruction.sets_register) registers_[instruction.registers[0]] = end;
  if (unit != control_unit) free_[unit] = end - d.retire;
  if (d.occupies >= 0) {
    through_[unit] = read_end + d.occupies;
    free_[unit] = std::max(t + 1, read_end);
  }
  enter_window(end);
  return t;
}

CoreClock::Begun CoreClock::begin(const Timed& transfer, bool brings) {
  const Cycles t = issue_time(transfer);
  const isa::cost::Duration& d = transfer.duration;
  next_ = t + 1;
  ports_.forget(t);
  const Cycles start = t + d.start, read_end = ports_.book(start, d.read) + d.read;
  open_ = {true, brings, order_, t, t, d};
  in_flight_.push_back({0, read_end, true, transfer.bytes});
  enter_window(0);
  return {start, read_end};
}

void CoreClock::settle() {
  const isa::cost::Duration& d = open_.duration;
  Cycles end = std::max(open_.known + d.retire, open_.issue + 1);
  if (open_.brings) {
    const Cycles start = ports_.book(std::max(open_.issue + d.start, open_.known), d.write);
    end = std::max(start + d.write + d.retire, open_.issue + 1);
  }
  open_.is_open = false;
  free_[transfer_unit] = end - d.retire;
  last_transfer_ = end;
  end_of_[static_cast<std::size_t>(open_.order % window_)] = end;
  for (std::int64_t n = open_.order; n < order_; ++n) {
    const auto slot = static_cast<std::size_t>(n % window_);
    retired_ = std::max(retired_, end_of_[slot]);
    retired_of_[slot] = retired_;
  }
  for (isa::cost::InFlight& each : in_flight_)
    if (each.is_open) each.is_open = false, each.end = end;
}

Cycles CoreClock::close() {
  if (open_.is_open) settle();
  return last_transfer_;
}

void CoreClock::stand_until(Cycles time) {
  next_ = std::max(end(), time);
  retired_ = next_;
}

Cycles CoreClock::end() {
  close();
  return std::max(retired_, next_);
}

void CoreClock::move_on(Cycles by) {
  next_ += by;
  retired_ += by;
  for (auto* all : {&end_of_, &retired_of_, &free_, &through_, &registers_})
    for (Cycles& time : *all) time += by;
  registers_[isa::no_register] = 0;
  for (isa::cost::InFlight& each : in_flight_) each.end += by, each.read_end += by;
  ports_.move_on(by);
}

}  // namespace pimento::pim
