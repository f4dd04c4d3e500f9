// How many rounds are tried for a model, as asked for and by its size?
#include "compiler/pipeline/rounds.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/frontend/import.hpp"

using namespace pimento;

namespace {

/// So many layers one after the other, each of 32 x 32 weights: 4 crossbars of 32 x 8 weights.
ir::Graph chain(int layers) {
  std::string body =
      "v = Constant <value_float = 0.05> () s = Constant <value_ints = [32,32,1,1]> () w = Expand (v, s) ";
  for (int i = 0; i < layers; ++i)
    body += fmt::format("t{} = Conv ({}, w) ", i + 1, i == 0 ? "x" : fmt::format("t{}", i));
  return frontend::import_text(fmt::format("g (float[1,32,2,2] x) => (float[1,32,2,2] t{}) {{ {} }}", layers, body));
}
/// On four cores of `crossbars` each.
std::vector<int> tried(int layers, int crossbars, int asked = 0) {
  const isa::Chip chip = isa::with_values(isa::load_chip("tiny-4"), {{"core.crossbars", fmt::format("{}", crossbars)}});
  const ir::Graph graph = chain(layers);
  pim::Ranges ranges;
  for (const ir::Value& value : graph.values) ranges.emplace(value.name, pim::Observed(-1, 1));
  return rounds_to_try(graph, chip, pim::plan_numerics(graph, chip, Numerics::quantised, ranges), asked);
}

}  // namespace

TEST_CASE("rounds: are as many tried as were asked for, whatever fits?") {
  CHECK(tried(4, 4, 1) == std::vector<int>{1});
  CHECK(tried(4, 4, 3) == std::vector<int>{3});
  CHECK(tried(8, 4, 5) == std::vector<int>{5});
}
TEST_CASE(
    "rounds: is one tried for a model that fits, else the fewest that hold it and two more, if there are so many?") {
  CHECK(tried(4, 4) == std::vector<int>{1});         // 16 crossbars of 16
  CHECK(tried(5, 4) == std::vector<int>{2, 3, 4});   // 20 of 16
  CHECK(tried(12, 4) == std::vector<int>{3, 4, 5});  // 48 of 16
}
