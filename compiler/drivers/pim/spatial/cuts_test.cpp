// How is what has no weights cut: as the matrix before it, or where there is none, as the matrix behind it?
#include <doctest/doctest.h>

#include <fmt/format.h>
#include "compiler/drivers/pim/spatial/grids.hpp"
#include "compiler/drivers/pim/spatial/layout.hpp"

#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

constexpr std::int64_t channels = 4, extent = 8;

struct Net {
  ir::Graph graph;
  ir::ValueId last;
  Net() : last(graph.add_input("x", type(extent))) {}
  static ir::TensorType type(std::int64_t size) { return {ElementType::f32, {1, channels, size, size}}; }
  void relu(const std::string& name) { last = graph.add_node("relu", {last}, graph.type(last), {}, name); }
  void convolution(const std::string& name, std::int64_t stride) {
    const std::int64_t size = graph.type(last).shape.back();
    const ir::ValueId w =
        graph.add_constant(name + ".w", ir::Tensor::zeros({ElementType::f32, {channels, channels, 1, 1}}));
    const ir::Attributes attributes{{"strides", std::vector<std::int64_t>{stride, stride}},
                                    {"pads", std::vector<std::int64_t>{0, 0, 0, 0}},
                                    {"dilations", std::vector<std::int64_t>{1, 1}},
                                    {"group", std::int64_t{1}}};
    last = graph.add_node("conv", {last, w}, type(size / stride), attributes, name);
  }
  /// Every matrix in so many blocks of positions: the positions of what writes the first row of a value.
  std::string blocks_of(const std::string& value, std::int32_t blocks) {
    graph.outputs = {last};
    const isa::Chip chip = isa::load_chip("tiny-4");
    Ranges ranges;
    for (const ir::Value& v : graph.values) ranges[v.name] = Observed(-1, 1);
    const NumericsPlan plan = plan_numerics(graph, chip, Numerics::quantised, ranges);
    ConstantPool pool;
    SpatialOptions options;
    options.spread_of = [&](std::int32_t, std::int32_t, std::int32_t, std::int32_t) { return Spread{{1, blocks}, 1}; };
    options.windows_of = [](std::int32_t, std::int32_t) { return AskedWindows{}; };
    const Spatial s = graph_to_spatial(graph, chip, plan, pool, options).spatial;
    std::string text;
    for (const Compute& c : s.computes) {
      const PBox& box = c.write.box;
      if (s.values[index_of(c.write.value)].name == value && box.r0 == 0)
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", box.p0, box.p1);
    }
    return text;
  }
};

}  // namespace

TEST_CASE("cuts: is what only reads the model's inputs cut as the matrix that reads it?") {
  Net net;
  net.relu("a");
  net.relu("b");
  net.convolution("y", 1);
  CHECK(net.blocks_of("y", 4) == "0:2 2:4 4:6 6:8");
  CHECK(net.blocks_of("a", 4) == "0:2 2:4 4:6 6:8");
  CHECK(net.blocks_of("b", 4) == "0:2 2:4 4:6 6:8");
  CHECK(net.blocks_of("a", 1) == "0:8");
}

TEST_CASE("cuts: in proportion where the matrix makes fewer positions?") {
  Net net;
  net.relu("a");
  net.convolution("y", 2);
  CHECK(net.blocks_of("y", 2) == "0:2 2:4");
  CHECK(net.blocks_of("a", 2) == "0:4 4:8");
}

TEST_CASE("cuts: is what a matrix makes cut as it comes, whatever reads it?") {
  Net net;
  net.convolution("m", 1);
  net.relu("a");
  CHECK(net.blocks_of("a", 2) == "0:4 4:8");
  Net alone;
  alone.relu("a");
  CHECK(alone.blocks_of("a", 2) == "0:8");
}

TEST_CASE("cuts: is what is rearranged in as many pieces as what it is made of, and a row in few?") {
  const auto pieces = [](std::int32_t rows, std::int32_t positions, std::int32_t channels, std::int64_t made,
                         std::int32_t proportional, Bytes element = 1) {
    const Layout where = make_layout({rows, positions, channels}, {0, 1, 2});
    const Grid grid = cut_rearranged({1, proportional, 1}, where, made, element);
    CHECK(std::int64_t{grid.positions} * grid.windows >= positions);  // every position is in a block
    return grid.positions;
  };
  CHECK(pieces(4, 64, 32, 16, 1) == 4);   // four heads made in 16 blocks
  CHECK(pieces(4, 64, 32, 16, 6) == 6);   // as finely as positions are in proportion
  CHECK(pieces(4, 64, 32, 256, 1) == 8);  // not in 64
  CHECK(pieces(4, 16, 8, 256, 1) == 4);   // a row of 128 bytes
  CHECK(pieces(4, 16, 8, 256, 1, 4) == 8);
  CHECK(pieces(4, 3, 1, 256, 1) == 1);  // shorter than a piece
  CHECK(pieces(4, 0, 8, 256, 1) == 1);  // nothing
}
