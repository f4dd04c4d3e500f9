#include "compiler/drivers/pim/lower/operations.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compiler/drivers/pim/emit/small_compile.hpp"
#include "compiler/drivers/pim/lower/rows_alike.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/optimizer/optimizer.hpp"

namespace pimento::pim {
namespace {
/// One plane through a convolution of 2 channels: an MVM per position, an addition and a requantisation.
bench::Compiled convolution() {
  return bench::compiled(R"(graph net (%x : f32[1,2,4,4]) {
    @w : f32[2,2,1,1] = [1.0, 0.5, -0.5, 1.0]
    @b : f32[2] = [0.25, -0.25]
    %y = conv %x, @w, @b {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], group = 1} : f32[1,2,4,4]
    return %y
  })");
}
std::string numbers(int count) {
  std::string text = "0.5";
  for (int i = 1; i < count; ++i) text += fmt::format(", {:.2f}", 0.01 * (i % 90) + 0.05);
  return text;
}
}  // namespace

TEST_CASE("spatial-to-pim: does the verifier name every operand that leaves its place?") {
  bench::Compiled c = convolution();
  const SelectContext context = c.context();
  REQUIRE(bench::opcodes(c.operations[0]) == "mvm vadd vrequant");
  REQUIRE(verify(c.operations, context, c.spatial) == "");
  const auto fault = [&](auto&& plant) {
    Operations broken = c.operations;
    plant(broken[0]);
    return verify(broken, context, c.spatial);
  };
  CHECK(fault([](Selected& s) { s.ops[0].a.row += 1; }) ==
        "compute 0, operation 0 'mvm': operand a touches rows 1:2 positions 0:4 channels 0:2 of 'x', outside of what "
        "the compute reads and writes");
  CHECK(fault([](Selected& s) { s.ops[2].dst.position = 1; }).find("of 'y', outside of what the compute writes") !=
        std::string::npos);
  CHECK(fault([](Selected& s) { s.ops[1].dst.channel = 1; }) ==
        "compute 0, operation 1 'vadd': operand dst touches elements 1 to 9 of temporary 1, which has 8");
  CHECK(fault([](Selected& s) { s.ops[1].b.channel = 1; }).find("of constant 0, which has 2") != std::string::npos);
  CHECK(fault([](Selected& s) { s.ops[1].b.id = 7; }).find("operand b names constant 7 of ") != std::string::npos);
  CHECK(fault([](Selected& s) { s.scratch_bytes = 0; }).find("the temporaries have 0") != std::string::npos);
  CHECK(fault([](Selected& s) { s.ops.erase(s.ops.begin()); }).find("which nothing has written") != std::string::npos);
  CHECK(fault([](Selected& s) { s.ops[0].tile_class = 5; }).find("a tile of class 5, the compute has class 0") !=
        std::string::npos);
  CHECK(fault([](Selected& s) { s.ops[0].tile = 9; }).find("tile 9, the class holds 0 to 0") != std::string::npos);
  CHECK(fault([](Selected& s) { s.ops[0].depth = 9; }).find("9 loops, the chip nests 4") != std::string::npos);
  CHECK(fault([](Selected& s) { s.ops.pop_back(); }) == "compute 0, no operation writes the result");
  CHECK(fault([](Selected& s) { s.ops[1].b.kind = OperandRef::Kind::global; }).find("which only transfers reach") !=
        std::string::npos);
  c.operations.pop_back();
  CHECK(verify(c.operations, context, c.spatial) == "3 computes have operations, there are 4");
}

namespace {
/// Computes of a matrix product, and those whose operations were moved from another; all as they would be selected.
struct Moved {
  std::size_t products = 0, moved = 0;
};
Moved moved_in(const std::string& text) {
  CAPTURE(text);
  ir::Graph graph = ir::parse_graph(text);
  optimizer::optimise(graph);
  bench::Compiled c = bench::compiled(std::move(graph));
  const SelectContext context = c.context();
  RowsAlike rows_alike(context, c.spatial);
  Operations anew;
  Moved found;
  for (std::size_t i = 0; i < c.spatial.computes.size(); ++i) {
    found.products += c.spatial.computes[i].cls != no_class ? 1 : 0;
    found.moved += rows_alike.of(i, anew) ? 1 : 0;
    anew.push_back(c.selected(i));
  }
  CHECK(print(c.operations, c.spatial) == print(anew, c.spatial));
  for (std::size_t i = 0; i < anew.size(); ++i) CHECK(c.operations[i].constants == anew[i].constants);
  return found;
}
/// A convolution of 12 rows, and what follows it.
std::string behind_convolution(const std::string& rest, const std::string& shape = "1,4,12,6",
                               const std::string& made = "1,4,12,6", int stride = 1) {
  return fmt::format(
      "graph net (%x : f32[{}]) {{\n  @w : f32[4,4,3,3] = [{}]\n  @row : f32[1,1,12,1] = [{}]\n"
      "  @all : f32[1,4,12,6] = [{}]\n  @channel : f32[1,4,1,1] = [{}]\n"
      "  %c = conv %x, @w {{strides = [{}, {}], pads = [1, 1, 1, 1], dilations = [1, 1], group = 1}} : f32[{}]\n{}}}",
      shape, numbers(144), numbers(12), numbers(288), numbers(4), stride, stride, made, rest);
}
}  // namespace

TEST_CASE("spatial-to-pim: are rows moved whose operations are alike, and only those?") {
  const auto all_but = [](const Moved& m, std::size_t selected) {
    return m.moved > 0 && m.products <= m.moved + selected;
  };
  // the first row and the last have an edge, and so a read of their own
  CHECK(all_but(moved_in(behind_convolution("  return %c\n")), 3));
  CHECK(all_but(moved_in(behind_convolution("  return %c\n", "1,4,12,6", "1,4,6,3", 2)), 3));
  CHECK(all_but(moved_in(behind_convolution("  %y = relu %c : f32[1,4,12,6]\n  return %y\n")), 3));
  CHECK(all_but(moved_in(behind_convolution("  %y = add %c, %x : f32[1,4,12,6]\n  return %y\n")), 3));
  CHECK(all_but(moved_in(behind_convolution("  %y = mul %c, @channel : f32[1,4,12,6]\n  return %y\n")), 3));
  // constants by row
  for (const char* constant : {"@row", "@all"})
    for (const char* op : {"add", "mul"})
      CHECK(moved_in(behind_convolution(fmt::format("  %y = {} %c, {} : f32[1,4,12,6]\n  return %y\n", op, constant)))
                .moved == 0);
  // images: their edges are rows of their own kind
  CHECK(moved_in(behind_convolution("  return %c\n", "3,4,4,6", "3,4,4,6")).moved == 0);
}

}  // namespace pimento::pim
