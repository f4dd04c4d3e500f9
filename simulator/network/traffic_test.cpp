// A network under made-up traffic.
#include "simulator/network/traffic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "simulator/network/network_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

TrafficOptions brief(Pattern pattern) {
  TrafficOptions o;
  o.pattern = pattern;
  o.warm_up = 1000;
  o.measured = 6000;
  o.drain = 6000;
  return o;
}
constexpr Pattern patterns[] = {Pattern::uniform, Pattern::transpose, Pattern::hotspot, Pattern::neighbour};
constexpr isa::NetworkLevel levels[] = {isa::NetworkLevel::message, isa::NetworkLevel::flit};

}  // namespace

TEST_CASE("traffic: is every message's time without load the closed form's, on each topology, level and pattern?") {
  for (const Shape& shape : shapes())
    for (const isa::NetworkLevel level : levels)
      for (const Pattern pattern : patterns) {
        isa::Chip chip = shaped(shape, level);
        chip.network.handshake_cycles = 2;
        chip.network.router_cycles = 3;
        CAPTURE(described(chip));
        CAPTURE(to_string(pattern));
        if (pattern == Pattern::transpose && (chip.cores == 7 || chip.cores == 11))
          continue;  // one row: all stay at home
        const ZeroLoad z = zero_load(chip, brief(pattern));
        CHECK(z.equal);
        CHECK(z.pairs > 0);
        CHECK(z.measured == z.closed_form);
      }
}

TEST_CASE("traffic: what does uniform traffic take on an 8 x 8 mesh without load?") {
  // mean distance to another core 16/3: (16/3 + 1) routers, 16/3 links, 8 flits
  const ZeroLoad z = zero_load(shaped({"mesh", 64, 8, 8}), brief(Pattern::uniform));
  CHECK(z.measured == doctest::Approx(19.0 / 3 + 16.0 / 3 + 8));
}

TEST_CASE("traffic: what does the fullest link allow?") {
  const auto bound = [](const Shape& shape, Pattern pattern) { return load_bound(shaped(shape), brief(pattern)); };
  // 8 x 8, to another core: each of the 8 rows has 4 * 4 * 8 of 64 * 63 pairs cross its middle in one direction
  CHECK(bound({"mesh", 64, 8, 8}, Pattern::uniform).load == doctest::Approx(63.0 / 128));
  CHECK(bound({"mesh", 64, 8, 8}, Pattern::uniform).resource == "mesh 3->4");
  CHECK(bound({"mesh", 64, 8, 8}, Pattern::transpose).load == doctest::Approx(1.0 / 7));
  // 63 senders: 0.2 each, and of the rest 0.8/63 each
  CHECK(bound({"crossbar", 64}, Pattern::hotspot).load == doctest::Approx(1 / (63 * 0.2 + 0.8)));
  CHECK(bound({"ring", 8}, Pattern::neighbour).load == 1);
}

TEST_CASE("traffic: does the latency rise with the load, to saturation, at the link that the bound names?") {
  for (const isa::NetworkLevel level : levels) {
    const TrafficCurve curve =
        measure_curve(shaped({"mesh", 16, 4, 4}, level), brief(Pattern::transpose), {0.02, 0.1, 0.2, 0.9});
    CHECK(curve.points[0].mean > curve.zero_load.measured * 0.98);
    CHECK(curve.points[0].mean < curve.points[1].mean);
    CHECK(curve.points[1].mean < curve.points[2].mean);
    CHECK_FALSE(curve.points[2].saturated);
    CHECK(curve.points[3].saturated);
    CHECK(curve.points[3].accepted < curve.points[3].made);
    CHECK(curve.points[1].accepted == doctest::Approx(curve.points[1].made).epsilon(0.02));
    CHECK(curve.points[1].made == doctest::Approx(0.1 * 12 / 16).epsilon(0.05));  // four stand on the diagonal
    CHECK(curve.bound.load == doctest::Approx(1.0 / 3));
    CHECK(curve.saturation < curve.bound.load);
    CHECK(curve.saturation > curve.bound.load / 2);
    REQUIRE(curve.above);
    CHECK(curve.above->hottest_busy > 0.75);
    const std::vector<std::string> fullest{"mesh 14->15", "mesh 1->0", "mesh 15->11", "mesh 0->4"};
    CHECK_MESSAGE(std::count(fullest.begin(), fullest.end(), curve.above->hottest) == 1, curve.above->hottest);
  }
}

TEST_CASE("traffic: does a ring carry nearly a flit a cycle from each core to its neighbour?") {
  for (const isa::NetworkLevel level : levels) {
    const TrafficCurve curve = measure_curve(shaped({"ring", 8}, level), brief(Pattern::neighbour), {});
    CHECK(curve.bound.load == 1);
    CHECK(curve.saturation > 0.75);
    CHECK(curve.saturation < 1);
  }
}

TEST_CASE("traffic: does the same seed give the same curve, and another one another?") {
  const isa::Chip chip = shaped({"torus", 16, 4, 4}, isa::NetworkLevel::flit);
  TrafficOptions o = brief(Pattern::uniform);
  const TrafficPoint a = measure_load(chip, o, 0.3, 12), b = measure_load(chip, o, 0.3, 12);
  CHECK(a.mean == b.mean);
  CHECK(a.most == b.most);
  o.seed = 2;
  CHECK(measure_load(chip, o, 0.3, 12).mean != a.mean);
}

TEST_CASE("traffic: are whole messages and flits within a tenth of each other below half of saturation?") {
  for (const Shape& shape : {Shape{"mesh", 64, 8, 8}, Shape{"torus", 64, 8, 8}, Shape{"tree", 16, 0, 0, 1, 4}})
    for (const Pattern pattern : {Pattern::uniform, Pattern::neighbour}) {
      CAPTURE(shape.topology);
      CAPTURE(to_string(pattern));
      const isa::Chip by_message = shaped(shape), by_flit = shaped(shape, isa::NetworkLevel::flit);
      const double saturation = measure_curve(by_flit, brief(pattern), {}).saturation;
      CAPTURE(saturation);
      for (const double part : {0.1, 0.25, 0.4, 0.5}) {
        const double without = zero_load(by_flit, brief(pattern)).measured;
        const double m = measure_load(by_message, brief(pattern), part * saturation, without).mean;
        const double f = measure_load(by_flit, brief(pattern), part * saturation, without).mean;
        CAPTURE(part);
        CHECK(m == doctest::Approx(f).epsilon(0.1));
      }
    }
}

TEST_CASE("traffic: how far apart are whole messages and flits where many go one way?") {
  // Printed, and what README.md says of it held: a flit network blocks what stands behind a message for the crowded
  // place.
  for (const Pattern pattern : {Pattern::transpose, Pattern::hotspot}) {
    const isa::Chip by_message = shaped({"mesh", 64, 8, 8}),
                    by_flit = shaped({"mesh", 64, 8, 8}, isa::NetworkLevel::flit);
    const TrafficCurve whole = measure_curve(by_message, brief(pattern), {});
    const double saturation = measure_curve(by_flit, brief(pattern), {}).saturation;
    CHECK(saturation <= whole.saturation * 1.02);
    for (const double part : {0.25, 0.5, 0.75, 0.9}) {
      const double m = measure_load(by_message, brief(pattern), part * saturation, whole.zero_load.measured).mean;
      const double f = measure_load(by_flit, brief(pattern), part * saturation, whole.zero_load.measured).mean;
      MESSAGE(std::string(to_string(pattern)), " at ", part, " of saturation: ", m, " by message, ", f, " by flit, ",
              100 * (m / f - 1), " %");
      CHECK(std::fabs(m / f - 1) < (pattern == Pattern::transpose ? 0.001 : 0.05));
    }
  }
}

TEST_CASE("traffic: are loads out of range and networks without links refused?") {
  isa::Chip table = plain_chip();
  table.network.topology = "table";
  table.network.table = std::make_shared<std::vector<std::vector<Cycles>>>(5, std::vector<Cycles>(5, 1));
  CHECK_THROWS_WITH(measure_load(table, brief(Pattern::uniform), 0.1, 1),
                    "chip 'plain': its network is a table, which no load can slow down");
  CHECK_THROWS_WITH(measure_load(plain_chip(), brief(Pattern::uniform), 1.5, 1),
                    "traffic: expected a load above 0, at most 1, got 1.5");
  CHECK_THROWS_WITH(zero_load(shaped({"ring", 7}), brief(Pattern::transpose)),
                    "pattern 'transpose': no core of chip 'plain' sends anything");
  CHECK_THROWS_WITH(pattern_of("transpos"), "unknown pattern 'transpos'; nearest: 'transpose'");
}

TEST_CASE("traffic: does a load of next to nothing end, without a message?") {
  const TrafficPoint point = measure_load(shaped({"mesh", 16, 4, 4}), brief(Pattern::uniform), 1e-30, 10);
  CHECK(point.messages == 0);
  CHECK_FALSE(point.saturated);
}
