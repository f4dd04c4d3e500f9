// Predicted against simulated cycles: on the zoo, and the order of ten schedules on each of fifty small chips.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/prediction/ranking.hpp"
#include "validation/prediction/small_chips.hpp"

namespace {
using namespace pimento;
using namespace pimento::validation;

void zoo_table() {
  std::cout << "| chip | network | predicted | simulated | ratio |\n| --- | --- | --- | --- | --- |\n";
  for (const std::string& network : predicted_networks()) {
    const ir::Graph graph = zoo::build(network).graph;
    for (const std::string& chip : predicted_chips())
      if (const auto made = predict_and_simulate(graph, isa::load_chip(chip)))
        std::cout << fmt::format("| {} | {} | {} | {} | {:.3f} |", chip, network, made->predicted, made->simulated,
                                 made->ratio())
                  << std::endl;
  }
}

/// `details`: every schedule.
void rankings(bool details) {
  std::cout << "\n| seed | chip | schedules | tau-b | of clearly different ones | predicted / simulated |\n| --- | --- "
               "| --- | --- | --- | --- |\n";
  double sum = 0, least = 1, least_clear = 1;
  for (std::uint64_t seed = 1; seed <= small_chips; ++seed) {
    const Ranking ranking = rank_schedules(seed);
    const double tau = ranking.tau().value_or(0), clear = ranking.agreement().value_or(0);
    sum += tau;
    least = std::min(least, tau);
    least_clear = std::min(least_clear, clear);
    double low = 1e9, high = 0;
    for (const RankedSchedule& each : ranking.schedules)
      low = std::min(low, each.ratio()), high = std::max(high, each.ratio());
    std::cout << fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} .. {:.2f} |", seed, ranking.chip,
                             ranking.schedules.size(), tau, clear, low, high)
              << std::endl;
    if (details)
      for (const RankedSchedule& each : ranking.schedules)
        std::cout << fmt::format("    {:<28} {:>9} {:>9} {:.3f}\n", each.name, each.predicted, each.simulated,
                                 each.ratio());
  }
  std::cout << fmt::format("\ntau-b: mean {:.3f}, least {:.2f}; of schedules more than {:g} % apart: least {:.2f}\n",
                           sum / static_cast<double>(small_chips), least, 100 * clear_difference, least_clear);
}
}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"prediction_bench", "[--zoo] [--chips] [--details]"};
  return bench::run_bench(usage, argc, argv, [&](const std::vector<std::string>& words) {
    const auto given = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    for (const std::string& word : words)
      if (word != "--zoo" && word != "--chips" && word != "--details") throw usage.refuses(word);
    if (given("--zoo") || !given("--chips")) zoo_table();
    if (given("--chips") || !given("--zoo")) rankings(given("--details"));
  });
}
