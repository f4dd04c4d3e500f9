// What each part of the mapping is worth: simulated cycles with the part left out, beside those of the default.
#include <fmt/format.h>

#include <iostream>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/simulate.hpp"

namespace {
using namespace pimento;

struct Variant {
  std::string name;
  Ablations ablations;
};
std::vector<Variant> variants() {
  std::vector<Variant> all{{"default", {}}};
  for (const pim::Scheduler& each : pim::schedulers())
    all.push_back({fmt::format("--scheduler {}", each.name), {.scheduler = std::string(each.name)}});
  for (const Ablation& row : ablations()) {
    Ablations without;
    without.*row.part = true;
    all.push_back({fmt::format("--{}", row.name), without});
  }
  return all;
}

/// "18,903,679".
std::string grouped(Cycles cycles) {
  std::string text = std::to_string(cycles);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

/// Nothing when the part changes nothing on this chip; 0: the model does not fit without it.
std::optional<Cycles> cycles_of(const ir::Graph& graph, const isa::Chip& chip, const Ablations& without) {
  CompileOptions options;
  options.ablations = without;
  options.verify = false;
  try {
    check_ablations(options, chip);
  } catch (const UserError&) {
    return std::nullopt;
  }
  try {
    const CompileResult made = compile_graph(graph, chip, options);
    sim::Options run;
    run.timing_only = true;
    const sim::Result result = sim::simulate(made.program, chip, run);
    if (result.stop != sim::StopReason::finished) throw Negative(graph.name + ": " + result.explanation);
    return result.cycles;
  } catch (const pim::DoesNotFit& e) {
    std::cerr << graph.name << ": " << e.what() << "\n";
    return 0;
  }
}

void tabulate(const std::string& chip_name, const std::vector<ir::Graph>& graphs) {
  const isa::Chip chip = isa::load_chip(chip_name);
  std::cout << fmt::format("\n| {} |", chip_name);
  for (const ir::Graph& graph : graphs) std::cout << fmt::format(" {} | |", graph.name);
  std::cout << "\n| --- |";
  for (std::size_t i = 0; i < graphs.size(); ++i) std::cout << " --- | --- |";
  std::cout << "\n";
  std::vector<Cycles> plain;
  for (const Variant& variant : variants()) {
    std::string line = fmt::format("| {} |", variant.name);
    bool is_moot = false;
    for (std::size_t i = 0; i < graphs.size() && !is_moot; ++i) {
      const std::optional<Cycles> cycles = cycles_of(graphs[i], chip, variant.ablations);
      is_moot = !cycles;
      if (is_moot) break;
      if (plain.size() <= i) plain.push_back(*cycles);
      line += *cycles == 0 ? " does not fit | |"
                           : fmt::format(" {} | {:.2f} |", grouped(*cycles),
                                         static_cast<double>(*cycles) / static_cast<double>(plain[i]));
    }
    if (!is_moot) std::cout << line << std::endl;
  }
}
}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> chips, models;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word != "--chip")
        models.push_back(word);
      else if (++i < argc)
        chips.emplace_back(argv[i]);
      else
        throw UserError("ablation_bench: expected [--chip CHIP]... [MODEL-OF-THE-ZOO...]");
    }
    if (chips.empty()) chips = {"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144"};
    if (models.empty()) models = {"resnet18", "squeezenet", "mobilenet_v2", "lenet5"};
    std::vector<ir::Graph> graphs;
    for (const std::string& model : models) graphs.push_back(zoo::build(model).graph);
    for (const std::string& chip : chips) tabulate(chip, graphs);
  } catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return static_cast<int>(e.status());
  }
}
