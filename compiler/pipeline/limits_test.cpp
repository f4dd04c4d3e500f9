#include "compiler/pipeline/limits.hpp"

#include <doctest/doctest.h>

#include "isa/support/error.hpp"

using namespace pimento;

namespace {
std::string said(const ir::Graph& graph) {
  isa::Chip chip;
  chip.name = "drawn";
  chip.global_memory.capacity = 1000;
  try {
    check_limits(graph, chip);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
ir::Graph relu(const ir::Shape& shape) {
  ir::Graph g;
  const ir::ValueId x = g.add_input("x", {ElementType::f32, shape});
  g.outputs = {g.add_node("relu", {x}, {ElementType::f32, shape}, {}, "y")};
  return g;
}
}  // namespace

TEST_CASE("limits: is a value that just fits taken, and the next larger one refused with both numbers?") {
  CHECK(said(relu({250})) == "");
  CHECK(said(relu({251})) == "value 'x' f32[251] takes 1004 bytes, the global memory of chip 'drawn' holds 1000");
}

TEST_CASE("limits: is a value without elements refused by name?") {
  CHECK(said(relu({0, 3})) == "value 'x' f32[0,3] has no elements; expected extents of 1 or more");
}

TEST_CASE("limits: is a pooling window of a million million points refused before it runs?") {
  ir::Graph g;
  const std::int64_t huge = std::int64_t{1} << 43;
  const ir::ValueId x = g.add_input("x", {ElementType::f32, {1, 1, 4}});
  g.append({.op = "average_pool",
            .attributes = {{"kernel_shape", std::vector<std::int64_t>{huge}},
                           {"strides", std::vector<std::int64_t>{1}},
                           {"pads", std::vector<std::int64_t>{huge / 2, huge / 2 - 1}},
                           {"dilations", std::vector<std::int64_t>{1}},
                           {"ceil_mode", std::int64_t{0}},
                           {"count_include_pad", std::int64_t{0}}},
            .inputs = {x},
            .outputs = {g.add_value("y", {ElementType::f32, {1, 1, 4}})},
            .source = "pool",
            .body = nullptr});
  CHECK(said(g) == "node 'pool' (average_pool): 3.5e+13 scalar operations, expected at most 4.4e+12");
}
