// When messages arrive: alone, behind one another, at both levels and on every topology.
#include <doctest/doctest.h>

#include "isa/instruction/samples.hpp"
#include "simulator/network/network_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

constexpr isa::NetworkLevel levels[] = {isa::NetworkLevel::message, isa::NetworkLevel::flit};

CoreId position(const isa::Chip& chip, Endpoint e) { return std::min<CoreId>(e, static_cast<CoreId>(chip.cores)); }

}  // namespace

TEST_CASE("network: does every message alone take what the closed form says, on each topology and level?") {
  for (const isa::NetworkLevel level : levels)
    for (const Shape& shape : shapes()) {
      isa::Chip chip = shaped(shape, level);
      CAPTURE(described(chip));
      int variant = 0;
      for (const auto& [router, link, buffer] : {std::tuple{1, 1, 8}, {4, 1, 8}, {1, 3, 2}, {2, 0, 1}, {1, 1, 3}}) {
        chip.network.router_cycles = router;
        chip.network.link_cycles = link;
        chip.network.virtual_channel_buffer = buffer;
        ++variant;
        CAPTURE(variant);
        NetworkBench bench(chip);
        std::vector<std::tuple<std::uint32_t, Cycles, Endpoint, Endpoint, std::int64_t>> sent;
        Cycles start = 0;
        const auto nodes = static_cast<Endpoint>(chip.cores + 1);  // the memory channel is the last
        for (Endpoint s = 0; s < nodes; ++s)
          for (Endpoint d = 0; d < nodes; ++d) {
            const std::int64_t flits = 1 + (s * 3 + d) % 7;
            sent.emplace_back(bench.send(s, d, flits, start), start, s, d, flits);
            start += 400;
          }
        bench.run();
        for (const auto& one : sent) {
          const auto message = std::get<0>(one);
          const Cycles at = std::get<1>(one);
          const Endpoint s = std::get<2>(one), d = std::get<3>(one);
          const std::int64_t flits = std::get<4>(one);
          CAPTURE(s);
          CAPTURE(d);
          CAPTURE(flits);
          const Cycles takes = isa::cost::message_network_cycles(chip, position(chip, s), position(chip, d), flits * 8);
          CHECK(bench.arrival(message) - at == takes);
        }
      }
    }
}

TEST_CASE("network: does a second message wait for a shared link as long as it must, and no cycle more?") {
  // Two of 4 flits meet before one link in cycle 1: the first arrives as if alone, the other 4 cycles later than alone.
  struct Meeting {
    Shape shape;
    Endpoint first, second, to;
  };
  for (const Meeting& m : {Meeting{{"mesh", 12, 2, 3, 2}, 0, 1, 2},
                           {{"torus", 18, 3, 3, 2}, 0, 1, 2},
                           {{"ring", 12, 0, 0, 2}, 0, 1, 2},
                           {{"crossbar", 9}, 3, 7, 5},
                           {{"tree", 8, 0, 0, 1, 2}, 0, 1, 4}})
    for (const isa::NetworkLevel level : levels) {
      const isa::Chip chip = shaped(m.shape, level);
      CAPTURE(described(chip));
      CAPTURE(static_cast<int>(level));
      const Cycles alone = isa::cost::message_network_cycles(chip, m.first, m.to, 4 * 8);
      NetworkBench bench(chip);
      const auto a = bench.send(m.first, m.to, 4, 0), b = bench.send(m.second, m.to, 4, 0);
      bench.run();
      CHECK(std::min(bench.arrival(a), bench.arrival(b)) == alone);
      CHECK(std::max(bench.arrival(a), bench.arrival(b)) == alone + 4);
      // ready one cycle before the link is free, and as it gets free: 1 and 0 cycles of waiting
      for (const Cycles later : {3, 4, 5}) {
        NetworkBench apart(chip);
        const auto c = apart.send(m.first, m.to, 4, 0), d = apart.send(m.second, m.to, 4, later);
        apart.run();
        CHECK(apart.arrival(c) == alone);
        CHECK(apart.arrival(d) == alone + std::max<Cycles>(later, 4));
      }
    }
}

TEST_CASE("network: do messages on other links not disturb each other?") {
  for (const isa::NetworkLevel level : levels) {
    NetworkBench mesh(shaped({"mesh", 16, 4, 4}, level));
    const auto a = mesh.send(0, 3, 9, 0), b = mesh.send(4, 7, 9, 0), c = mesh.send(3, 0, 9, 0);
    mesh.run();
    for (const auto each : {a, b, c}) CHECK(mesh.arrival(each) == 4 + 3 + 9);
    NetworkBench crossbar(shaped({"crossbar", 8}, level));
    for (Endpoint e = 0; e < 8; ++e) crossbar.send(e, (e + 3) % 8, 9, 0);
    crossbar.run();
    for (std::uint32_t m = 0; m < 8; ++m) CHECK(crossbar.arrival(m) == 2 + 1 + 9);
  }
}

TEST_CASE("network: does a multicast alone reach each destination when a message to it alone would?") {
  for (const isa::NetworkLevel level : levels)
    for (const Shape& shape : shapes()) {
      const isa::Chip chip = shaped(shape, level);
      CAPTURE(described(chip));
      const std::vector<CoreId> set{1, 3, 4, static_cast<CoreId>(chip.cores - 1)};
      NetworkBench bench(chip, {set});
      const auto message = bench.multicast(0, 0, 5, 7);
      bench.run();
      for (const CoreId each : set)
        CHECK(bench.arrival(message, each) - 7 == isa::cost::message_network_cycles(chip, 0, each, 5 * 8));
    }
}

TEST_CASE("network: are the bytes and hops of links the same at both levels?") {
  for (const Shape& shape : shapes()) {
    std::vector<LinkResult> links[2];
    std::int64_t hops[2];
    for (const isa::NetworkLevel level : levels) {
      const isa::Chip chip = shaped(shape, level);
      NetworkBench bench(chip, {{1, 2, 5}});
      isa::Random random(7);
      for (int n = 0; n < 200; ++n) {
        const auto s = static_cast<Endpoint>(random.between(0, chip.cores));
        const auto d = static_cast<Endpoint>(random.between(0, chip.cores));
        bench.send(s, d, random.between(1, 9), random.between(0, 300));
        if (n % 10 == 0) bench.multicast(4, 0, random.between(1, 9), random.between(0, 300));
      }
      bench.run();
      links[static_cast<int>(level)] = bench.network().links();
      hops[static_cast<int>(level)] = bench.network().flit_hops();
    }
    CAPTURE(shape.topology);
    CHECK(hops[0] == hops[1]);
    REQUIRE(links[0].size() == links[1].size());
    for (std::size_t n = 0; n < links[0].size(); ++n) {
      CHECK(links[0][n].name == links[1][n].name);
      CHECK(links[0][n].bytes == links[1][n].bytes);
      CHECK(links[0][n].busy == links[1][n].busy);
    }
  }
}
