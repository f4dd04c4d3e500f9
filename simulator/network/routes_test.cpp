// The ways through each topology: their lengths, and that nothing on them can wait for itself.
#include "simulator/network/routes.hpp"

#include <doctest/doctest.h>

#include <set>

#include "isa/cost/ways.hpp"

#include "simulator/network/network_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

std::vector<Resource> way(const Routes& routes, Endpoint source, Endpoint destination) {
  std::vector<Resource> all;
  std::uint32_t router = routes.router_of(source);
  do {
    all.push_back(routes.step(router, destination, router));
    REQUIRE(all.size() <= routes.count());
  } while (routes.is_link(all.back()));
  return all;
}

/// A class of virtual channels of a link, and those that a message in it may wait for.
using Place = std::pair<Resource, int>;
using Waits = std::map<Place, std::set<Place>>;

/// Everywhere a message may be on all of its ways.
void follow(const Routes& routes, Endpoint source, Endpoint destination, Waits& waits) {
  const std::uint32_t to = routes.router_of(destination);
  std::set<std::pair<std::uint32_t, Place>> known;
  const Place none{routes.count(), 0};
  std::vector<std::pair<std::uint32_t, Place>> open{{routes.router_of(source), none}};
  while (!open.empty()) {
    const auto [router, from] = open.back();
    open.pop_back();
    if (router == to || !known.insert({router, from}).second) continue;
    std::vector<Routes::Way> ways;
    routes.ways(routes.router_of(source), router, to, ways);
    REQUIRE_FALSE(ways.empty());
    for (const Routes::Way& w : ways) {
      const Place next{w.link, routes.channel_class(router, to, w.link)};
      if (from != none) waits[from].insert(next);
      open.push_back({w.next, next});
    }
  }
}

bool has_cycle(const Waits& waits) {
  std::map<Place, int> state;  // 1: below on the stack, 2: done
  const std::function<bool(const Place&)> visit = [&](const Place& p) {
    if (state[p] != 0) return state[p] == 1;
    state[p] = 1;
    if (const auto at = waits.find(p); at != waits.end())
      for (const Place& next : at->second)
        if (visit(next)) return true;
    state[p] = 2;
    return false;
  };
  for (const auto& [place, ignored] : waits)
    if (visit(place)) return true;
  return false;
}

Waits waits_of(const Routes& routes) {
  Waits waits;
  for (Endpoint s = 0; s < routes.endpoints(); ++s)
    for (Endpoint d = 0; d < routes.endpoints(); ++d) follow(routes, s, d, waits);
  return waits;
}

}  // namespace

TEST_CASE("routes: is every way as long as the cost model's hops, and the same links whoever asks?") {
  for (const Shape& shape : shapes()) {
    const isa::Chip chip = shaped(shape);
    CAPTURE(described(chip));
    const auto routes = make_routes(chip);
    for (Endpoint s = 0; s < routes->endpoints(); ++s)
      for (Endpoint d = 0; d < routes->endpoints(); ++d) {
        const std::vector<Resource> all = way(*routes, s, d);
        CHECK(all.back() == routes->ejection(d));
        CHECK(static_cast<int>(all.size()) - 1 == isa::cost::hops(chip, std::min(s, static_cast<CoreId>(chip.cores)),
                                                                  std::min(d, static_cast<CoreId>(chip.cores))));
        CHECK(std::set<Resource>(all.begin(), all.end()).size() == all.size());
      }
  }
}

TEST_CASE(
    "routes: does the cost model's description of the ways, with which compilers predict, name the same resources?") {
  for (const Shape& shape : shapes()) {
    const isa::Chip chip = shaped(shape);
    CAPTURE(described(chip));
    const auto routes = make_routes(chip);
    REQUIRE(isa::cost::Ways::knows(chip));
    const isa::cost::Ways ways(chip);
    CHECK(ways.count() == routes->count());
    for (Endpoint s = 0; s < routes->endpoints(); ++s)
      for (Endpoint d = 0; d < routes->endpoints(); ++d) {
        std::vector<Resource> all = way(*routes, s, d);
        if (!routes->is_core(s)) all.insert(all.begin(), routes->injection(s));
        CHECK(ways.between(s, d) == all);
        for (const Resource r : all) CHECK(ways.is_link(r) == routes->is_link(r));
      }
  }
}

TEST_CASE("routes: what are links called?") {
  const auto named = [](const Shape& shape, Endpoint source, Endpoint destination) {
    const auto routes = make_routes(shaped(shape));
    std::string names;
    for (const Resource r : way(*routes, source, destination)) names += routes->name(r) + ", ";
    return names;
  };
  CHECK(named({"mesh", 16, 4, 4}, 0, 9) == "mesh 0->1, mesh 1->5, mesh 5->9, eject core9, ");
  CHECK(named({"torus", 16, 4, 4}, 0, 11) == "torus 0->3, torus 3->7, torus 7->11, eject core11, ");
  CHECK(named({"torus", 16, 4, 4}, 5, 15) == "torus 5->6, torus 6->7, torus 7->11, torus 11->15, eject core15, ");
  CHECK(named({"ring", 8}, 1, 6) == "ring 1->0, ring 0->7, ring 7->6, eject core6, ");
  CHECK(named({"ring", 8}, 1, 5) == "ring 1->2, ring 2->3, ring 3->4, ring 4->5, eject core5, ");
  CHECK(named({"crossbar", 9}, 1, 5) == "crossbar ->5, eject core5, ");
  CHECK(named({"tree", 8, 0, 0, 1, 2}, 1, 4) == "tree 0->4, tree 4->6, tree 6->5, tree 5->2, eject core4, ");
  CHECK(named({"tree", 8, 0, 0, 1, 2}, 4, 5) == "eject core5, ");
}

TEST_CASE("routes: does every way of an adaptive mesh stay a shortest one, and does one adapt at all?") {
  for (const isa::Routing routing : {isa::Routing::west_first, isa::Routing::odd_even}) {
    isa::Chip chip = shaped({"mesh", 20, 5, 4}, isa::NetworkLevel::flit);
    chip.network.routing = routing;
    const auto routes = make_routes(chip);
    int choices = 0;
    for (std::uint32_t s = 0; s < 20; ++s)
      for (std::uint32_t d = 0; d < 20; ++d) {
        std::set<std::uint32_t> here{s};
        for (int far = isa::cost::hops(chip, s, d); far > 0; --far) {
          std::set<std::uint32_t> next;
          for (const std::uint32_t router : here) {
            std::vector<Routes::Way> ways;
            routes->ways(s, router, d, ways);
            REQUIRE_FALSE(ways.empty());
            choices += ways.size() > 1 ? 1 : 0;
            for (const Routes::Way& w : ways) {
              CHECK(isa::cost::hops(chip, w.next, d) == far - 1);
              next.insert(w.next);
            }
          }
          here = next;
        }
        CHECK(here == std::set<std::uint32_t>{d});
      }
    CHECK(choices > 100);
  }
}

TEST_CASE("routes: can no set of messages wait for each other in a circle, at flit level?") {
  for (const Shape& shape : shapes()) {
    const isa::Chip chip = shaped(shape, isa::NetworkLevel::flit);
    CAPTURE(described(chip));
    CHECK_FALSE(has_cycle(waits_of(*make_routes(chip))));
  }
  for (const isa::Routing routing : {isa::Routing::west_first, isa::Routing::odd_even}) {
    isa::Chip chip = shaped({"mesh", 42, 7, 6}, isa::NetworkLevel::flit);
    chip.network.routing = routing;
    CHECK_FALSE(has_cycle(waits_of(*make_routes(chip))));
  }
}

TEST_CASE("routes: would a torus whose virtual channels were all alike have such a circle?") {
  Waits alike;
  for (const auto& [from, all] : waits_of(*make_routes(shaped({"torus", 16, 4, 4}))))
    for (const Place& to : all) alike[{from.first, 0}].insert({to.first, 0});
  CHECK(has_cycle(alike));
}

TEST_CASE("routes: does a multicast take each link once?") {
  for (const Shape& shape : shapes()) {
    const isa::Chip chip = shaped(shape);
    CAPTURE(described(chip));
    const auto routes = make_routes(chip);
    std::vector<Endpoint> everyone;
    for (Endpoint e = 1; e < static_cast<Endpoint>(chip.cores); ++e) everyone.push_back(e);
    std::set<Resource> seen;
    std::vector<std::pair<std::uint32_t, std::vector<Endpoint>>> open{{routes->router_of(0), everyone}};
    std::size_t reached = 0;
    while (!open.empty()) {
      const auto [router, left] = open.back();
      open.pop_back();
      for (const Routes::Branch& b : routes->branches(router, left)) {
        CHECK(seen.insert(b.resource).second);
        if (routes->is_link(b.resource))
          open.push_back({b.next_router, b.destinations});
        else
          reached += b.destinations.size();
      }
    }
    CHECK(reached == everyone.size());
  }
}

TEST_CASE("routes: are unknown topologies and cores without routers refused by name?") {
  isa::Chip chip = shaped({"mesh", 16, 4, 4});
  chip.network.topology = "tours";
  CHECK_THROWS_WITH(make_routes(chip), "chip 'plain': unknown network topology 'tours'; nearest: 'torus'");
  CHECK_THROWS_WITH(make_routes(shaped({"mesh", 16, 4, 3})),
                    "chip 'plain': its mesh of 12 routers has none for core 12 of 16");
}
