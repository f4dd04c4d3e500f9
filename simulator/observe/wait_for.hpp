#pragma once
// Why a run ended before, or otherwise than, its program: one text for cores that run ahead and for the lock-step
// oracle. Each of them says what its unfinished cores wait for; the words are made here.
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"
#include "simulator/core/code.hpp"

namespace pimento::sim {

/// What an unfinished core waits for.
struct Wait {
  CoreId core = 0;
  bool has_transfer = false;      ///< false: it stands still without one, which is a fault of ours
  Kind kind = Kind::plain;        ///< of the transfer
  std::uint32_t instruction = 0;  ///< of the transfer
  Cycles since = 0;               ///< its issue, core clock
  std::vector<CoreId> for_cores;  ///< receive: the source; send, multicast: the destinations that are not ready
  std::int64_t event_value = 0;   ///< wait: where the event stands
};

struct Standing {
  const isa::Program& program;
  bool rendezvous = false;
  Cycles cycle = 0;            ///< the latest that any core knows of
  std::vector<bool> finished;  ///< by core
  std::vector<Wait> waits;     ///< one per unfinished core, in their order
};
/// The wait-for graph of cores that stand still: one line each, and the circle if there is one.
std::string wait_for_graph(const Standing& standing);

/// Messages of one pair of cores that stand in the receiver's buffer when all cores have ended.
struct Unreceived {
  CoreId source = 0, destination = 0;
  std::size_t messages = 0;
  std::uint32_t instruction = 0, tag = 0;  ///< of the first of them, at the sender
  Bytes bytes = 0;
  Cycles arrival = 0;  ///< core clock
};
std::string unreceived_text(const isa::Program& program, const std::vector<Unreceived>& messages);

std::string limit_text(Cycles limit);
std::string interrupted_text(Cycles cycle);

}  // namespace pimento::sim
