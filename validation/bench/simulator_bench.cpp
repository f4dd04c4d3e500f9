// Instructions per CPU second of the simulator, timing only.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "isa/chip/canonical.hpp"
#include "isa/peers/peers.hpp"
#include "isa/program/program.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/bench/measure.hpp"

namespace {
using namespace pimento;
using isa::peers::FileKind;

/// Memory of this process that no file backs, now.
double anonymous_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

void measure(const std::string& name, const isa::Program& program, const isa::Chip& chip) {
  sim::Options options;
  options.timing_only = true;
  const double load = bench::best_of_five([&] { const sim::Loaded loaded(program, chip, true); });
  const sim::Loaded loaded(program, chip, true);
  double without = 0;
  for (const bool counters : {false, true}) {
    options.counters = counters;
    sim::Result result;
    const double run = bench::best_of_five([&] { result = loaded.run(options); });
    if (result.stop != sim::StopReason::finished) throw Negative(name + ": " + result.explanation);
    if (!counters) without = run;
    std::cout << fmt::format(
        "{:<40} window {:>2} {:>8} counters {:>9} instructions {:>12} cycles  decode {:.4f} s  run {:.4f} s  {:6.1f} M "
        "instructions/s{}  {:.0f} MiB\n",
        name, chip.core.window, counters ? "with" : "without", result.instructions, result.cycles, load, run,
        static_cast<double>(result.instructions) / run / 1e6,
        counters ? fmt::format("  {:.2f} times", run / without) : "", anonymous_mib());
  }
}

std::int64_t instructions(const isa::Program& program) {
  std::int64_t all = 0;
  for (const isa::CoreProgram& core : program.cores) all += static_cast<std::int64_t>(core.instructions.size());
  return all;
}

/// Another compiler's program, which has no loops: at the chip's window and at 16.
void measure_peer(const std::string& path, const isa::Chip& chip) {
  std::vector<std::string> warnings;
  isa::Program program;
  const double load = bench::best_of_five([&] {
    program = {};  // two of them would show in the memory
    program = isa::peers::load_peer_program(path, chip, warnings);
  });
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::cout << fmt::format("{:<40} loaded {:>9} instructions in {:.3f} s, {:.2f} M instructions/s\n", name,
                           instructions(program), load, static_cast<double>(instructions(program)) / load / 1e6);
  for (const char* window : {"1", "16"}) measure(name, program, isa::with_values(chip, {{"core.window", window}}));
}

void measure_own(const std::string& path) {
  const isa::Program program = isa::read_program(path);
  const isa::Chip chip = isa::read_canonical(program.chip_yaml, path);
  measure(path, program, chip);
  measure(path + " unrolled", isa::unroll(program), chip);
}
}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"simulator_bench", "[--chip CHIP-OF-PIMSIM-NN'S-PROGRAMS] PROGRAM..."};
  return bench::run_bench(usage, argc, argv, [&](std::vector<std::string> words) {
    std::string chip = "pimsim-nn-64-as-built";
    if (words.size() > 1 && words[0] == "--chip") {
      chip = words[1];
      words.erase(words.begin(), words.begin() + 2);
    }
    if (words.empty() || words[0].rfind('-', 0) == 0) throw usage.refuses(words.empty() ? "" : words[0]);
    std::cout << fmt::format("calibration loop {:.4f} s\n", bench::calibration_seconds());
    for (const std::string& path : words) {
      const FileKind kind = isa::peers::file_kind(path);
      kind == FileKind::peer_json || kind == FileKind::peer_directory ? measure_peer(path, isa::load_chip(chip))
                                                                      : measure_own(path);
    }
  });
}
