#include "compiler/drivers/pim/lower/flatten.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/lower/nest.hpp"
#include "compiler/drivers/pim/lower/stored.hpp"

namespace pimento::pim {
namespace {
OperandRef at(std::int32_t row, std::int32_t position) {
  OperandRef ref;
  ref.kind = OperandRef::Kind::value;
  ref.row = row, ref.position = position;
  ref.position_step = 1;
  ref.loop_steps[0] = {1, 0, 0};
  return ref;
}
/// Rows of 4 positions of 8 bytes each.
Located dense() {
  Located place;
  place.row_pitch = 32, place.position_pitch = 8, place.base = 64;
  return place;
}
PimOp copy(std::int32_t rows, std::int32_t positions) {
  PimOp op;
  op.form = instruction(isa::Opcode::vmov, ElementType::u8, ElementType::u8);
  op.form.count = positions, op.form.len = 8;
  op.depth = 1, op.trips[0] = rows;
  op.dst = op.a = at(1, 0);
  return op;
}
}  // namespace

TEST_CASE("flatten: do rows that follow each other become one segment?") {
  const FlatOp flat = flatten(copy(3, 4), dense(), dense(), {});
  CHECK(flat.depth == 0);
  CHECK(flat.form.count == 1);
  CHECK(flat.form.len == 3 * 4 * 8);
  CHECK(flat.a.address == 64 + 32);
}
TEST_CASE("flatten: do rows with a gap stay segments?") {
  const FlatOp flat = flatten(copy(3, 2), dense(), dense(), {});
  CHECK(flat.depth == 0);
  CHECK(flat.form.count == 3);
  CHECK(flat.form.len == 16);
  CHECK(flat.form.stride_a == 32);
}
TEST_CASE("flatten: do two gaps on different sides keep a loop?") {
  Located padded = dense();
  padded.row_pitch = 48, padded.position_pitch = 12;
  const FlatOp flat = flatten(copy(3, 2), dense(), padded, {});
  CHECK(flat.depth == 1);
  CHECK(flat.form.count == 2);
  CHECK(flat.a.loops[0] == 48);
}
TEST_CASE("flatten: does a view that crosses the end of a ring say so, and no other?") {
  Located ring = dense();
  ring.row0 = 0, ring.ring_rows = 4, ring.ring_lo = 64;
  const FlatOp inside = flatten(copy(3, 4), ring, ring, {});  // rows 1, 2, 3
  CHECK(inside.a.ring_size == 0);
  CHECK(inside.form.len == 96);
  const FlatOp across = flatten(copy(4, 4), ring, ring, {});  // rows 1, 2, 3, 0: no segment may straddle
  CHECK(across.a.ring_size == 4 * 32);
  CHECK(across.a.address == 64 + 32);
  CHECK(across.form.count == 4);
  CHECK(across.form.len == 32);
}

TEST_CASE("flatten: do positions join within the rows of a view that crosses the end of a ring?") {
  Located ring = dense();
  ring.row_pitch = 48, ring.ring_rows = 2, ring.ring_lo = 64;  // with a gap behind every row
  const FlatOp flat = flatten(copy(3, 4), dense(), ring, {});  // rows 1, 2, 3
  CHECK(flat.a.ring_size == 96);
  CHECK(flat.depth == 0);
  CHECK(flat.form.count == 3);
  CHECK(flat.form.len == 4 * 8);
  CHECK(flat.form.stride_a == 48);
  // rows that follow each other do not: the ring may end between them
  ring.row_pitch = 32;
  const FlatOp rows = flatten(copy(3, 4), dense(), ring, {});
  CHECK(rows.form.count == 3);
  CHECK(rows.form.len == 4 * 8);
}
TEST_CASE("place_scratch: does a result take the place of the operand that dies there?") {
  Selected s;
  s.scratch = {{ElementType::i32, 8, 0}, {ElementType::f32, 8, 0}, {ElementType::f32, 8, 0}};
  const auto scratch = [](std::int32_t id) {
    OperandRef ref;
    ref.kind = OperandRef::Kind::scratch, ref.id = id;
    return ref;
  };
  PimOp fill, convert, add;
  fill.form = instruction(isa::Opcode::vfill, ElementType::i32), fill.dst = scratch(0);
  convert.form = instruction(isa::Opcode::vcvt, ElementType::f32, ElementType::i32);
  convert.dst = scratch(1), convert.a = scratch(0);
  add.form = instruction(isa::Opcode::vadd, ElementType::f32, ElementType::f32, ElementType::f32);
  add.dst = scratch(2), add.a = scratch(1), add.b = scratch(1);
  s.ops = {fill, convert, add};
  place_scratch(s, 16);
  CHECK(s.scratch[1].offset == s.scratch[0].offset);
  CHECK(s.scratch[2].offset == s.scratch[1].offset);
  CHECK(s.scratch_bytes == 32);
  s.ops[2].b.channel = 4;  // read elsewhere than it is written: the place must stay
  place_scratch(s, 16);
  CHECK(s.scratch[2].offset != s.scratch[1].offset);
}

TEST_CASE("stored: which boxes of a matrix hold a range of its flattening?") {
  // elements 5 .. 13 of [3, 6]: one of row 0, all of row 1, two of row 2
  const auto boxes = boxes_in({{5, 14}}, {18}, {3, 6});
  REQUIRE(boxes.size() == 3);
  CHECK(boxes[0] == ir::Box{{0, 1}, {5, 6}});
  CHECK(boxes[1] == ir::Box{{1, 2}, {0, 6}});
  CHECK(boxes[2] == ir::Box{{2, 3}, {0, 2}});
}

}  // namespace pimento::pim
