#pragma once
// The order in which one core's instructions run: loops counted out, address registers kept. Values of memory play no
// part in it, so it is known before anything runs.
#include <fmt/format.h>

#include <array>
#include <span>

#include "isa/instruction/form.hpp"
#include "isa/program/program.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {

class LoopMachine {
 public:
  explicit LoopMachine(std::span<const Instruction> records) : records_(records) {}

  /// The next instruction to run, `loop` and `addr` (already done) included; nullptr after the last one or `halt`.
  const Instruction* next() {
    while (depth_ > 0 && at_ == ends_[depth_ - 1]) {
      const std::size_t level = depth_ - 1;
      if (++counters_[level] < trips_[level])
        at_ = begins_[level];
      else
        counters_[level] = 0, --depth_;
    }
    if (at_ >= records_.size() || halted_) return nullptr;
    const Instruction& i = records_[at_++];
    if (i.opcode == Opcode::loop)
      enter(i);
    else if (i.opcode == Opcode::addr)
      settings_[i.reg_d] = address_setup(i);
    else if (i.opcode == Opcode::halt)
      halted_ = true;
    return &i;
  }
  std::size_t index_of(const Instruction& i) const { return static_cast<std::size_t>(&i - records_.data()); }

  const AddressSetup& setup(std::uint8_t reg) const { return settings_[reg]; }
  /// A[reg] now, not yet wrapped.
  std::int64_t value(std::uint8_t reg) const {
    return address_value(settings_[reg], std::span(counters_).first(depth_));
  }

 private:
  void enter(const Instruction& i) {
    const std::size_t limit = depth_ > 0 ? ends_[depth_ - 1] : records_.size();
    if (depth_ == max_loop_levels || i.target == 0 || i.target > limit - at_)
      throw UserError(
          fmt::format("instruction {}: a loop that nests too deep or ends outside of what is round it", at_ - 1));
    std::int64_t trips = i.count;
    if (i.flags & flag::loop_register) {
      trips = value(i.reg_a);
      const AddressSetup& set = settings_[i.reg_a];
      if (set.ring_size > 0) trips = wrap(trips, set.ring_lo, set.ring_size);
    }
    if (trips <= 0) {
      at_ += i.target;
      return;
    }
    begins_[depth_] = at_;
    ends_[depth_] = at_ + i.target;
    trips_[depth_] = trips;
    counters_[depth_++] = 0;
  }

  std::span<const Instruction> records_;
  std::size_t at_ = 0, depth_ = 0;
  bool halted_ = false;
  std::array<std::size_t, max_loop_levels> begins_{}, ends_{};
  std::array<std::int64_t, max_loop_levels> trips_{}, counters_{};
  std::array<AddressSetup, 256> settings_{};
};

}  // namespace pimento::isa
