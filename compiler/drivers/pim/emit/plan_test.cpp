#include "compiler/drivers/pim/emit/plan.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/emit/small_compile.hpp"

namespace pimento::pim {
namespace {
/// One core that receives 8 rows of `x`, each used with the two rows before it (and above the first, padding).
struct Rows {
  bench::Compiled c;
  Rows() {
    c.chip = isa::load_chip("tiny-4");
    SpatialValue x;
    x.name = "x";
    x.layout = make_layout({8, 4, 2}, {0, 1, 2});
    SpatialValue y = x;
    y.name = "y";
    c.spatial.values = {x, y};
    c.spatial.batches.resize(1);
    c.steps.cores.resize(4);
    for (std::int32_t r = 0; r < 8; ++r) {
      Transfer t;
      t.what = {SpatialValueId{0}, {r, r + 1, 0, 4, 0, 2}};
      t.source = 1, t.destinations = {0};
      c.steps.transfers.push_back(t);
      c.steps.cores[0].push_back({Step::Kind::receive, r});
      Compute compute;
      compute.reads = {{SpatialValueId{0}, {r - 2, r + 1, 0, 4, 0, 2}}};
      compute.write = {SpatialValueId{1}, {r, r + 1, 0, 4, 0, 2}};
      c.spatial.computes.push_back(compute);
      c.steps.cores[0].push_back({Step::Kind::compute, r});
    }
  }
  EmitInput input() {
    c.operations.resize(8);
    return c.input(context_);
  }

 private:
  SelectContext context_{c.graph, c.chip, c.plan, c.spatial.values, c.spatial.tiles, c.pool};
};
}  // namespace

TEST_CASE("bufferise: how many rows does a window of three rows keep?") {
  Rows rows;
  const EmitInput input = rows.input();
  const CorePlan plan = bufferise(input, 0);
  const Buffer& x = plan.buffer({SpatialValueId{0}, {0, 1, 0, 4, 0, 2}});
  CHECK(x.box.r0 == -2);  // padding has rows of its own
  CHECK(x.box.r1 == 8);
  CHECK(x.slots == 3);
  CHECK(x.ring);
  const Buffer& y = plan.buffer({SpatialValueId{1}, {0, 1, 0, 4, 0, 2}});
  CHECK(y.slots == 1);  // written and never read here
}

TEST_CASE("bufferise: do positions that never meet get buffers of their own?") {
  Rows rows;
  rows.c.spatial.computes[3].write.box = {3, 4, 0, 2, 0, 2};
  for (std::size_t i : {0U, 1U, 2U, 4U, 5U, 6U, 7U}) rows.c.spatial.computes[i].write.box.p0 = 2;
  const EmitInput input = rows.input();
  CHECK(bufferise(input, 0).buffers_of.at(SpatialValueId{1}).size() == 2);
}

TEST_CASE("bufferise: does the verifier name what has no buffer, two buffers, no life, no slot and no place?") {
  Rows rows;
  const EmitInput input = rows.input();
  const CorePlan good = bufferise(input, 0);
  REQUIRE(verify_buffers(good, input) == "");
  const auto fault = [&](auto&& plant) {
    CorePlan plan = good;
    plant(plan);
    return verify_buffers(plan, input);
  };
  CHECK(fault([](CorePlan& p) { p.buffers[0].box.p1 = 3; }) ==
        "core 0, step 0: 'x' [r 0:1, p 0:4, c 0:2] stands in no buffer");
  CHECK(fault([](CorePlan& p) {
          p.buffers.push_back(p.buffers[0]);
          p.buffers_of[SpatialValueId{0}].push_back(2);
        }) ==
        "core 0, step 0: 'x' [r 0:1, p 0:4, c 0:2] stands in two buffers, [r -2:8, p 0:4, c 0:2] and "
        "[r -2:8, p 0:4, c 0:2]");
  CHECK(fault([](CorePlan& p) { p.buffers[0].birth = 1; }) ==
        "core 0, step 0: 'x' [r 0:1, p 0:4, c 0:2] is touched outside of its buffer's life, steps 1 to 15");
  CHECK(fault([](CorePlan& p) { p.buffers[0].rows[2].second = 4; }) ==  // row 0 is read up to step 5, with row 2
        "core 0, step 5: 'x' [r 0:3, p 0:4, c 0:2]: row 0 is touched outside of its life, steps 0 to 4");
  CHECK(fault([](CorePlan& p) { p.buffers[0].slots = 2; }) == "core 0: rows -2 and 0 of 'x' live together in one slot");
  rows.c.operations[3].scratch_bytes = 8;
  CHECK(verify_buffers(good, input) == "core 0, step 7: temporaries of 8 B, planned 0");
  rows.c.operations[3].scratch_bytes = 0;
  rows.c.operations[3].constants = {0};
  CHECK(verify_buffers(good, input) == "core 0, step 7: constant 0 has no place");
}

TEST_CASE("plan-liveness: does the verifier name what overlaps, and what leaves the memory?") {
  Rows rows;
  const EmitInput input = rows.input();
  CorePlan plan = bufferise(input, 0);
  place(plan, input);
  REQUIRE(verify_places(plan, input) == "");
  const CorePlan good = plan;
  plan.buffers[1].address = plan.buffers[0].address;
  CHECK(verify_places(plan, input).find("overlap while both live") != std::string::npos);
  plan = good;
  plan.high_water -= 1;
  CHECK(verify_places(plan, input).find("lies outside of the") != std::string::npos);
  plan = good;
  plan.buffers[1].address = -1;
  CHECK(verify_places(plan, input).find("'y' [-1, ") != std::string::npos);
  plan = good;
  plan.buffers[1].address = plan.buffers[0].address;  // of one size or not, x still has rows to be read
  plan.buffers[1].in_place_of = 0;
  CHECK(verify_places(plan, input).find("overlap while both live") != std::string::npos);
}

namespace {
/// `x` is loaded, goes through `first` and `second` row by row at once, and is stored, all on core 0.
bench::Compiled chain(const std::string& first, const std::string& second) {
  return bench::compiled("graph net (%x : f32[1,32]) {\n  %y = " + first + " : f32[1,32]\n  %z = " + second +
                         " : f32[1,32]\n  return %z\n}");
}
const Buffer& buffer_of(const bench::Compiled& c, const std::string& name) {
  for (const CorePlan& plan : c.plans)
    for (const Buffer& buffer : plan.buffers)
      if (c.spatial.values[index_of(buffer.value)].name == name) return buffer;
  throw InternalError("no buffer holds '" + name + "'");
}
}  // namespace

TEST_CASE("bufferise: does an element-wise compute write over an input that dies there?") {
  const bench::Compiled c = chain("relu %x", "neg %y");
  REQUIRE(buffer_of(c, "z").in_place_of >= 0);
  CHECK(buffer_of(c, "z").address == buffer_of(c, "x").address);  // through y
  CHECK(statistics(c.plans).in_place == 2);
}

TEST_CASE("bufferise: does a second reader keep its input?") {
  const bench::Compiled c = chain("relu %x", "add %x, %y");
  CHECK(buffer_of(c, "y").in_place_of < 0);
  CHECK(buffer_of(c, "y").address != buffer_of(c, "x").address);
}

TEST_CASE("bufferise: do rows that share slots stay apart?") {
  // a ring would tie the arrival of the next row of x to the departure of this row of y
  Rows rows;
  CHECK(statistics({bufferise(rows.input(), 0)}).in_place == 0);
}

}  // namespace pimento::pim
