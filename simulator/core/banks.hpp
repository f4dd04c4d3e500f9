#pragma once
// Which banks of a core's local memory an instruction's reading and its writing hold: those of all bytes that they may
// touch. Indexed operands, whose addresses are data, hold every bank, so that time cannot depend on values.
#include <cstdint>
#include <vector>

#include "simulator/core/place.hpp"

namespace pimento::sim {

using BankSet = std::vector<std::size_t>;  ///< ascending

class Banks {
 public:
  explicit Banks(const isa::LocalMemory& memory);
  /// Whether phases hold banks beside their ports.
  bool present() const { return interleave_ > 0; }
  std::size_t count() const { return present() ? static_cast<std::size_t>(banks_) : 0; }
  /// `footprint` as the operands have it, not as the chip's rules bend it for hazards.
  void of(const Touched& touched, const Footprint& footprint, BankSet& reads, BankSet& writes) const;

 private:
  void add(const ByteRange& range, std::vector<bool>& held) const;
  std::int64_t banks_, interleave_;
};

}  // namespace pimento::sim
