// Which part of a node's inputs a box of its output needs.
#include "compiler/drivers/pim/spatial/needs.hpp"

#include <doctest/doctest.h>

#include "compiler/ir/text.hpp"
#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {
ir::Box needed(const std::string& text, const ir::Box& box) {
  const ir::Graph graph = ir::parse_graph(text);
  const ir::Node& node = graph.nodes.back();
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  return InputNeeds(graph, node, sequence).of(box).at(0);
}
}  // namespace

TEST_CASE("needs: does a reshape need the elements of the box, and not the tensor?") {
  const std::string split =
      "graph g (%x : f32[1,6,8]) {\n  %y = reshape %x {shape = [1, 6, 2, 4]} : f32[1,6,2,4] from \"y\"\n"
      "  return %y\n}";
  CHECK(needed(split, {{0, 1}, {2, 4}, {1, 2}, {0, 4}}) == ir::Box{{0, 1}, {2, 4}, {4, 8}});
  CHECK(needed(split, {{0, 1}, {0, 6}, {0, 2}, {0, 4}}) == ir::Box{{0, 1}, {0, 6}, {0, 8}});
  const std::string joined =
      "graph g (%x : f32[1,6,2,4]) {\n  %y = reshape %x {shape = [1, 6, 8]} : f32[1,6,8] from \"y\"\n"
      "  return %y\n}";
  CHECK(needed(joined, {{0, 1}, {2, 4}, {4, 8}}) == ir::Box{{0, 1}, {2, 4}, {1, 2}, {0, 4}});
  CHECK(needed(joined, {{0, 1}, {2, 3}, {3, 5}}) == ir::Box{{0, 1}, {2, 3}, {0, 2}, {0, 4}});  // of both halves
}

TEST_CASE("needs: does an element-wise node need the box itself of what is as large, and less of what is repeated?") {
  const auto of = [](const std::string& other) {
    return "graph g (%y : f32[" + other + "], %x : f32[1,4,6,8]) {\n  %z = add %y, %x : f32[1,4,6,8]\n  return %z\n}";
  };
  const ir::Box box{{0, 1}, {1, 3}, {2, 5}, {0, 8}};
  CHECK(needed(of("1,4,6,8"), box) == box);
  CHECK(needed(of("1,4,1,1"), box) == ir::Box{{0, 1}, {1, 3}, {0, 1}, {0, 1}});
  CHECK(needed(of("8"), box) == ir::Box{{0, 8}});
  CHECK(needed(of("1,4,6,8"), {{0, 1}, {1, 1}, {2, 5}, {0, 8}}).empty());
}
