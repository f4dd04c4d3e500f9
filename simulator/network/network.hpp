#pragma once
// What carries messages between cores and global memory. A topology is one file and one registration; it sees flights
// (who, to whom, how many bytes, when the head is ready) and tells when each arrives. All times are network cycles.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/cost/cost.hpp"
#include "simulator/chip/kernel.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::sim {

/// A core (0 .. cores - 1) or a channel of the global memory (cores + channel).
using Endpoint = std::uint32_t;

struct Flight {
  Endpoint source = 0;
  Endpoint destination = 0;  ///< of a unicast
  std::int32_t set = -1;     ///< of a multicast: index of the core set; -1: unicast
  Bytes bytes = 0;
  Cycles start = 0;            ///< the head may leave: ready, credit or grant there, handshake done
  std::uint32_t sequence = 0;  ///< of the source: breaks ties after the source itself
  std::uint32_t token = 0;     ///< the sink's
};

/// What so many flits occupy of a link, the unused part of a message's last one included.
inline Bytes wire_bytes(const isa::Chip& chip, std::int64_t flits) {
  return flits * (chip.network.flit > 1 ? chip.network.flit : 1);
}

class FlightSink {
 public:
  virtual ~FlightSink() = default;
  /// The last flit reaches `destination` at `time`, which is later than the kernel's now.
  virtual void arrived(const Flight& flight, Endpoint destination, Cycles time) = 0;
};

/// A way from one node to another that no other messages share: a message arrives a fixed time after it starts.
struct PrivateWay {
  Cycles per_flit = 0;
  std::int64_t flits = 0;  ///< carried so far
  Cycles busy = 0;         ///< with them

  /// Carries a message; returns the time from its start to its arrival.
  Cycles carry(std::int64_t size_flits) {
    const Cycles takes = isa::cost::table_cycles(per_flit, size_flits);
    busy += takes;
    flits += size_flits;
    return takes;
  }
};

class Network {
 public:
  virtual ~Network() = default;
  /// Accepts a flight that starts now or later. Returns when its source is free again.
  virtual Cycles launch(const Flight& flight) = 0;
  /// For networks without contention: what may be carried without a flight. Lives as long as the network.
  virtual PrivateWay* way(CoreId, CoreId) { return nullptr; }
  virtual std::vector<LinkResult> links() const = 0;
  /// Flits by resource of `make_routes`; null without routers.
  virtual const std::vector<std::int64_t>* flits_by_resource() const { return nullptr; }
  /// Flits times hops so far: what `hop_energy` counts.
  virtual std::int64_t flit_hops() const = 0;
};

struct NetworkContext {
  const isa::Chip& chip;
  const std::vector<std::vector<CoreId>>& core_sets;
  Kernel& kernel;
  FlightSink& sink;
  /// Runs a process's body so that a fault ends the run instead of the kernel.
  std::function<void(const std::function<void()>&)> guard;
};

class Routes;
/// One of two: a network of routers is its ways, carried by messages or by flits; any other is made as a whole.
struct Topology {
  std::string_view name, text;
  std::unique_ptr<Routes> (*routes)(const isa::Chip&) = nullptr;
  std::unique_ptr<Network> (*make)(const NetworkContext&) = nullptr;
};
/// All topologies by name; registering a name twice is a fault of ours.
const std::vector<Topology>& topologies();
bool register_topology(const Topology& topology);
/// Throws UserError for a topology that nobody registered.
std::unique_ptr<Network> make_network(const NetworkContext& context);
/// Null for a topology without routers. Throws UserError as `make_network` does.
std::unique_ptr<Routes> make_routes(const isa::Chip& chip);

std::unique_ptr<Network> make_message_network(const NetworkContext& context, std::unique_ptr<Routes> routes);
std::unique_ptr<Network> make_flit_network(const NetworkContext& context, std::unique_ptr<Routes> routes);
/// Those that carried anything, of flits by resource: each keeps its link for a cycle.
std::vector<LinkResult> traffic_of_links(const isa::Chip& chip, const Routes& routes,
                                         const std::vector<std::int64_t>& flits);

}  // namespace pimento::sim
