#include "isa/program/executions.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace pimento::isa;

namespace {
CoreProgram core_of(const std::vector<std::string>& lines) {
  std::vector<Instruction> records;
  for (const std::string& line : lines) records.push_back(parse(line));
  CoreProgram core;
  core.instructions = Blob<Instruction>::own(std::move(records));
  return core;
}
using Counts = std::vector<std::int64_t>;
}  // namespace

TEST_CASE("executions: are bodies of loops counted as often as they run?") {
  CHECK(executions(core_of({"nop", "loop 3, body 3", "nop", "loop 4, body 1", "nop", "nop"})) ==
        Counts{1, 1, 3, 3, 12, 1});
  CHECK(executions(core_of({"loop 0, body 1", "nop", "nop"})) == Counts{1, 0, 1});
  CHECK(executions(core_of({"nop", "halt", "nop"})) == Counts{1, 1, 0});
  CHECK(executions(core_of({"loop 10, body 2", "halt", "nop"})) == Counts{1, 1, 0});
  CHECK(executions(core_of({})).empty());
}

TEST_CASE("executions: do the counts add up to the instructions executed?") {
  const CoreProgram core = core_of({"addr A1, base 1, strides 1 0 0 0", "loop 3, body 2", "loop A1, body 1", "nop"});
  const Counts counts = executions(core);
  CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == executed_instructions(core));
}
