// The network that the whole road is built for, on the chip of the first figures: size, cycles, values.
#include <doctest/doctest.h>

#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"
#include "validation/whole/contacts.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("resnet18: is it right on pimsim-nn-64-wide, small, and one number of cycles in every way of running it?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  zoo::Model model = zoo::build("resnet18");
  std::vector<ir::Tensor> inputs;
  for (const auto& input : model.data.inputs) inputs.push_back(input.tensor);
  CompileOptions options;
  options.calibration_inputs = inputs;
  const CompileResult made = compile_graph(std::move(model.graph), chip, options);
  CHECK(made.record.figures.at("emitted_instructions") < 100'000);

  sim::Options run;
  run.record_contacts = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) run.inputs.push_back(encode(made.program.inputs[i], inputs[i]));
  const sim::Result values = sim::simulate(made.program, chip, run);
  REQUIRE(values.stop == sim::StopReason::finished);
  CHECK(values.cycles > 100'000);
  CHECK(values.cycles < 100'000'000);
  CHECK(values.mvms == made.record.figures.at("mvms"));
  const NumericalCheck check =
      check_outputs(made.program, values, reference_outputs(made.graph, inputs), "the Eigen reference in f64", 28.0);
  CHECK_MESSAGE(check.passed, to_text(check));

  run.timing_only = true;
  const sim::Result timing = sim::simulate(made.program, chip, run);
  CHECK(timing.cycles == values.cycles);
  CHECK(timing.contacts == values.contacts);

  const isa::Program unrolled = isa::unroll(made.program);
  const sim::Result flat = sim::simulate(unrolled, chip, run);
  CHECK(flat.mvms == values.mvms);
  CHECK(flat.vector_instructions == values.vector_instructions);
  CHECK(flat.injected == values.injected);
  CHECK(first_difference(exchanges(made.program, timing), exchanges(unrolled, flat)) == "");
}
