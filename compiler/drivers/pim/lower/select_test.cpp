#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/drivers/pim/emit/small_compile.hpp"

namespace pimento::pim {
using bench::opcodes;

TEST_CASE("select: does a convolution end with one addition and one requantisation?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,2,4,4]) {
    @w : f32[2,2,1,1] = [1.0, 0.5, -0.5, 1.0]
    @b : f32[2] = [0.25, -0.25]
    %y = conv %x, @w, @b {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], group = 1} : f32[1,2,4,4]
    return %y
  })");
  const Selected row = c.selected(c.writer("y"));
  CHECK(opcodes(row) == "mvm vadd vrequant");
  CHECK(row.ops[0].depth == 1);
  CHECK(row.ops[0].trips[0] == 4);         // one MVM per position of the row
  CHECK(row.ops[1].b.position_step == 0);  // the bias repeats
  // bias 0.25 at input scale 1/127 and weight scale 1/127 (largest weight of the column): 0.25 * 127 * 127 = 4032.25
  const ConstantData& bias = c.pool[row.constants[static_cast<std::size_t>(row.ops[1].b.id)]];
  CHECK(reinterpret_cast<const std::int32_t*>(bias.bytes.data())[0] == 4032);
}

TEST_CASE("select: does a maximum stay in its stored type?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,8,4,4]) {
    %y = max_pool %x {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], dilations = [1, 1]} : f32[1,8,2,2]
    return %y
  })");
  const Selected row = c.selected(c.writer("y"));
  for (const PimOp& op : row.ops) CHECK(op.form.type_d == ElementType::i8);
}

TEST_CASE("select: is a padded maximum cut where the window leaves the input, without a neutral element?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,8,4,4]) {
    %y = max_pool %x {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1]} : f32[1,8,4,4]
    return %y
  })");
  // The top row of windows: 2 rows of 3 taps, the first full tap moves, the others take in what they see of it.
  CHECK(opcodes(c.selected(c.writer("y"))) == "vmov vmax vmax vmax vmax vmax vmov");
}

TEST_CASE("select: does the mean of a plane become one accumulation and one scaled conversion?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,8,4,4]) {
    %y = global_average_pool %x : f32[1,8,1,1]
    return %y
  })");
  const Selected mean = c.selected(c.writer("y"));
  CHECK(opcodes(mean) == "vfill vadd vcvt");
  CHECK(mean.ops[1].form.type_d == ElementType::i32);
  CHECK(mean.ops[2].form.real == 1.0F / 16);  // the shadow divides by the 16 elements
}

TEST_CASE("select: does softmax over channels run along the lanes?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[2,8]) {
    %y = softmax %x {axes = [1]} : f32[2,8]
    return %y
  })");
  const std::string all = opcodes(c.selected(c.writer("y")));
  CHECK(all.find("vrmax") != std::string::npos);
  CHECK(all.find("vrsum") != std::string::npos);
  CHECK(all.find("vexp") != std::string::npos);
}

TEST_CASE("select: does a product of two inputs use the digital vector-matrix product?") {
  auto c = bench::scheduled(R"(graph net (%a : f32[4,8], %b : f32[8,16]) {
    %y = matmul %a, %b : f32[4,16]
    return %y
  })");
  CHECK(opcodes(c.selected(c.writer("y"))).find("dvm") != std::string::npos);
}

TEST_CASE("select: does a chip without floats add residuals in integers, and refuse an exponential by name?") {
  isa::Chip chip = isa::load_chip("tiny-4");
  std::erase(chip.core.vector.types, ElementType::f32);
  auto c = bench::scheduled(R"(graph net (%a : f32[1,8], %b : f32[1,8]) {
    %y = add %a, %b : f32[1,8]
    return %y
  })",
                            Numerics::quantised, -1, 1, &chip);
  for (const PimOp& op : c.selected(c.writer("y")).ops) CHECK_FALSE(is_float(op.form.type_d));
  const std::string exponential = R"(graph net (%a : f32[1,8]) {
    %y = exp %a : f32[1,8] from "Exp_0"
    return %y
  })";
  CHECK_THROWS_WITH(bench::scheduled(exponential, Numerics::quantised, -1, 1, &chip),
                    "chip 'tiny-4', node 'Exp_0' (exp): vexp needs f32 on the vector unit, which the chip lacks");
}

TEST_CASE("select: does an arg-max over channels use the unit's own reduction?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[4,8]) {
    %y = arg_max %x {axis = 1, keep_dims = 0} : i64[4]
    return %y
  })");
  CHECK(opcodes(c.selected(c.writer("y"))).find("vrargmax") != std::string::npos);
}

TEST_CASE("select: does a table look-up gather rows of a constant, and bound its indices?") {
  auto c = bench::scheduled(R"(graph net (%i : i64[6]) {
    @t : f32[3,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    %y = gather @t, %i {axis = 0} : f32[6,2]
    return %y
  })");
  const Selected rows = c.selected(c.writer("y"));
  const auto gather = std::find_if(rows.ops.begin(), rows.ops.end(),
                                   [](const PimOp& op) { return op.form.opcode == isa::Opcode::vgather; });
  REQUIRE(gather != rows.ops.end());
  CHECK(gather->form.imm == 3);
  CHECK(gather->form.len == 2);
  CHECK(gather->form.count == 6);
  CHECK(gather->a.kind == OperandRef::Kind::constant);
}

TEST_CASE("select: does a running sum keep its state between the points?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[4,8]) {
    %y = cum_sum %x {axis = 0, exclusive = 0, reverse = 0} : f32[4,8]
    return %y
  })");
  const std::string all = opcodes(c.selected(c.writer("y")));
  CHECK(all.find("vadd") != std::string::npos);
  CHECK(all.find("vfill") == 0);  // the state begins at zero
}

TEST_CASE("select: is a channel shuffle cut into strided runs and not into elements?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,4,2,2]) {
    %y = depth_to_space %x {blocksize = 2, mode = "DCR"} : f32[1,1,4,4]
    return %y
  })");
  CHECK(c.selected(c.writer("y")).ops.size() <= 2);  // one row of four positions from two channels
}

TEST_CASE("select: does a window at the edge of an image read padding and not the next image?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[2,1,3,3]) {
    @w : f32[1,1,3,3] = [1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0]
    %y = conv %x, @w {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], group = 1} : f32[2,1,3,3]
    return %y
  })");
  // Rows 0 .. 2 are the first image's, 3 .. 5 the second's. Row 3 would read row 2 for its padding, row 2 row 3.
  std::vector<std::string> rows(6);
  for (const Compute& compute : c.spatial.computes) {
    const Body& body = c.spatial.batches[index_of(compute.batch)].body;
    for (std::int32_t r = compute.write.box.r0; r < compute.write.box.r1; ++r) {
      Access one = compute.write;
      one.box.r0 = r, one.box.r1 = r + 1;
      rows[static_cast<std::size_t>(r)] = opcodes(select(c.context(), body, compute.reads, one, compute.cls));
    }
  }
  for (const std::size_t inner : {0U, 1U, 4U, 5U}) CHECK(rows[inner] == "mvm vrequant");
  for (const std::size_t edge : {2U, 3U}) CHECK(rows[edge] == "vfill vmov vmov mvm vrequant");
}

TEST_CASE("select: does every output of a split move its own part?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,8]) {
    %a, %b = split %x {axis = 1, split = [2, 6]} : f32[1,2], f32[1,6]
    return %a, %b
  })");
  const Selected first = c.selected(c.writer("a")), second = c.selected(c.writer("b"));
  REQUIRE(first.ops.size() == 1);
  REQUIRE(second.ops.size() == 1);
  CHECK(first.ops[0].a.channel == 0);
  CHECK(first.ops[0].form.len == 2);
  CHECK(second.ops[0].a.channel == 2);
  CHECK(second.ops[0].form.len == 6);
}

TEST_CASE("select: is a prediction the sum of what is emitted?") {
  auto c = bench::scheduled(R"(graph net (%x : f32[1,8]) {
    %y = relu %x : f32[1,8]
    return %y
  })");
  const Selected one = c.selected(c.writer("y"));
  REQUIRE(one.ops.size() == 1);
  isa::Instruction i = one.ops[0].form;
  CHECK(predicted_cycles(c.context(), one) == isa::cost::local(c.chip, i).total() + 1);
}

}  // namespace pimento::pim
