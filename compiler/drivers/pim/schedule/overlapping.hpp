#pragma once
// A core whose instructions overlap, played through: its drafted instructions, loops and address registers included,
// given to the core's clock one after the other, from transfer to transfer.
#include <vector>

#include "compiler/drivers/pim/schedule/core_clock.hpp"
#include "compiler/drivers/pim/schedule/draft.hpp"

namespace pimento::pim {

class OverlappingCore {
 public:
  OverlappingCore(const Spatial& spatial, const isa::Chip& chip, Draft draft);

  CoreClock& clock() { return clock_; }
  std::size_t moves(std::size_t step) const { return static_cast<std::size_t>(draft_.moves[step]); }

  struct Contact {
    const isa::Instruction* instruction = nullptr;  ///< null: the program has ended
    Timed timed;
  };
  /// Issues everything before the next transfer or write of cells, and says what that is.
  Contact next();

 private:
  /// What is the same each time that an instruction issues.
  struct Cost {
    bool is_known = false;
    std::uint32_t unit = 0;
    isa::cost::Duration duration;
    isa::cost::Touched touched;
  };
  struct Loop {
    std::size_t begin = 0, end = 0;
    std::int64_t left = 0;
  };
  const Cost& cost_of(std::size_t at);
  Timed timed(std::size_t at);
  void begin_loop(const isa::Instruction& loop);
  void end_loops();
  void repeat(std::size_t at, std::int64_t times);

  const Spatial& spatial_;
  const isa::Chip& chip_;
  Draft draft_;
  std::vector<Cost> costs_;
  bool is_unrolled_;
  CoreClock clock_;
  isa::cost::AddressRegisters registers_;
  std::vector<Loop> loops_;
  std::size_t at_ = 0;
};

}  // namespace pimento::pim
