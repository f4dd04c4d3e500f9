// Pimento as a library: load a plug-in, compile a graph for a chip, simulate it, read cycles and values, and compare
// them with the reference. A model file goes in with `compile_model` where this has `compile_graph`.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "compiler/frontend/export.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ops/plugin.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/ports.hpp"
#include "validation/reference/reference.hpp"

using namespace pimento;

namespace {

ir::Tensor ramp(const ir::TensorType& type) {
  ir::Tensor tensor = ir::Tensor::zeros(type);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.set(i, ir::Scalar::of_real(ElementType::f32, static_cast<double>(i) / 8 - 1));
  return tensor;
}

int run(const std::string& plugin, const std::string& model) {
  ops::load_plugin(plugin);
  const ir::Graph graph = ir::parse_graph(R"(graph g (%x : f32[1,16]) {
  %y = example.bump %x {width = 2.0} : f32[1,16] from "bump"
  %z = add %y, %x : f32[1,16] from "sum"
  return %z
})");

  frontend::export_onnx(graph, model);  // so that the executable can be given the same

  const isa::Chip chip = isa::load_chip("tiny-4");
  const std::vector<ir::Tensor> inputs = {ramp({ElementType::f32, {1, 16}})};
  CompileOptions options;
  options.numerics = Numerics::exact;
  options.calibration_inputs = inputs;
  const CompileResult compiled = compile_graph(graph, chip, options);

  sim::Options how;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    how.inputs.push_back(validation::encode(compiled.program.inputs[i], inputs[i]));
  const sim::Result result = sim::simulate(compiled.program, chip, how);
  const ir::Tensor got = validation::decode(compiled.program.outputs[0], result.outputs[0]);
  const ir::Tensor expected = reference::run(compiled.graph, inputs)[0];

  double worst = 0;
  for (std::int64_t i = 0; i < got.elements(); ++i)
    worst = std::max(worst, std::abs(got.at(i).as_double() - expected.at(i).as_double()));
  std::cout << "cycles: " << result.cycles << "\nlargest error: " << worst << "\n";
  return result.stop == sim::StopReason::finished && worst < 1e-5 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw UserError("example: expected the plug-in's file, and a file to write the model to");
    return run(argv[1], argv[2]);
  } catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return static_cast<int>(e.status());
  }
}
