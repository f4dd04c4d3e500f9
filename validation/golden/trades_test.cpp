// Trades that one compile cannot show, since its result is right and whole: planted in a second compile, and caught by
// the comparison of both, by name.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "compiler/pipeline/compile.hpp"
#include "compiler/pipeline/figures.hpp"
#include "compiler/proof/compare.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"

using namespace pimento;

namespace {

const isa::Chip& chip() {
  static const isa::Chip c = isa::load_chip("pimsim-nn-64");
  return c;
}
CompileResult compiled(const CompileOptions& options = {}, const isa::Chip& on = chip()) {
  static const ir::Graph graph = zoo::build("mlp").graph;
  return compile_graph(graph, on, options);
}
const CompileResult& before() {
  static const CompileResult c = compiled();
  return c;
}
std::vector<std::string> objections(const proof::Record& after) {
  const proof::Rule rule;
  const proof::Judgement j = proof::judge({proof::compare(before().record, after, rule)}, rule);
  CHECK(j.rejected() == !j.objections.empty());
  return j.objections;
}
bool names(const std::vector<std::string>& lines, const std::string& figure) {
  const std::string begin = before().record.model + " on pimsim-nn-64: " + figure + " ";
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(begin); });
}

/// The program with one more instruction on its busiest core, counted again.
proof::Record with_instruction(const isa::Instruction& more) {
  isa::Program program = before().program;
  const auto busiest = std::max_element(program.cores.begin(), program.cores.end(), [](const auto& a, const auto& b) {
    return a.instructions.size() < b.instructions.size();
  });
  std::vector<isa::Instruction> code(busiest->instructions.data.begin(), busiest->instructions.data.end());
  code.push_back(more);
  busiest->instructions = isa::Blob<isa::Instruction>::own(std::move(code));
  proof::Record record = before().record;
  count_program(program, chip(), record);
  return record;
}

}  // namespace

TEST_CASE("trades: is the same compile again accepted?") { CHECK(objections(compiled().record).empty()); }

TEST_CASE("trades: are fewer cores caught by name?") {
  // the user's own mapping, of every two cores one
  CompileOptions options;
  std::string halved;
  const std::string& text = before().placement;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (const std::size_t cores = line.find("cores: "); cores != std::string::npos)
      for (std::size_t i = cores; i < line.size();) {
        std::size_t digits = 0;
        while (i + digits < line.size() && std::isdigit(static_cast<unsigned char>(line[i + digits])) != 0) ++digits;
        if (digits == 0) {
          ++i;
          continue;
        }
        const std::string half = std::to_string(std::stoi(line.substr(i, digits)) / 2);
        line.replace(i, digits, half);
        i += half.size();
      }
    halved += line + "\n";
    begin = end + 1;
  }
  options.placement = halved;
  options.placement_file = "halved";
  const std::vector<std::string> lines = objections(compiled(options).record);
  CHECK(names(lines, "cores_used"));
  CHECK(names(lines, "class_core"));
}

TEST_CASE("trades: are more instructions and added copies in the program caught by name?") {
  isa::Instruction nothing;
  nothing.opcode = isa::Opcode::nop;
  std::vector<std::string> lines = objections(with_instruction(nothing));
  CHECK(names(lines, "emitted_instructions"));
  CHECK(names(lines, "executed_instructions"));
  CHECK(names(lines, "largest_core_executed"));
  CHECK_FALSE(names(lines, "runtime_copies"));
  isa::Instruction copy;
  copy.opcode = isa::Opcode::vmov;
  copy.len = 4;
  lines = objections(with_instruction(copy));
  CHECK(names(lines, "runtime_copies"));
  CHECK(names(lines, "runtime_copy_bytes"));
}

TEST_CASE("trades: is work that goes through the host caught by name?") {
  CompileOptions options;
  options.observe_all = true;  // every layer's result travels out
  const std::vector<std::string> lines = objections(compiled(options).record);
  CHECK(names(lines, "host_copies"));
  CHECK(names(lines, "host_copy_bytes"));
}

TEST_CASE("trades: is faster hardware no better compile, but another question, with the parameter named?") {
  const isa::Chip faster = isa::with_values(chip(), {{"core.window", "64"}});
  try {
    objections(compiled({}, faster).record);
    FAIL("records of two chips were compared");
  } catch (const UserError& refusal) {
    CHECK(std::string(refusal.what()).find("changed hardware parameters: core.window ") != std::string::npos);
  }
}
