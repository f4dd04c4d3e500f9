#pragma once
// What a run tells while it runs, to whoever listens: every instruction once its times are known. A run that nobody
// observes pays nothing for it. Times are core clock unless named otherwise; the order of calls is the order in which
// times become known, which is not the order of the times, and is the same in every run.
#include <cstdint>

#include "isa/chip/chip.hpp"
#include "isa/cost/rows.hpp"
#include "isa/instruction/instruction.hpp"

namespace pimento::sim {

/// An instruction of the control, scalar, vector or matrix unit, from its issue to its end; of an array group whose
/// products overlap: while its slices keep the group.
struct Executed {
  CoreId core = 0;
  std::uint32_t instruction = 0;
  isa::Unit unit = isa::Unit::control;
  int group = -1;  ///< array group; -1: of the matrix unit, its digital part
  Cycles issue = 0, end = 0;
};

/// An instruction of the transfer unit. In [waits_from, waits_until) it waited for another part of the chip: receive
/// for the message, send for the receiver or a place in its buffer, load and store for the global memory.
struct Transferred {
  CoreId core = 0;
  std::uint32_t instruction = 0;
  Cycles issue = 0, end = 0;
  Cycles waits_from = 0, waits_until = 0;
};

/// One request that a channel of the global memory served; memory clock.
struct MemoryService {
  int channel = 0;
  CoreId core = 0;
  std::uint32_t instruction = 0;
  bool store = false;
  Bytes bytes = 0;
  Cycles start = 0, end = 0;
  isa::cost::RowAccesses rows;  ///< of a memory with rows: what its accesses found
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void executed(const Executed& event) = 0;
  virtual void transferred(const Transferred& event) = 0;
  virtual void served(const MemoryService& event) = 0;
};

}  // namespace pimento::sim
