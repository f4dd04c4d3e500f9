#include <doctest/doctest.h>

#include <tuple>

#include "compiler/pipeline/compile.hpp"
#include "isa/program/executions.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"

using namespace pimento;

namespace {

struct Row {
  const char* network;
  const char* chip;
};
// rings and long rows; mesh and table network, window 1 and wider
constexpr Row rows[] = {
    {"mlp", "pimcomp-144"}, {"lenet5", "pimsim-nn-64"}, {"lenet5", "pimsim-nn-64-wide"}, {"lenet5", "tiny-4"}};

CompileResult compiled(const zoo::Model& model, const isa::Chip& chip, bool unroll) {
  CompileOptions options;
  options.unroll = unroll;
  options.windows_per_mvm = 1;  // several leave a small network little to repeat
  return compile_graph(model.graph, chip, options);
}

sim::Result run(const isa::Program& program, const isa::Chip& chip, const zoo::Model& model) {
  sim::Options options;
  options.record_contacts = true;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    options.inputs.push_back(validation::encode(program.inputs[i], model.data.inputs.at(i).tensor));
  return sim::simulate(program, chip, options);
}

/// Opcode, peer, tag and bytes of every contact, by core in its order.
using Contacts = std::vector<std::vector<std::tuple<isa::Opcode, std::uint32_t, std::uint32_t, Bytes>>>;
Contacts contacts(const sim::Result& result, const isa::Program& program) {
  Contacts all;
  for (std::size_t core = 0; core < result.contacts.size(); ++core) {
    all.emplace_back();
    for (const sim::Contact& c : result.contacts[core]) {
      const isa::Instruction& i = program.cores[core].instructions.data[c.instruction];
      all.back().emplace_back(i.opcode, i.target, i.tag, Bytes{i.count} * i.len);
    }
  }
  return all;
}

/// Executions of `loop` and `addr`: what loops cost.
std::int64_t loop_instructions(const isa::Program& program) {
  std::int64_t sum = 0;
  for (const isa::CoreProgram& core : program.cores) {
    const std::vector<std::int64_t> times = isa::executions(core);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const isa::Opcode opcode = core.instructions.data[k].opcode;
      if (opcode == isa::Opcode::loop || opcode == isa::Opcode::addr) sum += times[k];
    }
  }
  return sum;
}

void same_run(const isa::Program& rolled, const isa::Program& unrolled, const isa::Chip& chip,
              const zoo::Model& model) {
  const sim::Result a = run(rolled, chip, model), b = run(unrolled, chip, model);
  REQUIRE(a.stop == sim::StopReason::finished);
  REQUIRE(b.stop == sim::StopReason::finished);
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (std::size_t k = 0; k < a.outputs.size(); ++k) CHECK(a.outputs[k].bytes == b.outputs[k].bytes);
  CHECK(a.mvms == b.mvms);
  CHECK(a.vector_instructions == b.vector_instructions);
  CHECK(contacts(a, rolled) == contacts(b, unrolled));
}

}  // namespace

TEST_CASE("rolled: do both forms compute, count and talk alike?") {
  for (const Row& row : rows) {
    CAPTURE(row.network);
    CAPTURE(row.chip);
    const isa::Chip chip = isa::load_chip(row.chip);
    const zoo::Model model = zoo::build(row.network);
    const CompileResult rolled = compiled(model, chip, false), unrolled = compiled(model, chip, true);
    same_run(rolled.program, unrolled.program, chip, model);
    same_run(rolled.program, isa::unroll(rolled.program), chip, model);
    for (const char* figure : {"mvms", "vector_instructions", "sends", "send_bytes", "receives", "loads", "stores"})
      CHECK(rolled.record.figures.at(figure) == unrolled.record.figures.at(figure));
    CHECK(rolled.record.figures.at("emitted_instructions") < unrolled.record.figures.at("emitted_instructions"));
    CHECK(rolled.record.figures.at("executed_instructions") - loop_instructions(rolled.program) ==
          unrolled.record.figures.at("executed_instructions") - loop_instructions(unrolled.program));
    CHECK(unrolled.record.figures.at("unrolled") == 1);
    CHECK(unrolled.record.figures.at("emitted_instructions") == unrolled.record.figures.at("executed_instructions"));
  }
}

TEST_CASE("rolled: is an unrolled program held to the instruction memory?") {
  isa::Chip chip = isa::load_chip("tiny-4");
  const zoo::Model model = zoo::build("lenet5");
  const auto bytes = [](const CompileResult& r) {
    return r.record.figures.at("largest_core_emitted") * static_cast<std::int64_t>(sizeof(isa::Instruction));
  };
  const std::int64_t rolled = bytes(compiled(model, chip, false));
  REQUIRE(rolled < bytes(compiled(model, chip, true)));
  chip.core.instruction_memory = rolled;
  CHECK(bytes(compiled(model, chip, false)) == rolled);
  try {
    const std::int64_t unrolled =
        bytes(compiled(model, chip, true));  // with fewer copies of the weights, or not at all
    CHECK(unrolled <= rolled);
  } catch (const UserError& e) {
    CHECK(std::string(e.what()).find("its instruction memory holds") != std::string::npos);
  }
}
