// The network at flit level: credits, virtual channels, heavy traffic.
#include "simulator/network/flit_level.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "isa/instruction/samples.hpp"
#include "simulator/network/network_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

isa::Chip flit_chip(const Shape& shape, int channels = 2, int buffer = 8) {
  isa::Chip chip = shaped(shape, isa::NetworkLevel::flit);
  chip.network.virtual_channels = channels;
  chip.network.virtual_channel_buffer = buffer;
  return chip;
}

/// The fabric by itself, and what it delivers.
struct Fabric final : FlightSink {
  explicit Fabric(const isa::Chip& c) : chip(c), routes(make_routes(chip)), fabric(chip, *routes, *this) {}
  void send(Endpoint source, Endpoint destination, std::int64_t flits, Cycles start) {
    fabric.launch({source, destination, -1, flits * chip.network.flit, start, sent, sent}, {destination});
    sent_flits += flits;
    ++sent;
  }
  /// Until nothing moves or `until` comes.
  void run(Cycles until) {
    while (fabric.next() != FlitFabric::never && fabric.next() <= until) fabric.cycle();
  }
  void arrived(const Flight& flight, Endpoint destination, Cycles) override {
    ++here;
    ejected += flight.bytes / chip.network.flit;
    in_order = in_order && flight.token >= latest[{flight.source, destination}];
    latest[{flight.source, destination}] = flight.token;
  }
  isa::Chip chip;
  std::unique_ptr<Routes> routes;
  FlitFabric fabric;
  std::uint32_t sent = 0;
  std::int64_t sent_flits = 0, here = 0, ejected = 0;
  bool in_order = true;
  std::map<std::pair<Endpoint, Endpoint>, std::uint32_t> latest;
};

/// More than the network can carry, from everywhere, with everything to core 1 now and then.
void flood(Fabric& f, std::uint64_t seed, int messages) {
  isa::Random random(seed);
  const Endpoint nodes = f.routes->endpoints();
  for (int n = 0; n < messages; ++n) {
    const auto s = static_cast<Endpoint>(random.between(0, nodes - 1));
    const auto d = random.one_in(6) ? Endpoint{1} : static_cast<Endpoint>(random.between(0, nodes - 1));
    f.send(s, d, random.between(1, 20), random.between(0, 50));
  }
}

}  // namespace

TEST_CASE("flits: does a buffer of fewer flits than a credit's round trip stop the link until the credit is back?") {
  // Router, link and credit take a cycle each: the flit that leaves core 0's router in cycle 1 leaves the next router
  // in cycle 3, and its place can be taken again in cycle 4.
  for (const auto& [buffer, arrival] : {std::pair{3, 3 + 6}, {2, 3 + 6 + 2}, {1, 3 + 6 + 10}}) {
    NetworkBench bench(flit_chip({"mesh", 2, 2, 1}, 1, buffer));
    const auto m = bench.send(0, 1, 6, 0);
    bench.run();
    CHECK(bench.arrival(m) == arrival);
  }
}

TEST_CASE("flits: does a second virtual channel let a message pass one that is blocked, and only a second one?") {
  // Core 3 keeps core 2's ejection port, so core 0's message to it stands on the links 0 -> 1 -> 2. The memory channel
  // at router 0 has one flit for core 1.
  for (const int channels : {1, 2}) {
    NetworkBench bench(flit_chip({"mesh", 4, 4, 1}, channels, 4));
    const auto blocker = bench.send(3, 2, 60, 0);
    const auto blocked = bench.send(0, 2, 30, 0);
    const auto free = bench.send(4, 1, 1, 31);
    bench.run();
    CHECK(bench.arrival(blocker) == 3 + 60);
    CHECK(bench.arrival(blocked) == 3 + 90);
    CAPTURE(channels);
    if (channels == 2)
      CHECK(bench.arrival(free) == 31 + 3 + 1);
    else
      CHECK(bench.arrival(free) > 63);
  }
}

TEST_CASE("flits: do two messages that share a link follow each other, not flit by flit in turn?") {
  NetworkBench bench(flit_chip({"mesh", 4, 4, 1}, 4));
  const auto a = bench.send(0, 2, 10, 0), b = bench.send(1, 2, 10, 1);
  bench.run();
  CHECK(bench.arrival(b) == 1 + 3 + 10);  // core 1's head is there in cycle 2, core 0's in cycle 3
  CHECK(bench.arrival(a) == 1 + 3 + 20);
}

TEST_CASE("flits: does an adaptive mesh go round a link that is taken, where xy waits?") {
  const auto arrival = [](isa::Routing routing) {
    isa::Chip chip = flit_chip({"mesh", 9, 3, 3}, 1, 4);
    chip.network.routing = routing;
    NetworkBench bench(chip);
    bench.send(0, 2, 100, 0);                // keeps 0 -> 1 -> 2
    const auto m = bench.send(9, 4, 4, 10);  // of the memory channel at router 0: right then down, or down then right
    bench.run();
    return bench.arrival(m) - 10;
  };
  CHECK(arrival(isa::Routing::xy) > 90);
  CHECK(arrival(isa::Routing::west_first) == 5 + 4);
  CHECK(arrival(isa::Routing::odd_even) == 5 + 4);
}

TEST_CASE("flits: does heavy traffic drain on every topology, with every flit where it belongs, in order of sending?") {
  int n = 0;
  const auto drains = [&](const isa::Chip& chip) {
    CAPTURE(described(chip));
    CAPTURE(chip.network.virtual_channels);
    Fabric f(chip);
    flood(f, static_cast<std::uint64_t>(++n), 600);
    f.run(400);
    CHECK(f.fabric.flits_inside() > 0);  // it is crowded, not done
    std::int64_t ejected = 0;
    f.run(1'000'000);
    CHECK(f.here == 600);
    CHECK(f.ejected == f.sent_flits);
    CHECK(f.in_order);
    CHECK(f.fabric.flits_inside() == 0);
    CHECK(f.fabric.next() == FlitFabric::never);
    for (Endpoint e = 0; e < f.routes->endpoints(); ++e) ejected += f.fabric.traffic()[f.routes->ejection(e)];
    CHECK(ejected == f.sent_flits);
  };
  for (const Shape& shape : shapes())
    for (const auto& [channels, buffer] : {std::pair{2, 1}, {2, 8}, {4, 2}}) drains(flit_chip(shape, channels, buffer));
  for (const isa::Routing routing : {isa::Routing::xy, isa::Routing::west_first, isa::Routing::odd_even})
    for (const int channels : {1, 3}) {
      isa::Chip chip = flit_chip({"mesh", 30, 6, 5}, channels, 2);
      chip.network.routing = routing;
      drains(chip);
    }
}

TEST_CASE("flits: do crossing multicasts drain, with every branch served?") {
  for (const Shape& shape : shapes()) {
    const isa::Chip chip = flit_chip(shape, 2, 2);
    CAPTURE(described(chip));
    const auto last = static_cast<CoreId>(chip.cores - 1);
    const std::vector<std::vector<CoreId>> sets{{1, 3, 4, last}, {0, 2, 5}, {0, 1, 2, 3, 4, last}};
    NetworkBench bench(chip, sets);
    isa::Random random(11);
    std::map<std::uint32_t, std::set<Endpoint>> expected;
    for (int n = 0; n < 300; ++n)
      if (random.one_in(2)) {
        const auto set = static_cast<int>(random.between(0, 2));
        const std::uint32_t m = bench.multicast(static_cast<Endpoint>(random.between(0, last)), set,
                                                random.between(1, 12), random.between(0, 60));
        expected[m].insert(sets[static_cast<std::size_t>(set)].begin(), sets[static_cast<std::size_t>(set)].end());
      } else {
        const auto source = static_cast<Endpoint>(random.between(0, last));
        const auto to = static_cast<Endpoint>(random.between(0, last));
        expected[bench.send(source, to, random.between(1, 12), random.between(0, 60))].insert(to);
      }
    bench.run();
    std::map<std::uint32_t, std::set<Endpoint>> reached;
    for (const auto& [message, at] : bench.arrivals)
      for (const auto& [destination, time] : at) reached[message].insert(destination);
    CHECK(reached == expected);
  }
}

TEST_CASE("flits: does the order in which messages are handed over within a cycle change nothing?") {
  const isa::Chip chip = flit_chip({"torus", 16, 4, 4}, 2, 2);
  std::map<std::pair<Endpoint, std::uint32_t>, Cycles> arrivals[2];
  for (const bool backwards : {false, true}) {
    struct Sink final : FlightSink {
      std::map<std::pair<Endpoint, std::uint32_t>, Cycles>* to;
      void arrived(const Flight& f, Endpoint, Cycles time) override { (*to)[{f.source, f.sequence}] = time; }
    } sink;
    sink.to = &arrivals[backwards ? 1 : 0];
    const auto routes = make_routes(chip);
    FlitFabric fabric(chip, *routes, sink);
    for (int i = 0; i < 16; ++i) {
      const auto s = static_cast<Endpoint>(backwards ? 15 - i : i);
      for (std::uint32_t k = 0; k < 5; ++k)
        fabric.launch({s, (s * 7 + k) % 16, -1, 8 * 9, k, k, 0}, {(s * 7 + k) % 16});
    }
    while (fabric.next() != FlitFabric::never) fabric.cycle();
  }
  CHECK(arrivals[0] == arrivals[1]);
  CHECK(arrivals[0].size() == 80);
}

TEST_CASE("flits: is a chip made by hand that could deadlock, or that has no pipeline, refused?") {
  CHECK_THROWS_WITH(
      NetworkBench(flit_chip({"ring", 8}, 1)),
      "chip 'plain': at flit level, expected network.router_latency 1 or more and network.virtual_channels 2 or "
      "more on this topology, got 1 and 1");
}
