// What values cost: CPU time of a network simulated with values, beside that of the same matrix products in Eigen and
// of the same run without values.
#include <fmt/format.h>

#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/bench/eigen_products.hpp"
#include "validation/bench/measure.hpp"
#include "validation/cases/ports.hpp"

namespace {
using namespace pimento;

/// A convolution is its weights by the windows that im2col lays side by side.
std::vector<bench::Product> products_of(const ir::Graph& graph) {
  std::vector<bench::Product> all;
  for (const ir::Node& node : graph.nodes) {
    const auto shape = [&](ir::ValueId value) { return graph.type(value).shape; };
    if (node.op == "conv") {
      const ir::Shape weights = shape(node.inputs[1]), out = shape(node.outputs[0]);
      const std::int64_t inputs = ir::element_count(weights) / weights[0],
                         groups = shape(node.inputs[0])[1] / weights[1];
      all.push_back({weights[0] / groups, inputs, ir::element_count(out) / out[1], groups});
    } else if (node.op == "gemm" || node.op == "matmul") {
      const ir::Shape a = shape(node.inputs[0]), out = shape(node.outputs[0]);
      const bool transposed = node.op == "gemm" && node.attributes.contains("transA") &&
                              std::get<std::int64_t>(node.attributes.at("transA")) != 0;
      const std::int64_t outputs = out.back(), rows = out.size() < 2 ? 1 : out[out.size() - 2];
      all.push_back({outputs, transposed ? a.front() : a.back(), rows, ir::element_count(out) / outputs / rows});
    }
  }
  return all;
}

double multiplications(const std::vector<bench::Product>& products) {
  double all = 0;
  for (const bench::Product& p : products)
    all += static_cast<double>(p.outputs * p.inputs) * static_cast<double>(p.positions * p.times);
  return all;
}

double least_of_five(double (*eigen)(const std::vector<bench::Product>&, double (*)()),
                     const std::vector<bench::Product>& products) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) best = std::min(best, eigen(products, bench::cpu_seconds));
  return best;
}

/// Seconds of a run: the machine with its packed weights is made in it, decoding is not.
double run_seconds(const isa::Program& program, const isa::Chip& chip, sim::Options options) {
  const sim::Loaded loaded(program, chip, options.timing_only);
  return bench::best_of_five([&] {
    if (loaded.run(options).stop != sim::StopReason::finished) throw Negative(program.model + ": it did not finish");
  });
}

void measure(const std::string& name, const std::string& chip_name) {
  const isa::Chip chip = isa::load_chip(chip_name);
  zoo::Model model = zoo::build(name);
  const std::vector<bench::Product> products = products_of(model.graph);
  CompileOptions how;
  how.verify = false;
  const CompileResult made = compile_graph(std::move(model.graph), chip, how);
  sim::Options options;
  for (std::size_t i = 0; i < made.program.inputs.size(); ++i)
    options.inputs.push_back(validation::encode(made.program.inputs[i], model.data.inputs.at(i).tensor));
  const double values = run_seconds(made.program, chip, options);
  options.timing_only = true;
  const double timing = run_seconds(made.program, chip, options);
  const double plain = least_of_five(bench::eigen_products_plain, products);
  std::cout << fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {:.2f} |", name, chip_name, values, timing,
                           multiplications(products) / 1e9, plain, values / plain);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const double wide = least_of_five(bench::eigen_products_avx2, products);
    std::cout << fmt::format(" {:.3f} | {:.2f} |\n", wide, values / wide);
  } else {
    std::cout << " | |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"values_bench", std::string(bench::chips_and_models_words)};
  return bench::run_bench(usage, argc, argv, [&](const std::vector<std::string>& words) {
    const bench::ChipsAndModels given =
        bench::chips_and_models(usage, words, {{"pimsim-nn-64-wide", "pimcomp-144"}, {"resnet18"}});
    std::cout << fmt::format("calibration loop {:.3f} s; CPU seconds, best of five\n\n", bench::calibration_seconds())
              << "| network | chip | with values | timing only | 10^9 multiplications | Eigen, plain x86-64 | ratio | "
                 "Eigen, AVX2 and FMA | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const std::string& model : given.models)
      for (const std::string& chip : given.chips) measure(model, chip);
  });
}
