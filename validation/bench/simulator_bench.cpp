// Instructions per CPU second of the simulator, timing only.
#include <fmt/format.h>

#include <iostream>

#include "isa/program/program.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/bench/measure.hpp"

namespace {
using namespace pimento;

void measure(const std::string& name, const isa::Program& program, const isa::Chip& chip) {
  sim::Options options;
  options.timing_only = true;
  const double load = bench::best_of_five([&] { const sim::Loaded loaded(program, chip, true); });
  const sim::Loaded loaded(program, chip, true);
  for (const bool counters : {false, true}) {
    options.counters = counters;
    sim::Result result;
    const double run = bench::best_of_five([&] { result = loaded.run(options); });
    std::cout << fmt::format(
        "{:<40} {:>9} counters {:>9} instructions {:>12} cycles  load {:.4f} s  run {:.4f} s  {:6.1f} M "
        "instructions/s\n",
        name, counters ? "with" : "without", result.instructions, result.cycles, load, run,
        static_cast<double>(result.instructions) / run / 1e6);
  }
}
}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw pimento::UserError("simulator_bench: expected PROGRAM.pim...");
    std::cout << fmt::format("calibration loop {:.4f} s\n", bench::calibration_seconds());
    for (int i = 1; i < argc; ++i) {
      const isa::Program program = isa::read_program(argv[i]);
      const isa::Chip chip = isa::parse_chip(program.chip_yaml, argv[i]);
      measure(argv[i], program, chip);
      measure(std::string(argv[i]) + " unrolled", isa::unroll(program), chip);
    }
  } catch (const pimento::Error& e) {
    std::cerr << e.what() << "\n";
    return static_cast<int>(e.status());
  }
}
