// Which rows are spilled, what comes of it, and are broken spills caught?
#include "compiler/drivers/pim/emit/spill.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "compiler/drivers/pim/emit/small_compile.hpp"

namespace pimento::pim {
namespace {

/// One core that makes 8 rows of `x` of 8 B, each used for a row of `y` at once and for a row of `z` when all are made.
/// Places are multiples of 16 B.
struct Skip {
  bench::Compiled c;
  explicit Skip(Bytes capacity) {
    c.chip = isa::load_chip("tiny-4");
    c.chip.core.local_memory.capacity = capacity;
    for (const char* name : {"x", "y", "z"}) {
      SpatialValue v;
      v.name = name;
      v.layout = make_layout({8, 4, 2}, {0, 1, 2});
      c.spatial.values.push_back(v);
    }
    c.spatial.batches.resize(1);
    c.steps.cores.resize(4);
    for (std::int32_t r = 0; r < 8; ++r) {
      add({}, 0, r);
      add({0}, 1, r);
    }
    for (std::int32_t r = 0; r < 8; ++r) add({0}, 2, r);
  }
  EmitInput input() {
    c.operations.resize(c.spatial.computes.size());
    return c.input(context_);
  }
  void add(const std::vector<int>& from, int to, std::int32_t r) {
    Compute compute;
    for (const int v : from) compute.reads.push_back(row(v, r));
    compute.write = row(to, r);
    c.steps.cores[0].push_back({Step::Kind::compute, static_cast<std::int32_t>(c.spatial.computes.size())});
    c.spatial.computes.push_back(compute);
  }
  static Access row(int v, std::int32_t r) { return {SpatialValueId{v}, {r, r + 1, 0, 4, 0, 2}}; }
  std::string text(const Steps& steps) const { return print(steps, c.spatial); }

 private:
  SelectContext context_{c.graph, c.chip, c.plan, c.spatial.values, c.spatial.tiles, c.pool};
};

EmitInput with(const EmitInput& input, const Steps& steps) {
  return {input.context, input.spatial, input.schedule, steps, input.operations};
}

}  // namespace

TEST_CASE("spill: which rows leave where eight do not fit?") {
  // x has 64 B and y or z one row of 8 B on 16: 16 B too much. With 6 slots rows 0 and 6, 1 and 7 share one and leave;
  // with 7, which take as much as 8, none does; with fewer more of them do.
  Skip skip(64);
  const EmitInput input = skip.input();
  const Steps spilled = spill(input);
  CHECK(skip.text(spilled) == R"(steps: 8 transfers
  core 0, tight
    compute 0
    compute 1
    store x[r 0:1, p 0:4, c 0:2] region 0
    compute 2
    compute 3
    store x[r 1:2, p 0:4, c 0:2] region 0
    compute 4
    compute 5
    compute 6
    compute 7
    compute 8
    compute 9
    compute 10
    compute 11
    compute 12
    compute 13
    store x[r 6:7, p 0:4, c 0:2] region 0
    compute 14
    compute 15
    store x[r 7:8, p 0:4, c 0:2] region 0
    load x[r 0:1, p 0:4, c 0:2] again region 0
    compute 16
    load x[r 1:2, p 0:4, c 0:2] again region 0
    compute 17
    compute 18
    compute 19
    compute 20
    compute 21
    load x[r 6:7, p 0:4, c 0:2] again region 0
    compute 22
    load x[r 7:8, p 0:4, c 0:2] again region 0
    compute 23
  core 1
  core 2
  core 3
)");
  CHECK(verify_spills(input.steps, spilled, input.spatial) == "");
  const EmitInput after = with(input, spilled);
  CorePlan plan = bufferise(after, 0);
  const Buffer& x = plan.buffer(Skip::row(0, 0));
  CHECK(x.slots == 6);
  CHECK(x.absences.size() == 4);
  CHECK(verify_buffers(plan, after) == "");
  place(plan, after);
  CHECK(plan.high_water <= 64);
  CHECK(verify_places(plan, after) == "");
  const SpillStatistics all = spill_statistics(spilled, input.spatial);
  CHECK(all.stores == 4);
  CHECK(all.loads == 4);
  CHECK(all.stored == 32);
  CHECK(all.loaded == 32);
  CHECK(all.cores == 1);
}

TEST_CASE("spill: do steps that fit stay as they are?") {
  Skip skip(80);
  const Steps spilled = spill(skip.input());
  CHECK(skip.text(spilled) == skip.text(skip.c.steps));
  CHECK(spill_statistics(spilled, skip.c.spatial).cores == 0);
}

TEST_CASE("spill: is a step that needs more than there is refused with what it needed before?") {
  Skip skip(16);  // a row of x and one of y take 24 B
  std::string refusal;
  try {
    spill(skip.input());
  } catch (const LocalMemoryFull& e) {
    refusal = e.what();
  }
  CHECK(
      refusal ==
      "chip 'tiny-4', stage plan-liveness: core 0 needs 72 B of local memory, 16 on the chip; largest: 'x' 8 rows of 8 "
      "B (64 B), 'y' 1 rows of 8 B (8 B), 'z' 1 rows of 8 B (8 B)");
}

TEST_CASE("spill: is an input only loaded again, from where it is?") {
  Skip skip(64);
  skip.c.spatial.values[0].role = ValueRole::input;
  for (std::int32_t r = 0; r < 8; ++r) {  // in place of the computes that make x
    Transfer t;
    t.kind = Transfer::Kind::load;
    t.what = Skip::row(0, r);
    t.destinations = {0};
    skip.c.steps.cores[0][static_cast<std::size_t>(2 * r)] = {Step::Kind::load, r};
    skip.c.steps.transfers.push_back(t);
  }
  const Steps spilled = spill(skip.input());
  const SpillStatistics all = spill_statistics(spilled, skip.c.spatial);
  CHECK(all.stores == 0);
  CHECK(all.loads == 4);
  CHECK(spilled.regions.empty());
  CHECK(verify_spills(skip.c.steps, spilled, skip.c.spatial) == "");
}

TEST_CASE("spill: is a buffer away while all of its rows are?") {
  // a row of u that is read again when x is through: its place is x's meanwhile
  Skip skip(80);
  for (const char* name : {"u", "v"}) {
    skip.c.spatial.values.push_back(skip.c.spatial.values[0]);
    skip.c.spatial.values.back().name = name;
  }
  std::vector<Step> rest = std::exchange(skip.c.steps.cores[0], {});
  skip.add({}, 3, 0);
  skip.c.steps.cores[0].insert(skip.c.steps.cores[0].end(), rest.begin(), rest.end());
  skip.add({3}, 4, 0);
  const EmitInput input = skip.input();
  const Steps spilled = spill(input);
  CHECK(verify_spills(input.steps, spilled, input.spatial) == "");
  const SpillStatistics all = spill_statistics(spilled, input.spatial);
  CHECK(all.stores == 1);
  CHECK(all.loads == 1);
  const EmitInput after = with(input, spilled);
  CorePlan plan = bufferise(after, 0);
  const Buffer& away = plan.buffer(Skip::row(3, 0));
  REQUIRE(away.lives.size() == 2);
  CHECK(away.begins(away.lives[1].first));
  place(plan, after);
  CHECK(plan.high_water <= 80);
  CHECK(verify_places(plan, after) == "");
  // without the times that it is away it would stand in the way
  plan.buffers[plan.buffers_of.at(SpatialValueId{3})[0]].lives.clear();
  CHECK(verify_places(plan, after).find("overlap while both live") != std::string::npos);
}

TEST_CASE("spill: are broken spills caught?") {
  Skip skip(64);
  const EmitInput input = skip.input();
  const Steps good = spill(input);
  const auto fault = [&](const std::function<void(Steps&)>& plant) {
    Steps broken = good;
    plant(broken);
    return verify_spills(input.steps, broken, input.spatial);
  };
  const auto find = [](Steps& s, Step::Kind kind) {
    return std::find_if(s.cores[0].begin(), s.cores[0].end(), [&](const Step& step) { return step.kind == kind; });
  };
  CHECK(fault([](Steps&) {}) == "");
  CHECK(fault([&](Steps& s) { s.cores[0].erase(find(s, Step::Kind::store)); }) ==
        "core 0: 'x' [r 0:1, p 0:4, c 0:2] is loaded before it is stored");
  CHECK(fault([&](Steps& s) { s.cores[0].erase(find(s, Step::Kind::load)); }) ==
        "core 0: 'x' [r 0:1, p 0:4, c 0:2] is stored and not loaded");
  CHECK(fault([&](Steps& s) { s.cores[0].insert(find(s, Step::Kind::store), *find(s, Step::Kind::store)); }) ==
        "core 0: 'x' [r 0:1, p 0:4, c 0:2] is stored twice");
  CHECK(fault([&](Steps& s) {
          const Step load = *find(s, Step::Kind::load);
          s.cores[0].erase(find(s, Step::Kind::load));
          s.cores[0].push_back(load);  // behind its reader
        }) == "core 0: 'x' [r 0:1, p 0:4, c 0:2] is loaded for nobody");
  CHECK(fault([](Steps& s) { s.regions[0].core = 1; }).find("goes to the place of 'x'") != std::string::npos);
  CHECK(fault([](Steps& s) { std::swap(s.cores[0][0], s.cores[0][1]); }) ==
        "core 0: step 0 is another one than before");
  CHECK(fault([](Steps& s) { s.transfers.push_back(s.transfers.back()); }) == "spill 8 is made 0 times");
  // half of a row comes back
  Steps half = good;
  half.transfers[static_cast<std::size_t>(find(half, Step::Kind::load)->index)].what.box.p1 = 2;
  const EmitInput after = with(input, half);
  CHECK(verify_buffers(bufferise(after, 0), after) ==
        "core 0: 'x' [r 0:1, p 0:4, c 0:2] is lost, [r 0:1, p 0:2, c 0:2] is loaded again");
  // a row is touched while it is away
  const EmitInput right = with(input, good);
  CorePlan plan = bufferise(right, 0);
  Absence& away = plan.buffers[plan.buffers_of.at(SpatialValueId{0})[0]].absences[0];
  away.from -= 1;
  CHECK(verify_buffers(plan, right).find("is touched while it is spilled") != std::string::npos);
}

}  // namespace pimento::pim
