// What happens when the fastest mapping does not fit?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

#include "compiler/frontend/import.hpp"
#include "compiler/pipeline/compile.hpp"
#include "compiler/pipeline/efforts.hpp"
#include "isa/support/error.hpp"

using namespace pimento;

namespace {

ir::Graph two_convolutions() {
  return frontend::import_text(R"(g (float[1,8,24,24] x) => (float[1,8,24,24] y) {
    v = Constant <value_float = 0.1> ()  s = Constant <value_ints = [8,8,3,3]> ()  w = Expand (v, s)
    a = Conv <pads = [1,1,1,1]> (x, w)  b = Relu (a)  y = Conv <pads = [1,1,1,1]> (b, w) })");
}

/// Deep and uneven enough that plans differ.
ir::Graph four_convolutions() {
  return frontend::import_text(R"(g (float[1,16,28,28] x) => (float[1,64,14,14] y) {
    v = Constant <value_float = 0.01> ()
    s1 = Constant <value_ints = [64,16,3,3]> () w1 = Expand (v, s1)
    s2 = Constant <value_ints = [64,64,3,3]> () w2 = Expand (v, s2)
    a = Conv <pads = [1,1,1,1]> (x, w1)  b = Conv <pads = [1,1,1,1]> (a, w2)
    c = Conv <pads = [1,1,1,1], strides = [2,2]> (b, w2)  y = Conv <pads = [1,1,1,1]> (c, w2) })");
}

}  // namespace

TEST_CASE("efforts: does a program too long for instruction memory come out with fewer copies, said in one note?") {
  isa::Chip chip = isa::load_chip("tiny-4");
  std::vector<std::string> notes;
  CompileOptions options;
  options.numerics = Numerics::exact;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  const CompileResult roomy = compile_graph(two_convolutions(), chip, options);
  CHECK(notes.size() == 1);  // where the ranges come from
  notes.clear();
  const std::int64_t longest = roomy.record.figures.at("largest_core_emitted");
  chip.core.instruction_memory = (longest - 1) * static_cast<Bytes>(sizeof(isa::Instruction));
  const CompileResult tight = compile_graph(two_convolutions(), chip, options);
  CHECK(tight.record.figures.at("largest_core_emitted") < longest);
  CHECK(tight.record.figures.at("crossbars_used") < roomy.record.figures.at("crossbars_used"));
  REQUIRE(notes.size() == 2);
  CAPTURE(notes[1]);
  CHECK(notes[1].starts_with("chip 'tiny-4', stage emit: core "));
  CHECK(notes[1].find("; mapped with ") != std::string::npos);
}
TEST_CASE("efforts: does one that fits in no form name the instruction memory?") {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.core.instruction_memory = 3 * static_cast<Bytes>(sizeof(isa::Instruction));
  CompileOptions options;
  options.numerics = Numerics::exact;
  std::string fault;
  try {
    compile_graph(two_convolutions(), chip, options);
  } catch (const UserError& e) {
    fault = e.what();
  }
  CHECK(fault.find("its instruction memory holds 192 B") != std::string::npos);
}
TEST_CASE("efforts: is of all plans the one made that ends first, and its schedule alone printed?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");  // rendezvous: several are planned
  std::vector<std::string> dumps;
  CompileOptions options;
  options.numerics = Numerics::exact;
  options.dump_after = "schedule";
  options.dump = [&](const std::string&, const std::string& text) { dumps.push_back(text); };
  const CompileResult made = compile_graph(four_convolutions(), chip, options);
  const std::vector<std::int64_t>& planned = made.record.lists.at("planned_cycles");
  const std::int64_t first = *std::min_element(planned.begin(), planned.end());
  REQUIRE(planned.size() == plans_for(chip, 0, false).size());
  REQUIRE(*std::max_element(planned.begin(), planned.end()) > first);  // else any choice would do
  REQUIRE(dumps.size() == 1);
  std::int64_t printed = 0;
  REQUIRE(std::sscanf(dumps[0].c_str(), "schedule: makespan %ld ", &printed) == 1);
  CHECK(printed <= first);  // perhaps of another schedule of the same computes, which ends sooner
  int schedules = 0;
  for (const proof::StageRecord& stage : made.record.stages) schedules += stage.name == "schedule" ? 1 : 0;
  CHECK(schedules == 1);
}
