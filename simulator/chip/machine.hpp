#pragma once
// The whole chip for one run: cores, network, memory channels, and what passes between them.
#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include "simulator/core/core.hpp"
#include "simulator/memory/global_memory.hpp"
#include "simulator/network/mailbox.hpp"
#include "simulator/network/network.hpp"
#include "simulator/observe/wait_for.hpp"

namespace pimento::sim {

class Machine final : public FlightSink {
 public:
  Machine(const isa::Program& program, const isa::Chip& chip, const Options& options, std::shared_ptr<const Code> code);
  ~Machine() override;

  void run();
  Result result() const;

  const isa::Program& program;
  const isa::Chip& chip;
  const Options& options;
  const Clocks clocks;
  const bool values;  ///< values are computed
  const bool items;   ///< cores execute items (window 1, no values)
  const Carries carries;
  Kernel kernel;
  const std::shared_ptr<const Code> held_code;
  const Code& code;
  std::vector<PackedTile> tiles;
  std::vector<Mailbox> mailboxes;
  std::vector<Meeting> meetings;  ///< by mailbox; empty where messages need flights
  std::vector<std::unique_ptr<Core>> cores;

  bool rendezvous() const { return chip.network.receive_buffer_messages == 0; }
  /// Starts the core's send if its credits or receives are known.
  void try_launch(Core& source);
  /// A receive was issued, core clock. Only rendezvous has to know.
  void receive_issued(std::uint32_t mailbox, Cycles issue);
  /// A receive has emptied its place in the buffer, core clock.
  void receive_ended(std::uint32_t mailbox, Cycles end);
  void request_memory(Core& source, const isa::Instruction& instruction, const GlobalView& view,
                      std::vector<std::int64_t> starts);
  Cycles launch_event(Core& source, const isa::Instruction& instruction, Cycles ready);

  /// When a message of the core may leave that is ready at `time`, network clock.
  Cycles turn(CoreId core, Cycles time) const {
    return chip.rules.messages_in_turn ? std::max(time, left_[core]) : time;
  }
  /// By the chip's rules, network clock: when a send's data have been read, its receive being there since `receive`.
  Cycles granted(CoreId source, CoreId destination, Cycles asks, Cycles read, Cycles receive);
  void has_left(CoreId core, Cycles time) { left_[core] = time; }

  void arrived(const Flight& flight, Endpoint destination, Cycles time) override;

  /// Faults of a process end the run; they are thrown again when the kernel has stopped.
  template <class Body>
  void guard(const Body& body) {
    if (stopping_) return;
    try {
      body();
    } catch (...) {
      fault_ = std::current_exception();
      stopping_ = true;
    }
  }
  /// Runs a core and then those that are woken meanwhile: what may happen in the same moment needs no kernel.
  void run_with_woken(Core& core);
  /// Whether a core that wakes now will be run by `run_with_woken`; else the kernel must be told.
  bool runs_after_this(Core& core) {
    if (running_) woken_.push_back(&core);
    return running_;
  }
  /// Called now and then by running cores: progress, and whether to stop.
  bool should_stop(Cycles time);
  bool stopping() const { return stopping_; }
  /// Without one, and at most: what still is a time in femtoseconds, with room for what is under way.
  Cycles limit() const {
    const Cycles most = std::numeric_limits<Femtoseconds>::max() / 4 / clocks.core;
    return options.max_cycles > 0 ? std::min(options.max_cycles, most) : most;
  }

 private:
  enum class Cargo : std::uint8_t { message, request, data, event };
  struct Transit {
    Cargo cargo = Cargo::message;
    CoreId core = 0;
    std::uint32_t instruction = 0, tag = 0;
    std::uint32_t mailbox = none, mailbox_set = none;
    Bytes bytes = 0;
    int left = 0;  ///< arrivals to come
    Cycles latest = 0;
    std::int32_t value = 0;
    std::shared_ptr<Payload> payload;
    MemoryRequest request;
  };

  void arrange_meetings();
  std::uint32_t new_transit();
  Cycles one_flit(CoreId source, CoreId destination) const;
  std::span<const std::uint32_t> mailboxes_of(const Transfer& transfer, const std::uint32_t& single) const;
  void wake_source_of(Mailbox& mailbox);
  void deliver(Transit& transit, Endpoint destination, Cycles time);
  void served(MemoryRequest&& request, Cycles start, Cycles end);
  void collect(Result& result) const;
  Wait wait_of(const Core& core) const;
  std::string explanation(StopReason stop, Cycles cycles) const;
  std::vector<Unreceived> unreceived() const;

  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Channel>> channels_;
  GlobalImage global_;
  ImageEnds images_;
  std::vector<Transit> transits_;
  std::vector<std::uint32_t> spare_;
  std::vector<std::uint32_t> sequence_;  ///< by endpoint
  std::vector<Cycles> left_;             ///< by core: when its latest message has left, network clock
  std::exception_ptr fault_;
  bool stopping_ = false, interrupted_ = false;
  bool running_ = false;  ///< inside run_with_woken
  std::vector<Core*> woken_;
  std::int64_t last_progress_ms_ = 0;
};

}  // namespace pimento::sim
