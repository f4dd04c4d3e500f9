// How far runs end above what they cannot end below: the bound of every mapping, and that of the one-window mapping.
#include <fmt/format.h>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/bench/arguments.hpp"

namespace {
using namespace pimento;

/// "93,121 (busiest array group) | 2.01 |"
std::string cells(const pim::Bound& bound, Cycles cycles) {
  if (bound.cycles() == 0) return " | |";
  return fmt::format(" {} ({}) | {:.2f} |", bench::grouped(bound.cycles()), bound.largest()->name,
                     static_cast<double>(cycles) / static_cast<double>(bound.cycles()));
}

void row(const ir::Graph& graph, const std::string& network, const isa::Chip& chip) {
  std::string line = fmt::format("| {} | {} |", network, chip.name);
  try {
    CompileOptions options;
    options.verify = false;
    options.one_window_bound = true;
    const CompileResult compiled = compile_graph(graph, chip, options);
    sim::Options simulation;
    simulation.timing_only = true;
    simulation.counters = false;
    const sim::Result result = sim::simulate(compiled.program, chip, simulation);
    if (result.stop != sim::StopReason::finished) throw Negative(network + ": " + result.explanation);
    const Cycles cycles = result.cycles;
    line += fmt::format(" {} |{}{}", bench::grouped(cycles), cells(compiled.bounds.hardware, cycles),
                        cells(compiled.bounds.one_window.value_or(compiled.bounds.mapping), cycles));
  } catch (const pim::NoRoom&) {
    line += " does not fit | | | | |";
  }
  std::cout << line << std::endl;
}
}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"bounds_bench", std::string(bench::chips_and_models_words)};
  return bench::run_bench(usage, argc, argv, [&](const std::vector<std::string>& words) {
    const bench::ChipsAndModels given =
        bench::chips_and_models(usage, words,
                                {{"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144"},
                                 {"lenet5", "mlp", "transformer_block", "resnet20", "vgg8", "squeezenet", "resnet18",
                                  "mobilenet_v2", "resnet50"}});
    std::cout << "| network | chip | cycles | any mapping | ratio | one-window mapping | ratio |\n"
                 "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const std::string& network : given.models) {
      const ir::Graph graph = zoo::build(network).graph;
      for (const std::string& chip : given.chips) row(graph, network, isa::load_chip(chip));
    }
  });
}
