// CPU time and memory of the compiler: networks of the zoo, a graph of some thousand nodes, and how both grow with
// layers, channels and positions. Memory is the most anonymous memory that a process of its own had at one time, looked
// at every few milliseconds, so without the files that it maps (the model, the libraries). No stage is held to the
// first law, as in `pimento compile` without --verify.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>

#include "compiler/frontend/import.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/bench/measure.hpp"
#include "validation/bench/swin_like.hpp"

namespace {
using namespace pimento;

struct Cost {
  double cpu_s = 1e30;
  double peak_mib = 0;
  std::int64_t nodes = 0, emitted = 0, cycles = 0;
};

/// As `pimento compile` has them.
CompileOptions unverified() {
  CompileOptions options;
  options.verify = false;
  options.rounds = 0;
  return options;
}

/// Anonymous memory that a process has now; 0 when it has gone.
double anonymous_mib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string word; status >> word;)
    if (double kib = 0; word == "RssAnon:" && status >> kib) return kib / 1024;
  return 0;
}

/// 0 in the child.
pid_t forked() {
  const pid_t child = fork();
  if (child < 0) throw InternalError(fmt::format("no process could be made: {}", std::strerror(errno)));
  return child;
}
/// Waits for the child's end, signals or not.
bool succeeded(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) != child)
    if (errno != EINTR) throw InternalError(fmt::format("a process was lost: {}", std::strerror(errno)));
  return status == 0;
}

/// The best of `runs` of a compile, each in a child process, so that none profits from another's memory.
Cost measure(const std::function<CompileResult()>& compile, int runs) {
  Cost best;
  for (int i = 0; i < runs; ++i) {
    int ends[2];
    if (pipe(ends) != 0) throw InternalError("no pipe");
    const pid_t child = forked();
    if (child == 0) {
      Cost mine;
      try {
        const CompileResult made = compile();
        mine.cpu_s = made.record.reals.at("cpu_s");
        mine.nodes = made.record.figures.at("graph_nodes");
        mine.emitted = made.record.figures.at("emitted_instructions");
        mine.cycles = made.record.figures.at("predicted_cycles");
      } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        _exit(1);
      }
      const bool sent = write(ends[1], &mine, sizeof mine) == static_cast<ssize_t>(sizeof mine);
      _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    constexpr int every_ms = 5;
    double peak_mib = 0;
    pollfd answer{ends[0], POLLIN, 0};
    int answers = 0;
    do {
      peak_mib = std::max(peak_mib, anonymous_mib(child));
      answers = poll(&answer, 1, every_ms);
    } while (answers == 0 || (answers < 0 && errno == EINTR));
    Cost one;
    const bool received = read(ends[0], &one, sizeof one) == static_cast<ssize_t>(sizeof one);
    close(ends[0]);
    if (!succeeded(child) || !received) throw Negative("a compile failed");
    one.peak_mib = peak_mib;
    if (one.cpu_s < best.cpu_s) best = one;
  }
  return best;
}

void row(const std::string& name, const std::string& chip, const Cost& c) {
  std::cout << fmt::format("| {} | {} | {} | {:.2f} | {:.0f} | {} | {} |\n", name, chip, c.nodes, c.cpu_s, c.peak_mib,
                           c.emitted, c.cycles);
}

constexpr std::array measured{"lenet5", "resnet18", "vgg16", "swin", "layers", "channels", "positions a side, squared"};
struct Asked {
  int runs = 5;
  std::string only;  ///< part of the names of what is measured; empty: all
  bool takes(const std::string& name) const { return name.find(only) != std::string::npos; }
};

/// Makes the network's file where it is missing, in a process of its own: what that takes is no memory of a compile.
void make_apart(const std::string& name) {
  const pid_t child = forked();
  if (child == 0) {
    try {
      zoo::cached(name);
    } catch (const std::exception& e) {
      std::cerr << e.what() << "\n";
      _exit(1);
    }
    _exit(0);
  }
  if (!succeeded(child)) throw Negative("the network could not be made");
}

void network(const std::string& name, const std::string& chip_name, const Asked& asked) {
  if (!asked.takes(name)) return;
  const isa::Chip chip = isa::load_chip(chip_name);
  make_apart(name);
  const std::string path = zoo::cached(name) + "/model.onnx";
  row(name, chip_name, measure([&] { return compile_model(path, chip, unverified()); }, asked.runs));
}

void swin(std::int64_t blocks, const std::string& chip_name, const Asked& asked) {
  if (!asked.takes("swin")) return;
  const isa::Chip chip = isa::load_chip(chip_name);
  const ir::Graph graph = bench::swin_like(blocks);
  const std::string name = fmt::format("Swin-like, {} blocks, {} nodes as written", blocks, graph.nodes.size());
  row(name, chip_name, measure([&] { return compile_graph(graph, chip, unverified()); }, asked.runs));
}

/// A chain of 3 x 3 convolutions.
ir::Graph chain(std::int64_t layers, std::int64_t channels, std::int64_t positions) {
  std::string text = fmt::format(
      "g (float[1,{0},{1},{1}] x0) => (float[1,{0},{1},{1}] x{2}) {{ v = Constant <value_float = 0.01> () "
      "s = Constant <value_ints = [{0},{0},3,3]> () w = Expand (v, s) ",
      channels, positions, layers);
  for (std::int64_t i = 0; i < layers; ++i)
    text += fmt::format("c{0} = Conv <pads = [1,1,1,1]> (x{0}, w) x{1} = Relu (c{0}) ", i, i + 1);
  return frontend::import_text(text + "}");
}

void growth(const std::string& what, const std::vector<std::int64_t>& sizes,
            const std::function<ir::Graph(std::int64_t)>& make, const Asked& asked) {
  if (!asked.takes(what)) return;
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  double first = 0;
  for (const std::int64_t size : sizes) {
    const ir::Graph graph = make(size);
    const Cost c = measure([&] { return compile_graph(graph, chip, unverified()); }, asked.runs);
    const double unit = c.cpu_s / (static_cast<double>(size) * std::log2(static_cast<double>(size)));
    if (first == 0) first = unit;
    std::cout << fmt::format("| {} {} | {:.3f} | {:.0f} | {:.2f} |\n", size, what, c.cpu_s, c.peak_mib, unit / first);
  }
}

void measure_all(const Asked& asked) {
  std::cout << fmt::format("calibration loop: {:.3f} s; best of {}\n\n", bench::calibration_seconds(), asked.runs);
  std::cout << "| model | chip | nodes | CPU s | anonymous peak, MiB | emitted instructions | predicted cycles |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n";
  network("lenet5", "tiny-4", asked);
  network("resnet18", "pimsim-nn-64-wide", asked);
  network("resnet18", "pimsim-nn-64", asked);
  network("vgg16", "pimsim-nn-64", asked);  // in rounds
  swin(104, "pimsim-nn-64-wide", asked);
  std::cout << "\n| size | CPU s | anonymous peak, MiB | CPU s by n log n, first row 1 |\n| --- | --- | --- | --- |\n";
  growth(
      "layers", {4, 8, 16, 32, 64}, [](std::int64_t n) { return chain(n, 32, 16); }, asked);
  growth(
      "channels", {32, 64, 128, 256}, [](std::int64_t n) { return chain(4, n, 16); }, asked);
  growth(
      "positions a side, squared", {64, 256, 1024, 4096},
      [](std::int64_t n) { return chain(4, 32, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)))); }, asked);
}

}  // namespace

int main(int count, char** arguments) {
  const bench::Usage usage{"compile_bench", "[RUNS [PART-OF-A-NAME]]"};
  return bench::run_bench(usage, count, arguments, [&](const std::vector<std::string>& words) {
    Asked asked;
    if (!words.empty()) asked.runs = bench::count_of(usage, words[0]);
    if (words.size() > 1) asked.only = words[1];
    if (words.size() > 2) throw usage.refuses(words[2]);
    const auto takes = [&](const char* name) { return asked.takes(name); };
    if (std::none_of(measured.begin(), measured.end(), takes))
      throw UserError(
          fmt::format("compile_bench: '{}' is part of no name; known: {}", asked.only, fmt::join(measured, ", ")));
    measure_all(asked);
  });
}
