#include <doctest/doctest.h>

#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"
#include "validation/whole/contacts.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;

namespace {

struct Row {
  const char* network;
  const char* chip;
};
// mesh and table network, window 1 and wider, rendezvous and buffered receives, narrow and wide array groups
constexpr Row rows[] = {{"mlp", "pimsim-nn-64"},         {"mlp", "pimcomp-144"},    {"lenet5", "pimsim-nn-64"},
                        {"lenet5", "pimsim-nn-64-wide"}, {"lenet5", "pimcomp-144"}, {"lenet5", "tiny-4"}};

CompileResult compiled(const zoo::Model& model, const isa::Chip& chip, Numerics numerics) {
  CompileOptions options;
  options.numerics = numerics;
  return compile_graph(model.graph, chip, options);
}

sim::Options with_inputs(const isa::Program& program, const zoo::Model& model) {
  sim::Options options;
  options.record_contacts = true;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    options.inputs.push_back(validation::encode(program.inputs[i], model.data.inputs.at(i).tensor));
  return options;
}

}  // namespace

TEST_CASE("whole: are cycles and values the same however a program is run?") {
  for (const Row& row : rows) {
    CAPTURE(row.network);
    CAPTURE(row.chip);
    const isa::Chip chip = isa::load_chip(row.chip);
    const zoo::Model model = zoo::build(row.network);
    const CompileResult quantised = compiled(model, chip, Numerics::quantised);
    const CompileResult exact = compiled(model, chip, Numerics::exact);
    const sim::Result values =
        validation::run_every_way(quantised.program, chip, with_inputs(quantised.program, model));
    CHECK(values.cycles > 0);
    CHECK(values.mvms == quantised.record.figures.at("mvms"));

    CHECK(sim::simulate(exact.program, chip, with_inputs(exact.program, model)).cycles == values.cycles);
  }
}

TEST_CASE("whole: does the comparison of contacts see an order, a tag, a peer and a missing one?") {
  using validation::Exchange;
  const Exchange first{isa::Opcode::send, {1}, 4, 16}, second{isa::Opcode::send, {1}, 5, 16};
  Exchange elsewhere = first;
  elsewhere.peers = {2};
  CHECK(validation::first_difference({{first, second}}, {{first, second}}) == "");
  CHECK(validation::first_difference({{first, second}}, {{second, first}}) ==
        "core 0, contact 0: send with 1, tag 4, 16 bytes; send with 1, tag 5, 16 bytes");
  CHECK(validation::first_difference({{}, {first}}, {{}, {elsewhere}}) ==
        "core 1, contact 0: send with 1, tag 4, 16 bytes; send with 2, tag 4, 16 bytes");
  CHECK(validation::first_difference({{first}}, {{first, second}}) ==
        "core 0, contact 1: nothing; send with 1, tag 5, 16 bytes");
}

TEST_CASE("whole: does the unrolled form make the same contacts, products and values?") {
  for (const Row& row : rows) {
    CAPTURE(row.network);
    CAPTURE(row.chip);
    const isa::Chip chip = isa::load_chip(row.chip);
    const zoo::Model model = zoo::build(row.network);
    const CompileResult looped = compiled(model, chip, Numerics::quantised);
    const isa::Program unrolled = isa::unroll(looped.program);
    for (const isa::CoreProgram& core : unrolled.cores)
      for (const isa::Instruction& i : core.instructions.data) REQUIRE(i.opcode != isa::Opcode::loop);
    const sim::Options options = with_inputs(looped.program, model);
    const sim::Result a = sim::simulate(looped.program, chip, options);
    const sim::Result b = sim::simulate(unrolled, chip, options);
    CHECK(a.outputs.at(0).bytes == b.outputs.at(0).bytes);
    CHECK(a.mvms == b.mvms);
    CHECK(a.vector_instructions == b.vector_instructions);
    CHECK(a.messages == b.messages);
    CHECK(a.injected == b.injected);
    CHECK(validation::first_difference(validation::exchanges(looped.program, a), validation::exchanges(unrolled, b)) ==
          "");
  }
}

TEST_CASE("whole: are the figures of a run consistent?") {
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  const zoo::Model model = zoo::build("lenet5");
  const CompileResult made = compiled(model, chip, Numerics::quantised);
  const sim::Result r = sim::simulate(made.program, chip, with_inputs(made.program, model));
  CHECK(made.record.figures.at("send_bytes") == r.injected);
  CHECK(made.record.figures.at("receive_bytes") == r.delivered);
  CHECK(made.record.figures.at("executed_instructions") == r.instructions);
  for (const sim::CoreResult& core : r.cores)
    for (const sim::UnitCycles& u : {core.control, core.scalar, core.vector, core.matrix, core.transfer})
      CHECK(u.busy + u.stalled + u.idle == r.cycles);
}

TEST_CASE("whole: do two compiles give one program?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const zoo::Model model = zoo::build("lenet5");
  CHECK(isa::disassemble(compiled(model, chip, Numerics::quantised).program, true) ==
        isa::disassemble(compiled(model, chip, Numerics::quantised).program, true));
}
