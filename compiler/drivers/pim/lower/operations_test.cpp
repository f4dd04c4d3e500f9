#include "compiler/drivers/pim/lower/operations.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/emit/small_compile.hpp"
#include "compiler/drivers/pim/lower/rows_alike.hpp"

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
std::string ones(int count) {
  std::string text = "1.0";
  for (int i = 1; i < count; ++i) text += ", 1.0";
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

TEST_CASE("spatial-to-pim: are the operations of rows that are moved those that would be selected for them?") {
  const std::string head = "graph net (%x : f32[", weights = "]) {\n    @w : f32[4,4,3,3] = [" + ones(144) +
                                                             "]\n    @b : f32[4] = [" + ones(4) + "]\n";
  const std::string strided =
      "%c = conv %x, @w, @b {strides = [2, 2], pads = [1, 1, 1, 1], dilations = [1, 1], group = 1} : f32[";
  const std::string plain =
      "%c = conv %x, @w, @b {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], group = 1} : f32[";
  struct Case {
    std::string text;
    bool has_moved;  ///< rows are found to be alike
  };
  const std::vector<Case> cases{
      {head + "1,4,12,6" + weights + plain + "1,4,12,6]\n return %c\n}", true},
      {head + "1,4,12,6" + weights + strided + "1,4,6,3]\n return %c\n}", true},
      {head + "1,4,12,6" + weights + plain + "1,4,12,6]\n %r = relu %c : f32[1,4,12,6]\n return %r\n}", true},
      {head + "1,4,12,6" + weights + plain + "1,4,12,6]\n %r = add %c, %x : f32[1,4,12,6]\n return %r\n}", true},
      // images: their edges are rows of their own kind
      {head + "3,4,4,6" + weights + plain + "3,4,4,6]\n return %c\n}", false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.text);
    bench::Compiled c = bench::compiled(each.text);
    const auto text = [&](const Operations& operations) { return print(operations, c.spatial); };
    Operations anew;
    for (std::size_t i = 0; i < c.spatial.computes.size(); ++i) anew.push_back(c.selected(i));
    CHECK(text(c.operations) == text(anew));
    const SelectContext context = c.context();
    RowsAlike rows_alike(context, c.spatial);
    Operations before;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < c.spatial.computes.size(); ++i) {
      const std::optional<Selected> found = rows_alike.of(i, before);
      moved += found ? 1 : 0;
      before.push_back(anew[i]);
    }
    CHECK((moved > 0) == each.has_moved);
  }
}

}  // namespace pimento::pim
