#pragma once
// For tests: one network on every chip in configs/chips.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>
#include <set>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "validation/whole/whole.hpp"

namespace pimento::validation {

/// Nothing when it ran, else why the chip has no room.
inline std::string refusal(const ir::Graph& graph, const isa::Chip& chip) {
  std::optional<Whole> whole;
  try {
    whole = make_whole(graph, chip, Numerics::quantised);
  } catch (const pim::NoRoom& e) {
    CHECK(e.status() == Status::bad_input);
    return e.what();
  }
  const sim::Result result = simulate(*whole, chip);
  REQUIRE(result.stop == sim::StopReason::finished);
  const NumericalCheck values = check(*whole, result);
  CHECK_MESSAGE(values.passed, to_text(values));
  return "";
}

/// Compiles and runs the graph on each shipped chip: it comes out right, or the chip has no room and says so. The chips
/// of `with_room` must run it; what the others answered is printed, so that no chip is left out unseen.
inline void run_on_shipped_chips(const ir::Graph& graph, const std::set<std::string>& with_room) {
  std::set<std::string> ran;
  std::size_t refused = 0;
  for (const std::string& name : isa::shipped_chips()) {
    CAPTURE(name);
    const std::string why = refusal(graph, isa::load_chip(name));
    if (why.empty()) {
      ran.insert(name);
      continue;
    }
    ++refused;
    CHECK(why.find(fmt::format("chip '{}'", name)) != std::string::npos);
    CHECK_MESSAGE(with_room.count(name) == 0, why);
    MESSAGE(why);
  }
  for (const std::string& name : with_room) CHECK_MESSAGE(ran.count(name) == 1, name);
  CHECK(ran.size() + refused == isa::shipped_chips().size());
}

}  // namespace pimento::validation
