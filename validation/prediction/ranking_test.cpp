// Does the prediction order ten schedules as the simulation does? Some of the small chips; ranking_long_test asks all.
#include "validation/prediction/ranking.hpp"

#include <doctest/doctest.h>

#include <set>

#include "validation/prediction/small_chips.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: does it order ten schedules of a small chip as the simulation does?") {
  double sum = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Ranking ranking = rank_schedules(seed);
    CAPTURE(seed);
    CAPTURE(ranking.chip);
    CHECK(ranking.schedules.size() == 10);
    CHECK(ranking.agreement() >= least_agreement);
    sum += ranking.tau().value_or(0);
  }
  CHECK(sum / 4 >= least_tau);
}

TEST_CASE("prediction: are the small chips of every topology, buffer and window, and the same for one seed?") {
  std::set<std::string> topologies;
  std::set<int> buffers, windows;
  for (std::uint64_t seed = 1; seed <= small_chips; ++seed) {
    const isa::Chip chip = small_chip(seed);
    topologies.insert(chip.network.topology);
    buffers.insert(chip.network.receive_buffer_messages);
    windows.insert(chip.core.window);
  }
  CHECK(topologies == std::set<std::string>{"crossbar", "mesh", "ring", "table", "torus", "tree"});
  CHECK(buffers == std::set<int>{0, 1, 8});
  CHECK(windows == std::set<int>{1, 4});
  CHECK(small_chip(7).yaml == small_chip(7).yaml);
}
