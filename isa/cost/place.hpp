#pragma once
// Where the operands of one instruction lie at one moment: addresses with the registers added, and the ring that a
// segment's start is wrapped into.
#include <array>
#include <cstdint>
#include <vector>

#include "isa/instruction/form.hpp"

namespace pimento::isa::cost {

struct Place {
  std::int64_t address = 0;
  std::int32_t ring_lo = 0, ring_size = 0;  ///< size 0: no ring
  /// Start of segment k.
  std::int64_t start(std::int64_t k, std::int64_t stride) const {
    const std::int64_t at = address + k * stride;
    return ring_size == 0 ? at : wrap(at, ring_lo, ring_size);
  }
};
struct Places {
  Place d, a, b;
};

/// The address registers of one core and the counters of its loops. A register's value is affine in the counters, so it
/// is computed when it is used and never updated.
class AddressRegisters {
 public:
  AddressRegisters() : setups_(256) {}
  void set(const Instruction& addr) { setups_[addr.reg_d] = address_setup(addr); }
  std::int64_t value(std::uint8_t reg) const {
    const auto& s = setups_[reg];
    return s.base + s.strides[0] * counters[0] + s.strides[1] * counters[1] + s.strides[2] * counters[2] +
           s.strides[3] * counters[3];
  }
  Place place(std::int32_t address, std::uint8_t reg) const {
    if (reg == no_register) return {address, 0, 0};
    const auto& s = setups_[reg];
    return {address + value(reg), s.ring_lo, s.ring_size};
  }
  Places places(const Instruction& i) const {
    return {place(i.dst, i.reg_d), place(i.a, i.reg_a), place(i.b, i.reg_b)};
  }

  std::array<std::int64_t, max_loop_levels> counters{};  ///< outermost first; 0 outside a loop

 private:
  std::vector<AddressSetup> setups_;
};

}  // namespace pimento::isa::cost
