// Every trade that the first law forbids is planted, and must be caught by its name. Those that no single compile shows
// (fewer cores, more instructions than before, ...) are planted in records: compiler/proof/compare_test.cpp and
// validation/golden/trades_test.cpp.
#include "compiler/drivers/pim/laws/laws.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/drivers/pim/emit/small_compile.hpp"
#include "compiler/drivers/pim/laws/shape.hpp"
#include "compiler/drivers/pim/schedule/scheduled_for_tests.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// A convolution and what is done with its result: products, vector computes, an output of several rows.
const char* network = R"(graph net (%x : f32[1,2,6,6]) {
  @w : f32[2,2,3,3] = [1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0, 1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0,
                       0.5, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 0.5, 1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 0.5]
  %y = conv %x, @w {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], group = 1} : f32[1,2,4,4] from "Conv_0"
  %z = sigmoid %y : f32[1,2,4,4] from "Sigmoid_0"
  return %z
})";

bench::Compiled& made() {
  static bench::Compiled c = bench::compiled(network);
  return c;
}
bool is_named(const std::string& broken, std::string_view trade) {
  CAPTURE(broken);
  CHECK(std::find(trades.begin(), trades.end(), trade) != trades.end());
  return broken.starts_with(std::string(trade) + ": ");
}

std::string of_spatial(const std::function<void(Spatial&)>& plant) {
  Spatial s = made().spatial;
  plant(s);
  return law_of_spatial(made().graph, s);
}
std::string of_selection(const std::function<void(Operations&)>& plant) {
  Operations operations = made().operations;
  plant(operations);
  return law_of_selection(operations, made().context(), made().spatial);
}
std::string of_program(const std::function<void(std::vector<isa::Instruction>&)>& plant) {
  bench::Compiled& c = made();
  isa::Program program = c.program;
  const auto busy = std::find_if(program.cores.begin(), program.cores.end(),
                                 [](const isa::CoreProgram& core) { return core.instructions.size() > 0; });
  REQUIRE(busy != program.cores.end());
  std::vector<isa::Instruction> code(busy->instructions.data.begin(), busy->instructions.data.end());
  plant(code);
  busy->instructions = isa::Blob<isa::Instruction>::own(std::move(code));
  const SelectContext context = c.context();
  return law_of_emission(program, c.input(context));
}
/// The first compute whose body is of this kind.
std::size_t first(BodyKind kind) {
  const Spatial& s = made().spatial;
  for (std::size_t i = 0; i < s.computes.size(); ++i)
    if (s.batches[index_of(s.computes[i].batch)].body.kind == kind) return i;
  FAIL("no such compute");
  return 0;
}
isa::Instruction first_of(const std::vector<isa::Instruction>& code, isa::Opcode opcode) {
  const auto at = std::find_if(code.begin(), code.end(), [&](const isa::Instruction& i) { return i.opcode == opcode; });
  REQUIRE(at != code.end());
  return *at;
}

/// Core 0 makes a and b, of which core 1 makes p and q: two messages from core 0 to core 1.
struct Pair : DrawnAndScheduled {
  Pair() {
    const auto x = d.value("x", ValueRole::input);
    const ClassId here = d.weights(), there = d.weights();
    const auto a = d.value("a"), b = d.value("b");
    d.compute(a, {x}, 50, here);
    d.compute(b, {x}, 50, here);
    d.compute(d.value("p", ValueRole::output), {a}, 50, there);
    d.compute(d.value("q", ValueRole::output), {b}, 50, there);
    schedule_on({0, 1});
  }
  std::string broken() const { return law_of_communicate(steps, materialised, d.s, schedule); }
};

}  // namespace

TEST_CASE("first law: is a compile that trades nothing let through?") {
  CHECK(of_spatial([](Spatial&) {}).empty());
  CHECK(law_of_merge(made().spatial, made().spatial).empty());
  CHECK(law_of_materialise(materialise(made().spatial, made().schedule, made().chip), made().spatial).empty());
  CHECK(law_of_communicate(made().steps, materialise(made().spatial, made().schedule, made().chip), made().spatial,
                           made().schedule)
            .empty());
  CHECK(of_selection([](Operations&) {}).empty());
  CHECK(of_program([](std::vector<isa::Instruction>&) {}).empty());
  CHECK(Pair().broken().empty());
}

TEST_CASE("first law: are fewer lanes caught?") {
  Spatial after = made().spatial;
  after.batches[index_of(after.computes[first(BodyKind::mvm)].batch)].lanes.pop_back();
  CHECK(is_named(law_of_merge(made().spatial, after), "fewer lanes or cores"));
  Materialised m = materialise(made().spatial, made().schedule, made().chip);
  m.batches[0].lanes.pop_back();
  CHECK(is_named(law_of_materialise(m, made().spatial), "fewer lanes or cores"));
}

TEST_CASE("first law: is a coarser granularity caught, before and after merge?") {
  const auto coarser = [](Spatial& s) { s.computes[first(BodyKind::mvm)].write.box.r1 += 1; };
  CHECK(is_named(of_spatial(coarser), "coarser granularity"));
  Spatial after = made().spatial;
  coarser(after);
  CHECK(is_named(law_of_merge(made().spatial, after), "coarser granularity"));
}

TEST_CASE("first law: is a scalarised batch caught, in the graph, by merge and on a core?") {
  const auto split = [](Spatial& s) {
    const auto b = index_of(s.computes[first(BodyKind::vector)].batch);
    Batch rest{s.batches[b].body, {s.batches[b].lanes.back()}};
    s.batches[b].lanes.pop_back();
    s.computes[index_of(rest.lanes[0])].batch = BatchId{static_cast<std::int32_t>(s.batches.size())};
    s.batches.push_back(rest);
  };
  CHECK(is_named(of_spatial(split), "a scalarised batch"));
  Spatial after = made().spatial;
  Batch one{after.batches[index_of(after.computes[first(BodyKind::mvm)].batch)].body, {}};
  after.batches.push_back(one);
  CHECK(is_named(law_of_merge(made().spatial, after), "a scalarised batch"));
  Materialised m = materialise(made().spatial, made().schedule, made().chip);
  const auto wide =
      std::find_if(m.batches.begin(), m.batches.end(), [](const ScheduledBatch& b) { return b.lanes.size() > 1; });
  REQUIRE(wide != m.batches.end());
  ScheduledBatch rest{wide->batch, wide->core, {wide->lanes.back()}};
  wide->lanes.pop_back();
  m.batches.push_back(rest);
  CHECK(is_named(law_of_materialise(m, made().spatial), "a scalarised batch"));
}

TEST_CASE("first law: is a sequential loop in place of independent work caught?") {
  // a product that waits for another one, which it does not need
  Drawing before;
  const auto x = before.value("x", ValueRole::input);
  const auto a = before.value("a"), b = before.value("b");
  before.compute(a, {x}, 50, before.weights());
  before.compute(b, {x}, 50, before.weights());
  Drawing after = before;
  after.s.computes[1].reads.push_back(after.whole(a));
  CHECK(is_named(law_of_merge(before.s, after.s), "a sequential loop in place of independent work"));
  // lanes of a vector instruction that became turns of a loop
  CHECK(is_named(of_selection([](Operations& all) {
                   for (PimOp& op : all[first(BodyKind::vector)].ops) {
                     if (op.form.len < 2 || op.depth > 0) continue;
                     op.depth = 1;
                     op.trips[0] = op.form.len;
                     op.form.len = 1;
                     return;
                   }
                   FAIL("no vector operation");
                 }),
                 "a sequential loop in place of independent work"));
  // a core's computes in another order than the schedule's
  Pair p;
  auto& order = p.steps.cores[0];
  const auto is_compute = [](const Step& s) { return s.kind == Step::Kind::compute; };
  const auto one = std::find_if(order.begin(), order.end(), is_compute);
  std::swap(one->index, std::find_if(one + 1, order.end(), is_compute)->index);
  CHECK(is_named(p.broken(), "a sequential loop in place of independent work"));
}

TEST_CASE("first law: is recomputation caught, of a compute, a product and in the program?") {
  CHECK(is_named(of_spatial([](Spatial& s) { s.computes.push_back(s.computes[first(BodyKind::mvm)]); }),
                 "recomputation"));
  Spatial after = made().spatial;
  after.computes.push_back(after.computes.back());
  CHECK(is_named(law_of_merge(made().spatial, after), "recomputation"));
  CHECK(is_named(of_selection([](Operations& all) {
                   auto& ops = all[first(BodyKind::mvm)].ops;
                   ops.push_back(*std::find_if(ops.begin(), ops.end(),
                                               [](const PimOp& op) { return op.form.opcode == isa::Opcode::mvm; }));
                 }),
                 "recomputation"));
  CHECK(is_named(of_program([](auto& code) { code.push_back(first_of(code, isa::Opcode::mvm)); }), "recomputation"));
}

TEST_CASE("first law: are added copies caught, between cores, in a compute and in the program?") {
  Pair twice;
  auto& steps = twice.steps.cores[1];
  const auto receive =
      std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.kind == Step::Kind::receive; });
  REQUIRE(receive != steps.end());
  steps.insert(receive, *receive);
  CHECK(is_named(twice.broken(), "added copies"));

  Spatial after = made().spatial;
  Compute& reader = after.computes[first(BodyKind::vector)];
  reader.reads.push_back(reader.reads.front());
  CHECK(is_named(law_of_merge(made().spatial, after), "added copies"));

  CHECK(is_named(of_selection([](Operations& all) {
                   PimOp copy = all[first(BodyKind::vector)].ops.back();
                   copy.form.opcode = isa::Opcode::vmov;
                   copy.form.type_a = copy.form.type_d;
                   copy.a = copy.dst;
                   copy.b = {};
                   all[first(BodyKind::vector)].ops.push_back(copy);
                 }),
                 "added copies"));
  CHECK(is_named(of_program([](auto& code) {
                   isa::Instruction copy;
                   copy.opcode = isa::Opcode::vmov;
                   copy.len = 4;
                   code.push_back(copy);
                 }),
                 "added copies"));
}

TEST_CASE("first law: is a program for changed hardware caught, with the parameter?") {
  isa::Program program = made().program;
  program.chip_yaml = made().chip.yaml;
  program.chip = made().chip.fingerprints;
  CHECK(law_of_hardware(program, made().chip).empty());
  const isa::Chip faster = isa::with_values(made().chip, {{"core.window", "7"}});
  const std::string broken = law_of_hardware(program, faster);
  CHECK(is_named(broken, "changed hardware parameters"));
  CHECK(broken.find("core.window") != std::string::npos);
}

TEST_CASE("first law: is a global serial order of communication caught, and measured?") {
  Pair p;
  CHECK(message_chain(p.steps) == 2);  // both from core 0 to core 1: one after the other in any order
  // first all of the last message's row, as an order of the whole chip by value would have it
  for (auto& core : p.steps.cores) {
    std::vector<Step*> messages;
    for (Step& step : core)
      if (step.kind == Step::Kind::send || step.kind == Step::Kind::receive) messages.push_back(&step);
    REQUIRE(messages.size() == 2);
    std::swap(messages[0]->index, messages[1]->index);
  }
  CHECK(is_named(p.broken(), "a global serial order of communication"));
  // four cores in two pairs: independent, until one order holds for all
  Steps free;
  for (std::int32_t t = 0; t < 2; ++t) {
    Transfer message;
    message.source = static_cast<CoreId>(2 * t);
    message.destinations = {static_cast<CoreId>(2 * t + 1)};
    free.transfers.push_back(message);
    free.cores.push_back({{Step::Kind::send, t}});
    free.cores.push_back({{Step::Kind::receive, t}});
  }
  CHECK(message_chain(free) == 1);
  free.cores[1].push_back({Step::Kind::receive, 1});  // core 1 hears of both
  CHECK(message_chain(free) == 2);
}

TEST_CASE("first law: are more instructions than were selected caught?") {
  CHECK(is_named(of_program([](auto& code) {
                   isa::Instruction more;
                   more.opcode = isa::Opcode::vpow;
                   more.len = 4;
                   code.push_back(more);
                 }),
                 "more instructions"));
}

TEST_CASE("first law: is work that moved to the host caught, as a node without computes and as another output?") {
  CHECK(is_named(
      of_spatial([](Spatial& s) { s.batches[index_of(s.computes[first(BodyKind::vector)].batch)].lanes.clear(); }),
      "work moved to the host"));
  bench::Compiled& c = made();
  const SelectContext context = c.context();
  isa::Program program = c.program;
  program.outputs[0].name += " before the sigmoid";  // which the host would do
  CHECK(is_named(law_of_emission(program, c.input(context)), "work moved to the host"));
  program = c.program;
  program.inputs.push_back(program.inputs[0]);  // a window laid out by the host
  CHECK(is_named(law_of_emission(program, c.input(context)), "work moved to the host"));
}
