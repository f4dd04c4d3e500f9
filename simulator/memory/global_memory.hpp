#pragma once
// The global memory: channels that serve one request at a time, in the order (arrival, source, sequence). A request's
// values are read or written when its service starts.
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "isa/program/program.hpp"
#include "simulator/chip/kernel.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/memory/image.hpp"
#include "simulator/memory/open_rows.hpp"

namespace pimento::sim {

/// What a load or store wants of the memory; `starts` are the addresses of its segments, empty without values.
struct MemoryRequest {
  CoreId core = 0;
  std::uint32_t instruction = 0;
  bool is_store = false;
  int channel = 0;
  Bytes bytes = 0;
  std::int64_t accesses = 0;
  GlobalView view;
  isa::cost::RowAccesses rows;  ///< once it is served: what its accesses found
  std::vector<std::int64_t> starts;
  std::int32_t segment = 0;
  std::shared_ptr<Payload> payload;  ///< of a store; a load's is made when it is served
};

/// The contents of the global memory, and the two things that a request does to them.
class GlobalImage {
 public:
  GlobalImage() = default;
  GlobalImage(const isa::Program& program, const isa::Chip& chip, Carries carries, const std::vector<PortData>& inputs);
  void serve(MemoryRequest& request);
  OutputData output(const isa::Port& port, bool with_real) const;

 private:
  void check(const MemoryRequest& request, std::int64_t start) const;
  Image image_;
};

/// When each image of a stream stood complete in the global memory.
class ImageEnds {
 public:
  explicit ImageEnds(const isa::Program& program);
  /// A store that began at this address has ended, core clock.
  void stored(std::int64_t address, Cycles end);
  const std::vector<Cycles>& ends() const { return ends_; }

 private:
  struct Place {
    std::int64_t begin = 0, end = 0;
    std::size_t image = 0;
  };
  std::vector<Place> places_;  ///< of the outputs, by address
  std::vector<Cycles> ends_;
};

/// Memory cycles that a request keeps its channel; what its accesses find is known.
Cycles service_cycles(const isa::Chip& chip, const MemoryRequest& request);

class Channel {
 public:
  /// Called when a request's service starts, with the memory cycles of its start and end.
  using Served = std::function<void(MemoryRequest&&, Cycles start, Cycles end)>;
  Channel(const isa::Chip& chip, Kernel& kernel, Served served,
          std::function<void(const std::function<void()>&)> guard);

  void request(MemoryRequest request, Cycles arrival, std::uint32_t sequence);
  const ChannelResult& result() const { return result_; }
  std::int64_t read_accesses() const { return reads_; }
  std::int64_t write_accesses() const { return writes_; }

 private:
  struct Waiting {
    Cycles arrival;
    CoreId source;
    std::uint32_t sequence;
    std::size_t slot;  ///< of its request
    /// Of a heap with the next one on top.
    bool operator<(const Waiting& other) const {
      if (arrival != other.arrival) return arrival > other.arrival;
      if (source != other.source) return source > other.source;
      return sequence > other.sequence;
    }
  };
  void serve();
  void wake_for_next();

  const isa::Chip& chip_;
  Kernel& kernel_;
  Served served_;
  Femtoseconds period_;
  Cycles free_ = 0;
  std::priority_queue<Waiting> waiting_;  ///< all cores load at once in the beginning: thousands
  std::vector<MemoryRequest> requests_;   ///< by slot
  std::vector<std::size_t> free_slots_;
  OpenRows rows_;
  ChannelResult result_;
  std::int64_t reads_ = 0, writes_ = 0;
  Process process_;
};

}  // namespace pimento::sim
