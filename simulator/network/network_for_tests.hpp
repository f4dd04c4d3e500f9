#pragma once
// For tests: chips of every topology, and a network by itself that carries what it is given.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isa/cost/cost.hpp"
#include "simulator/chip/bench.hpp"
#include "simulator/network/network.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim::bench {

/// Flits of 8 bytes, a cycle per router and link, no handshake, one memory channel beside core 0.
struct Shape {
  const char* topology;
  int cores, width = 0, height = 0, cores_per_router = 1, arity = 0;
};
inline isa::Chip shaped(const Shape& shape, isa::NetworkLevel level = isa::NetworkLevel::message) {
  isa::Chip c = plain_chip();
  c.cores = shape.cores;
  c.network.topology = shape.topology;
  c.network.width = shape.width;
  c.network.height = shape.height;
  c.network.cores_per_router = shape.cores_per_router;
  c.network.tree_arity = shape.arity;
  c.network.level = level;
  return c;
}
inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{"mesh", 16, 4, 4},
                                      {"mesh", 12, 2, 3, 2},
                                      {"torus", 16, 4, 4},
                                      {"torus", 15, 5, 3},
                                      {"torus", 6, 2, 3},
                                      {"torus", 18, 3, 3, 2},
                                      {"ring", 8},
                                      {"ring", 7},
                                      {"ring", 12, 0, 0, 2},
                                      {"crossbar", 9},
                                      {"tree", 8, 0, 0, 1, 2},
                                      {"tree", 11, 0, 0, 1, 3}};
  return all;
}
inline std::string described(const isa::Chip& c) {
  return c.network.topology + " of " + std::to_string(c.cores) + " cores, " +
         std::to_string(c.network.cores_per_router) + " to a router";
}

/// Flights that are launched in cycle 0 for later ones, and when each came where it went.
class NetworkBench final : public FlightSink {
 public:
  explicit NetworkBench(const isa::Chip& chip, std::vector<std::vector<CoreId>> sets = {})
      : chip_(chip),
        sets_(std::move(sets)),
        network_(make_network({chip_, sets_, kernel_, *this, [](const std::function<void()>& body) { body(); }})) {}

  /// Returns its number.
  std::uint32_t send(Endpoint source, Endpoint destination, std::int64_t flits, Cycles start) {
    return launch(source, destination, -1, flits, start);
  }
  std::uint32_t multicast(Endpoint source, int set, std::int64_t flits, Cycles start) {
    return launch(source, 0, set, flits, start);
  }
  void run() { kernel_.run(); }
  /// Of a message at its only destination, or at one of several.
  Cycles arrival(std::uint32_t message) const { return arrivals.at(message).begin()->second; }
  Cycles arrival(std::uint32_t message, Endpoint destination) const { return arrivals.at(message).at(destination); }
  const Network& network() const { return *network_; }

  std::map<std::uint32_t, std::map<Endpoint, Cycles>> arrivals;

 private:
  std::uint32_t launch(Endpoint source, Endpoint destination, int set, std::int64_t flits, Cycles start) {
    network_->launch({source, destination, set, flits * chip_.network.flit, start, number_, number_});
    return number_++;
  }
  void arrived(const Flight& flight, Endpoint destination, Cycles time) override {
    arrivals[flight.token][destination] = time;
  }
  isa::Chip chip_;
  std::vector<std::vector<CoreId>> sets_;
  Kernel kernel_;
  std::unique_ptr<Network> network_;
  std::uint32_t number_ = 0;
};

}  // namespace pimento::sim::bench
