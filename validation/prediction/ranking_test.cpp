// Does the prediction order ten schedules as the simulation does? Some of the small chips; ranking_long_test asks all.
#include "validation/prediction/ranking_for_tests.hpp"

#include <doctest/doctest.h>

#include <set>

#include "isa/support/error.hpp"
#include "validation/prediction/small_chips.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("prediction: does it order ten schedules of a small chip as the simulation does?") { check_rankings(1, 4); }

TEST_CASE("ranking: is the agreement that of the pairs that clearly differ, and none where no pair does?") {
  const auto of = [](const std::vector<std::pair<Cycles, Cycles>>& predicted_and_simulated) {
    Ranking ranking;
    for (const auto& [predicted, simulated] : predicted_and_simulated)
      ranking.schedules.push_back({"", predicted, simulated});
    return ranking;
  };
  // 1000 and 1010 do not differ by more than 1 %
  const Ranking alike = of({{20, 1000}, {10, 1010}});
  CHECK(alike.clear_pairs() == 0);
  CHECK_FALSE(alike.agreement().has_value());
  CHECK(of({{20, 1000}, {10, 1011}}).agreement() == -1.0);
  // of the clear pairs (1000, 1100), (1000, 1200) and (1100, 1200) two are alike, one is not
  const Ranking three = of({{1, 1000}, {3, 1100}, {2, 1200}});
  CHECK(three.clear_pairs() == 3);
  CHECK(*three.agreement() == doctest::Approx(1.0 / 3));
  // a pair predicted to be equal counts, for neither
  CHECK(of({{1, 1000}, {1, 1100}}).agreement() == 0.0);
}

TEST_CASE("ranking: does permuting a mapping rename its cores, each to another of its own, and nothing else?") {
  const std::string placement =
      "rows_ahead: 6\nlayers:\n  - layer: \"conv1\"\n    rows: 2\n    cores: [[0, 1], [2, 3]]\n";
  const std::string before = placement.substr(0, placement.find("[["));
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string text = permuted(placement, 4, seed);
    CAPTURE(text);
    CHECK(text.starts_with(before));
    std::string cores;
    for (const char c : text.substr(before.size()))
      if (c >= '0' && c <= '9') cores += c;
    CHECK(cores.size() == 4);
    CHECK(std::set<char>(cores.begin(), cores.end()) == std::set<char>{'0', '1', '2', '3'});
    CHECK(permuted(placement, 4, seed) == text);
    seen.insert(text);
  }
  CHECK(seen.size() > 4);
  for (const std::uint64_t seed : {1U, 2U}) CHECK(permuted(placement, 4, seed) != placement);
  CHECK(permuted("", 4, 1) == "");
  CHECK_THROWS_AS(permuted("rows_ahead: 6\n", 4, 1), InternalError);
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
