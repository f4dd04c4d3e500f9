#pragma once
// The oracle of run-ahead: the same machine, one cycle at a time, with the rules of simulator/README.md asked anew in
// every cycle. Plain C++, no kernel, no look-ahead, nothing clever: it shares costs and meanings with the fast cores
// and nothing of how they are executed.
//
// One instant of time runs cores in order, then network, then memory; what the later ones decide acts later.
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "simulator/chip/kernel.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/core/code.hpp"
#include "simulator/core/core.hpp"
#include "simulator/core/executor.hpp"
#include "simulator/memory/global_memory.hpp"
#include "simulator/network/flit_level.hpp"
#include "simulator/network/mailbox.hpp"
#include "simulator/network/routes.hpp"
#include "simulator/observe/wait_for.hpp"

namespace pimento::sim::lockstep {

struct Message {
  enum class Cargo : std::uint8_t { data, request, answer, event } cargo = Cargo::data;
  Endpoint source = 0;
  std::vector<Endpoint> destinations;
  bool multicast = false;
  std::uint32_t sequence = 0;
  std::int64_t flits = 1;
  Bytes bytes = 0;
  std::uint32_t instruction = 0, tag = 0;
  std::int32_t value = 0;
  std::shared_ptr<Payload> payload;
  MemoryRequest request;
  int left = 0;       ///< destinations not reached
  Cycles latest = 0;  ///< arrival, network clock
};
using MessagePtr = std::shared_ptr<Message>;

/// Any network, one network cycle at a time; at flit level the same one as the fast machine's, which is so anyway.
class Net final : public FlightSink {
 public:
  using Arrived = std::function<void(const MessagePtr&, Endpoint, Cycles)>;
  Net(const isa::Chip& chip, Arrived arrived);
  ~Net() override;
  /// Returns when the source is free.
  Cycles launch(const MessagePtr& message, Cycles start);
  void cycle(Cycles now);
  bool idle() const;
  std::int64_t flit_hops() const;
  std::vector<LinkResult> links() const;

 private:
  /// The head of a message, or of one branch of it, before a resource that it wants.
  struct Head {
    Cycles here = 0;
    Resource resource = 0;
    std::uint32_t next_router = 0;
    std::vector<Endpoint> destinations;
    MessagePtr message;
  };
  void enter(const MessagePtr& message, std::uint32_t router, Cycles time, const std::vector<Endpoint>& destinations);
  void arrived(const Flight& flight, Endpoint destination, Cycles time) override;

  const isa::Chip& chip_;
  Arrived arrived_;
  std::unique_ptr<Routes> routes_;      ///< none: a table
  std::unique_ptr<FlitFabric> fabric_;  ///< at flit level
  std::vector<MessagePtr> aloft_;       ///< on it, by token
  std::vector<Head> heads_;
  std::vector<Cycles> free_;
  std::map<std::string, LinkResult> traffic_;
  std::int64_t flit_hops_ = 0;
};

/// An instruction between issue and retirement.
struct Flying {
  std::uint32_t instruction = 0;
  const Cost* cost = nullptr;
  std::uint32_t cost_index = 0;
  Cycles issue = 0, read_end = 0;
  std::optional<Cycles> end;
  Cycles free = 0;  ///< its unit, once the end is known
  Footprint bytes;
  Places places;
  std::set<std::int64_t> read_banks, write_banks;
  // a transfer
  Cycles ready = 0;  ///< network clock
  bool launched = false;
  std::optional<Cycles> asked, granted;  ///< a send's request and its grant have arrived, network clock
  Cycles moving = 0;
  std::optional<Cycles> arrival;  ///< of what a receive or load waits for
  std::shared_ptr<Payload> payload;
  MemoryRequest request;
  Bytes request_bytes = 0;
};

class Chip;

class LockCore {
 public:
  LockCore(Chip& chip, CoreId id);
  void cycle(Cycles now);
  bool finished() const { return finished_; }
  Flying* transfer();
  void count_event(std::uint32_t event, std::int32_t value, Cycles time) { events_[event].push_back({time, value}); }
  void fill(Result& result, isa::cost::Events& events, Cycles end) const;
  Cycles time() const { return time_; }
  Wait standing() const;
  void end_transfer(Flying& x, Cycles end);

 private:
  struct Loop {
    std::uint32_t first, last;
    std::int64_t left;
  };
  bool may_issue(const Flying& candidate, Cycles now) const;
  bool share_crossbars(Unit a, Unit b) const;
  void issue(Flying candidate, Cycles now);
  void begin_transfer(Flying& x, Cycles now);
  void advance_transfer(Flying& x, Cycles now);
  void next_instruction(std::uint32_t after);
  Cycles book(Cycles earliest, Cycles cycles, const std::set<std::int64_t>& banks);
  void find_banks(Flying& f, const Footprint& bytes, const Touched& touched) const;
  bool uses_register_of(const Flying& writer, const isa::Instruction& i, const Cost& cost) const;

  Chip& chip_;
  CoreId id_;
  const isa::CoreProgram& program_;
  const CoreCode& code_;
  std::vector<std::uint32_t> cost_of_;  ///< by instruction
  std::optional<Executor> executor_;
  AddressRegisters registers_;
  std::uint32_t pc_ = 0;
  std::vector<Loop> loops_;
  std::deque<Flying> window_;
  std::vector<std::set<Cycles>> ports_;             ///< cycles in which a port is taken
  std::map<std::int64_t, std::set<Cycles>> banks_;  ///< and in which a bank is
  std::map<std::uint32_t, std::vector<std::pair<Cycles, std::int32_t>>> events_;
  bool finished_ = false;
  Cycles time_ = 0;
  Cycles end_ = 0;
  std::vector<Tally> tallies_;
  std::int64_t instructions_ = 0;
  std::array<Cycles, 5> busy_{}, stalled_{};
  Cycles matrix_cover_ = 0;
  std::vector<Contact> contacts_;
};

class Chip {
 public:
  Chip(const isa::Program& program, const isa::Chip& chip, const Options& options);
  Result run();

  struct Box {
    std::deque<Delivery> arrived;
    std::deque<Cycles> tickets;  ///< credits or issued receives, network clock
  };

  const isa::Program& program;
  const isa::Chip& chip;
  const Options& options;
  Clocks clocks;
  Carries carries;
  Code code;
  std::vector<PackedTile> tiles;
  std::vector<Box> boxes;
  std::vector<std::unique_ptr<LockCore>> cores;
  bool rendezvous() const { return chip.network.receive_buffer_messages == 0; }
  /// Something will be different at `time` (core clock): the chip does not stand still before.
  void expect(Cycles time) { expected_ = std::max(expected_, time); }
  void request_memory(CoreId core, Flying& x, const std::vector<std::int32_t>& indices);
  void receive_ended(CoreId source, CoreId destination, Cycles end);
  std::size_t mailbox(CoreId source, CoreId destination) const;

 private:
  void network_cycle(Cycles now);
  void memory_cycle(Cycles now);
  void arrived(const MessagePtr& message, Endpoint destination, Cycles time);
  void try_send(LockCore& core, CoreId id, Cycles now);
  /// Whether a send's data may leave now; takes the tickets when they may.
  bool may_send(Flying& x, CoreId id, const std::vector<Endpoint>& destinations, Cycles now);
  /// When a message of the core may leave that is ready at `time`.
  Cycles turn(CoreId core, Cycles time) const {
    return chip.rules.messages_in_turn ? std::max(time, left_[core]) : time;
  }
  Result result(StopReason stop, Cycles cycles);
  std::string explanation(StopReason stop, Cycles cycles) const;
  std::vector<Unreceived> unreceived() const;

  struct Waiting {
    Cycles arrival;
    std::uint32_t sequence;
    MemoryRequest request;
  };
  struct MemoryChannel {
    std::vector<Waiting> waiting;
    Cycles free = 0;
    /// By bank, the row that is open; nothing where data decided it. A bank that nobody has used is not among them.
    std::map<int, std::optional<std::int64_t>> open;
    ChannelResult result;
  };
  isa::cost::RowAccesses find_rows(MemoryChannel& channel, const MemoryRequest& request) const;
  Net net_;
  std::vector<MemoryChannel> channels_;
  GlobalImage global_;
  ImageEnds images_;
  std::vector<std::uint32_t> sequence_;
  std::vector<Cycles> left_;  ///< by core: when its latest message has left
  Cycles expected_ = 0;
  std::int64_t reads_ = 0, writes_ = 0;
};

}  // namespace pimento::sim::lockstep
