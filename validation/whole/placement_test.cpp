// The mapping as a file: what was printed makes the same program, what was changed makes another with the same values.
#include <doctest/doctest.h>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"

using namespace pimento;

namespace {

CompileResult compiled(const zoo::Model& model, const isa::Chip& chip, const std::optional<std::string>& placement) {
  CompileOptions options;
  options.placement = placement;
  options.placement_file = "p.yaml";
  return compile_graph(model.graph, chip, options);
}

std::vector<std::uint8_t> output(const isa::Program& program, const isa::Chip& chip, const zoo::Model& model) {
  sim::Options options;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    options.inputs.push_back(validation::encode(program.inputs[i], model.data.inputs.at(i).tensor));
  const sim::Result result = sim::simulate(program, chip, options);
  REQUIRE(result.stop == sim::StopReason::finished);
  return result.outputs.at(0).bytes;
}

}  // namespace

TEST_CASE("placement: does the printed mapping make the same program again?") {
  const zoo::Model model = zoo::build("lenet5");
  int fit = 0;
  for (const std::string& name : isa::shipped_chips()) {
    CAPTURE(name);
    const isa::Chip chip = isa::load_chip(name);
    CompileResult first;
    try {
      first = compiled(model, chip, std::nullopt);
    } catch (const pim::NoRoom&) {
      continue;  // which chips have the room: shipped_chips_test
    }
    ++fit;
    CAPTURE(first.placement);
    CompileResult again = compiled(model, chip, first.placement);
    again.program.settings_json = first.program.settings_json;  // they say where the mapping comes from
    CHECK(isa::disassemble(again.program, true) == isa::disassemble(first.program, true));
    CHECK(again.placement == first.placement);
  }
  CHECK(fit >= 8);
}

TEST_CASE("placement: does a mapping of the user's own run with the same values?") {
  const zoo::Model model = zoo::build("lenet5");
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  const CompileResult first = compiled(model, chip, std::nullopt);
  // every layer once, all on core 7
  std::string own =
      "pimento: placement 2\nmodel: \"" + first.graph.name + "\"\nchip: pimcomp-144\nrows_ahead: 2\nlayers:\n";
  const std::vector<std::pair<std::string, int>> layers{
      {"conv1+relu1", 1}, {"conv2+relu2", 2}, {"fc1+relu3", 5}, {"fc2+relu4", 1}, {"fc3", 1}};
  for (const auto& [layer, strips] : layers)
    own += "  - {layer: \"" + layer +
           "\", rows: 1, positions: 1, windows: 1, strips_per_core: " + std::to_string(strips) + ", cores: [[7]]}\n";
  CAPTURE(first.placement);
  const CompileResult second = compiled(model, chip, own);
  CHECK(second.placement != first.placement);
  CHECK(isa::disassemble(second.program) != isa::disassemble(first.program));
  CHECK(output(second.program, chip, model) == output(first.program, chip, model));
  for (std::size_t core = 0; core < second.program.cores.size(); ++core)
    CHECK(second.program.cores[core].groups.empty() == (core != 7));
}
