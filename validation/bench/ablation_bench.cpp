// What each part of the mapping is worth: simulated cycles with the part left out, beside those of the default.
#include <fmt/format.h>

#include <optional>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/prediction/ranking.hpp"

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

CompileOptions options_of(const Variant& variant) {
  CompileOptions options;
  options.ablations = variant.ablations;
  return options;
}

/// Whether what is left out changes nothing on this chip, whatever the model.
bool is_moot(const Variant& variant, const isa::Chip& chip) {
  try {
    check_ablations(options_of(variant), chip);
    return false;
  } catch (const UserError&) {
    return true;
  }
}

/// Cycles, and their ratio to those of the default, where both fit.
std::string cells(const std::optional<Cycles>& cycles, const std::optional<Cycles>& plain) {
  if (!cycles) return " does not fit | |";
  if (!plain) return fmt::format(" {} | |", bench::grouped(*cycles));
  return fmt::format(" {} | {:.2f} |", bench::grouped(*cycles),
                     static_cast<double>(*cycles) / static_cast<double>(*plain));
}

void tabulate(const std::string& chip_name, const std::vector<ir::Graph>& graphs) {
  const isa::Chip chip = isa::load_chip(chip_name);
  std::cout << fmt::format("\n| {} |", chip_name);
  for (const ir::Graph& graph : graphs) std::cout << fmt::format(" {} | |", graph.name);
  std::cout << "\n| --- |";
  for (std::size_t i = 0; i < graphs.size(); ++i) std::cout << " --- | --- |";
  std::cout << "\n";
  std::vector<std::optional<Cycles>> plain;
  for (const Variant& variant : variants()) {
    if (is_moot(variant, chip)) continue;
    std::string line = fmt::format("| {} |", variant.name);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const auto made = validation::predict_and_simulate(graphs[i], chip, options_of(variant));
      const std::optional<Cycles> cycles = made ? std::optional(made->simulated) : std::nullopt;
      if (plain.size() <= i) plain.push_back(cycles);
      line += cells(cycles, plain[i]);
    }
    std::cout << line << std::endl;
  }
}
}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"ablation_bench", std::string(bench::chips_and_models_words)};
  return bench::run_bench(usage, argc, argv, [&](const std::vector<std::string>& words) {
    const bench::ChipsAndModels given = bench::chips_and_models(
        usage, words,
        {{"pimsim-nn-64", "pimsim-nn-64-wide", "pimcomp-144"}, {"resnet18", "squeezenet", "mobilenet_v2", "lenet5"}});
    std::vector<ir::Graph> graphs;
    for (const std::string& model : given.models) graphs.push_back(zoo::build(model).graph);
    for (const std::string& chip : given.chips) tabulate(chip, graphs);
  });
}
