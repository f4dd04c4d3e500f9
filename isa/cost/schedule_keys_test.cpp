#include <doctest/doctest.h>

#include <algorithm>

#include "isa/cost/cost.hpp"

using namespace pimento::isa;

TEST_CASE("cost: is every key that a schedule reads a cost key of the chip file?") {
  for (const std::string& path : cost::schedule_keys()) {
    CAPTURE(path);
    const auto key =
        std::find_if(chip_keys().begin(), chip_keys().end(), [&](const KeyInfo& k) { return k.path == path; });
    REQUIRE(key != chip_keys().end());
    CHECK(key->key_class == KeyClass::cost);
  }
}
TEST_CASE("cost: does every key that a schedule reads stand in the list once?") {
  std::vector<std::string> keys = cost::schedule_keys();
  std::sort(keys.begin(), keys.end());
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}
TEST_CASE("cost: which cost keys does no schedule read?") {
  // Programming crossbars is reported apart and is never scheduled against; how flits choose their ways and channels
  // matters only where they meet others.
  std::vector<std::string> unread;
  for (const KeyInfo& key : chip_keys())
    if (key.key_class == KeyClass::cost &&
        std::find(cost::schedule_keys().begin(), cost::schedule_keys().end(), key.path) == cost::schedule_keys().end())
      unread.push_back(key.path);
  CHECK(unread ==
        std::vector<std::string>{"core.crossbar.program_latency", "network.virtual_channels", "network.routing"});
}
