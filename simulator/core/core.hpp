#pragma once
// A core that runs ahead: one call of `run` executes instructions in local time until the next one depends on
// something outside that is not known yet. The timing rules are those of simulator/README.md; what makes running ahead
// exact is that nothing outside reaches into a core except the one transfer that it has outstanding.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "isa/cost/in_flight.hpp"
#include "isa/cost/ports.hpp"
#include "simulator/chip/kernel.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/core/banks.hpp"
#include "simulator/core/code.hpp"
#include "simulator/core/executor.hpp"
#include "simulator/core/place.hpp"
#include "simulator/network/network.hpp"
#include "simulator/observe/observer.hpp"

namespace pimento::sim {

using isa::cost::InFlight;
using isa::cost::Ports;

class Machine;
class Core;

inline constexpr Cycles unknown = -1;

/// The transfer that a core has outstanding.
struct Transfer {
  bool active = false;
  bool launched = false;  ///< send: on its way
  bool meets = false;     ///< a message without a flight: `message`
  Kind kind = Kind::plain;
  const Cost* cost = nullptr;
  const Message* message = nullptr;
  Step step;
  std::int64_t order = 0;  ///< its place in the window
  std::uint32_t tag = 0, target = 0;
  Cycles issue = 0;
  Cycles ready = 0;        ///< network clock: what it sends has left local memory
  Cycles known = unknown;  ///< core clock: receive, load: the data's arrival; all others: the end
  Cycles moving = 0;       ///< send: from then on data move
  Places places;
  BankSet written;  ///< banks that its data go to
  std::shared_ptr<Payload> payload;

  bool opens_ports() const { return kind == Kind::receive || kind == Kind::load; }
};

/// Executions of one Cost, or of one stretch, and the time between the first's issue and the last's end.
struct Tally {
  std::int64_t count = 0;
  Cycles first = std::numeric_limits<Cycles>::max(), last = 0;
  void cover(Cycles issue, Cycles end) {
    first = std::min(first, issue);
    last = std::max(last, end);
  }
  void note(Cycles issue, Cycles end) {
    ++count;
    cover(issue, end);
  }
};

/// How often the items of a stretch have been passed: those before `end` once more than the others.
struct Passes {
  std::int64_t others = 0;
  std::size_t end = 0;
  Cycles first = 0, last = 0;
};

/// Where a send and a receive of one pair of cores meet that nobody else can delay: rendezvous on a private way. At
/// most one of the two is here before the other.
struct Meeting {
  Core* waiting = nullptr;
  const Message* message = nullptr;  ///< the one that waits
  Cycles ready = 0;                  ///< network clock: since when
  PrivateWay* way = nullptr;
  std::uint32_t tag = 0, bytes = 0;  ///< of `message`: to be read without it, which is long out of the cache
};

class Core {
 public:
  Core(Machine& machine, CoreId id);

  void wake_first();
  /// Executes until something is needed that is not known yet.
  void run();
  /// The transfer's `known` was set (or a credit came): goes on if it was waiting.
  void wake();
  void event_added(std::uint32_t event, std::int32_t value, Cycles time);

  CoreId id() const { return id_; }
  Transfer& transfer() { return transfer_; }
  const Transfer& transfer() const { return transfer_; }
  bool finished() const { return finished_; }
  bool limited() const { return limited_; }
  /// The latest moment that it knows of itself.
  Cycles time() const { return std::max(latest_, next_); }
  Cycles end() const { return retired_; }
  std::int64_t instructions() const { return instructions_; }
  std::int64_t event_value(std::uint32_t event) const;
  const std::vector<Contact>& contacts() const { return contacts_; }
  const Image* memory() const { return executor_ ? &executor_->memory() : nullptr; }

  /// Executions by cost. Of several costs of one node, one may tell when all of them were executed.
  std::vector<Tally> tallies() const;
  /// Busy and stalled cycles of a run that ends at `end`; idle is the rest.
  void account(CoreResult& result, Cycles end, const std::vector<Tally>& tallies) const;

 private:
  struct LoopLevel {
    std::int64_t left = 0;
  };
  struct EventAddition {
    Cycles time;
    std::int32_t value;
  };

  static constexpr std::uint32_t steps_between_checks = 1U << 16;
  static constexpr std::size_t registers = 256;

  // items.cpp
  template <bool Counters>
  void run_items();
  template <bool Counters>
  Cycles meet(const Message& message, Cycles issue);  ///< the end, or unknown: waits
  template <bool Counters>
  Cycles settle_meeting();
  template <bool Counters>
  Cycles ended(const Message& message);
  void enter_stretch(std::size_t stretch, Cycles time);
  void leave_stretch(Cycles time);
  Passes passes_of(std::size_t stretch) const;
  // core.cpp
  void run_steps();
  bool step_issued();  ///< one step of run_steps; false: waits
  bool wait();
  bool wait_until(Cycles time);

  // the window's bookkeeping
  bool meets_open_transfer(const Cost& cost) const;
  /// When a group and all that share crossbars with it are empty.
  Cycles group_empty(Unit group, Cycles t) const;
  Cycles hazards(const isa::Instruction& instruction, const Cost& cost, Cycles earliest, bool& meets_open);
  Cycles registers_ready(const isa::Instruction& instruction, const Cost& cost, Cycles earliest) const;
  void note_registers(const isa::Instruction& instruction, const Cost& cost, Cycles end);
  void enter_window(Cycles end);
  void issue_local(const Step& step, const Cost& cost, const isa::Instruction& instruction, Cycles t);
  void issue_loop(const Step& step, const isa::Instruction& instruction);
  void begin_turns(std::int64_t times);
  void end_turn(std::size_t body);  ///< `body`: its first step, or item
  void finish();

  // transfer.cpp
  void issue_transfer(const Step& step, const Cost& cost, const isa::Instruction& instruction, Cycles t);
  bool transfer_known();
  Cycles settle();  ///< finishes the transfer; returns its end
  Cycles settle_incoming();
  /// The part of a transfer that is not busy: it waits from `from` on.
  void note_waiting(Kind kind, Cycles from, Cycles waits, Cycles end);
  IdleCycles idle_until(Cycles end) const;
  void check_delivery() const;
  struct Party {
    std::uint32_t instruction, tag;
    Bytes bytes;
  };
  /// Of this core as the receiver.
  [[noreturn]] void mismatch(const Party& receiver, const Party& sender, CoreId source) const;
  std::optional<Cycles> event_reached();

  Machine& machine_;
  CoreId id_;
  const CoreCode& code_;
  const isa::Instruction* instructions_of_;
  int window_;
  bool counters_;
  Observer* observer_;
  std::optional<Executor> executor_;
  Process process_;

  std::size_t pc_ = 0;  ///< step, or item
  bool waiting_ = true, finished_ = false, limited_ = false;
  Cycles next_;         ///< the next instruction issues no earlier
  Cycles retired_ = 0;  ///< of the latest instruction whose retirement is known
  Cycles latest_ = 0;   ///< end of any instruction that is known
  std::int64_t order_ = 0;
  std::int64_t instructions_ = 0;
  std::uint32_t until_check_ = 0;
  std::vector<Cycles> end_of_, retired_of_;  ///< by order modulo window
  std::vector<Cycles> free_;                 ///< by unit
  /// By unit, of a group that overlaps: when the last product has left it, and when the slices of the latest are
  /// through.
  std::vector<Cycles> done_, through_;
  std::vector<Cycles> address_ready_, scalar_ready_;  ///< by register; empty at window 1
  std::vector<InFlight> in_flight_;
  Footprint candidate_;
  Banks banks_;
  BankSet read_banks_, write_banks_;  ///< of the candidate
  Ports ports_;
  AddressRegisters registers_;
  std::vector<LoopLevel> loops_;
  Transfer transfer_;
  std::vector<std::pair<std::uint32_t, std::vector<EventAddition>>> events_;

  std::vector<Tally> tallies_, stretch_tallies_;
  std::size_t stretch_ = none, stretch_end_ = 0;  ///< the one that is being passed, and the item behind it
  std::array<Cycles, 5> waited_{};                ///< by isa::Unit: for ports
  Cycles transfer_busy_ = 0, transfer_held_ = 0;
  Cycles covered_ = 0;  ///< until then every cycle is active or idle for a reason; behind the time at window 1
  IdleCycles idle_;
  Cycles matrix_cover_ = 0, matrix_busy_ = 0, matrix_stalled_ = 0;
  std::vector<Contact> contacts_;
};

}  // namespace pimento::sim
