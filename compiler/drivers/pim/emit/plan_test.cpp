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
  EmitInput input() { return {context_, c.spatial, c.schedule, c.steps, std::vector<Selected>(8)}; }

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

TEST_CASE("plan-liveness: does the verifier see two buffers in one place, and rows that share a slot?") {
  Rows rows;
  const EmitInput input = rows.input();
  CorePlan plan = bufferise(input, 0);
  place(plan, input);
  CHECK(verify(plan, input) == "");
  const std::int64_t address = plan.buffers[0].address;
  plan.buffers[0].address = plan.buffers[1].address;
  CHECK(verify(plan, input).find("overlap while both live") != std::string::npos);
  plan.buffers[0].address = address;
  plan.buffers[0].slots = 2;
  CHECK(verify(plan, input) == "core 0: rows -2 and 0 of 'x' live together in one slot");
}

}  // namespace pimento::pim
