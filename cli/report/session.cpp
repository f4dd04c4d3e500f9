#include "cli/report/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "cli/report/timeline_svg.hpp"
#include "compiler/drivers/pim/numerics/not_finite.hpp"
#include "compiler/frontend/tensor_file.hpp"
#include "compiler/ops/plugin.hpp"
#include "isa/chip/adc.hpp"
#include "isa/chip/canonical.hpp"
#include "isa/chip/shipped.hpp"
#include "isa/peers/peers.hpp"
#include "isa/program/check_chip.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/file.hpp"
#include "isa/support/folder.hpp"
#include "isa/support/printable.hpp"
#include "simulator/observe/timeline.hpp"
#include "validation/cases/ports.hpp"

namespace pimento::cli {
namespace fs = std::filesystem;
namespace {

std::atomic<bool> interrupted{false};
void interrupt(int) { interrupted = true; }

/// Ctrl-C ends the run in order, as long as this lives.
struct Interruptible {
  Interruptible() : before(std::signal(SIGINT, interrupt)) { interrupted = false; }
  ~Interruptible() { std::signal(SIGINT, before); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  void (*before)(int);
};

/// Part `image` of `images` along the first dimension.
ir::Tensor part_of(const ir::Tensor& whole, std::int64_t image, std::int64_t images) {
  ir::TensorType type = whole.type();
  type.shape[0] /= images;
  const auto bytes = static_cast<std::size_t>(type.bytes());
  return ir::Tensor::copy(type, whole.byte_span().subspan(static_cast<std::size_t>(image) * bytes, bytes));
}

/// The line is drawn only where somebody looks at it.
bool is_terminal(const Streams& io) { return &io.err == &std::cerr && isatty(STDERR_FILENO) == 1; }

}  // namespace

Numerics numerics_of(const Arguments& a) {
  return *parse_numerics(a.choice("numerics", {"quantised", "exact", "f32"}));
}

pim::CalibrationMethod calibration_of(const Arguments& a) {
  pim::CalibrationMethod method;
  method.kind = *pim::parse_calibration(a.choice("calibration", pim::calibration_names()));
  const double percent = a.real("percentile", 100 * method.share);
  if (!(percent > 50 && percent <= 100))
    throw UserError(fmt::format("--percentile {}: expected a number above 50, up to 100", percent));
  method.share = percent / 100;
  return method;
}

std::map<std::string, std::int64_t> dimensions_of(const Arguments& a) {
  std::map<std::string, std::int64_t> dimensions;
  for (const auto& [name, value] : a.pairs("dim")) {
    std::size_t used = 0;
    std::int64_t extent = 0;
    try {
      extent = std::stoll(value, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != value.size() || extent < 1)
      throw UserError(fmt::format("--dim {}={}: expected an extent of 1 or more", name, value));
    dimensions.emplace(name, extent);
  }
  return dimensions;
}

std::int64_t max_cycles_of(const Arguments& a) {
  return a.integer("max-cycles", 0, 1, std::numeric_limits<std::int64_t>::max());
}

std::vector<ir::Tensor> read_inputs(const std::vector<std::string>& files, Numerics numerics) {
  std::vector<ir::Tensor> tensors;
  tensors.reserve(files.size());
  for (const std::string& file : files) {
    tensors.push_back(frontend::read_tensor(file));
    if (const auto at = numerics == Numerics::f32 ? std::nullopt : pim::not_finite(tensors.back()))
      throw UserError({.file = file}, fmt::format("{}; {} numerics need finite values (numerics f32 do not)", *at,
                                                  to_string(numerics)));
  }
  return tensors;
}

std::int64_t images_of(const Arguments& a) { return a.integer("images", 1, 1, 1 << 20); }
std::int64_t calibration_samples_of(std::int64_t images) { return std::min<std::int64_t>(images, 8); }

bool is_throughput(const Arguments& a) { return a.choice("optimise", {"latency", "throughput"}) == "throughput"; }

std::vector<ir::Tensor> split_images(const std::vector<ir::Tensor>& files, std::int64_t images) {
  const auto is_batch = [&](const ir::Tensor& t) { return !t.shape().empty() && t.shape()[0] % images == 0; };
  if (images == 1 || static_cast<std::int64_t>(files.size()) % images == 0 ||
      !std::all_of(files.begin(), files.end(), is_batch))
    return files;
  std::vector<ir::Tensor> split;
  for (std::int64_t image = 0; image < images; ++image)
    for (const ir::Tensor& file : files) split.push_back(part_of(file, image, images));
  return split;
}

void load_plugins(const Arguments& a) {
  for (const std::string& file : a.all("plugin")) ops::load_plugin(file);
}

void refuse_calibration_in_vain(const Arguments& a) {
  const Numerics numerics = numerics_of(a);
  for (const char* option : {"calibrate", "calibration", "percentile"})
    refuse_in_vain(a, option, numerics == Numerics::f32, "--numerics quantised or exact, since f32 has no scales");
  refuse_in_vain(a, "calibration", numerics == Numerics::exact && a.text("calibration", "") == "adaptive",
                 "--numerics quantised, since exact rounds no weights");
  refuse_in_vain(a, "percentile", a.text("calibration", "") != "percentile", "--calibration percentile as well");
}

CompileOptions compile_options(const Arguments& a, Streams io) {
  CompileOptions options;
  options.numerics = numerics_of(a);
  refuse_calibration_in_vain(a);
  load_plugins(a);
  options.verify = false;  // --verify of those that take it
  options.dimensions = dimensions_of(a);
  options.seed = static_cast<std::uint64_t>(a.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  options.note = [io](const std::string& text) { io.err << printable(text, true) << "\n"; };
  options.calibration = calibration_of(a);
  options.calibration_inputs = read_inputs(a.all("calibrate"), options.numerics);
  options.calibration_source = "the files of --calibrate";
  return options;
}

std::string usage_of_ablations() {
  std::string text = " [--scheduler NAME]";
  for (const Ablation& row : ablations()) text += fmt::format(" [--{}]", row.name);
  return text;
}

std::string help_of_ablations() {
  std::string text;
  const auto line = [&](std::string_view option, std::string_view what) {
    text += fmt::format("  {:<20} {}\n", option, what);
  };
  line("--scheduler NAME",
       "how weights find their cores: balanced, heft, load, near, peft or round-robin; without it\n                    "
       "   what is predicted to end first");
  for (const Ablation& row : ablations()) line(fmt::format("--{}", row.name), row.text);
  return text;
}

void take_ablations(const Arguments& a, CompileOptions& options) {
  options.ablations.scheduler = a.text("scheduler", "");
  for (const Ablation& row : ablations()) options.ablations.*row.part = a.flag(std::string(row.name));
}

std::string help_of_rounds() {
  return R"(  --rounds N           how often the crossbars hold other weights in one run. 1: the model must fit; auto (the default): 1
                       where it fits, else what is predicted to end first; the weights of later rounds come from global
                       memory
)";
}
int rounds_of(const Arguments& a) {
  if (a.text("rounds", "auto") == "auto") return 0;
  return static_cast<int>(a.integer("rounds", 1, 1, 1000));
}

std::string help_of_windows() {
  return R"(  --windows-per-mvm N  neighbouring positions that one MVM of a convolution makes, their windows side by side in one
                       array group: as many up to N as fit and save MVMs, or auto (the default), as many as pay
)";
}
int windows_of(const Arguments& a) {
  if (a.text("windows-per-mvm", "auto") == "auto") return 0;
  return static_cast<int>(a.integer("windows-per-mvm", 1, 1, 100000));
}

void take_placement(const Arguments& a, CompileOptions& options) {
  if (!a.given("placement")) return;
  options.placement_file = a.input_file("placement").string();
  options.placement = read_file(options.placement_file);
}
void write_placement(const Arguments& a, const CompileResult& compiled) {
  if (a.given("dump-placement")) write_atomically(a.text("dump-placement"), compiled.placement);
}

std::string mode_of(const Arguments& a) {
  const std::string mode = a.flag("timing-only") ? "timing only" : "values and cycles";
  return a.flag("lockstep") ? mode + ", lockstep" : mode;
}

namespace {

/// `--timeline FILE`: the run's trace events go into the file as they come.
void simulate_observed(const isa::Program& program, const isa::Chip& chip, sim::Options& options, const Arguments& a,
                       sim::Result& result) {
  if (!a.given("timeline")) {
    result = sim::simulate(program, chip, options);
    return;
  }
  const sim::Span span = span_of(a);
  const std::string path = a.text("timeline");
  const auto simulate = [&] {
    result = sim::simulate(program, chip, options);
    if (span.from > 0 && span.from >= result.cycles)
      throw UserError(
          fmt::format("--from {}: the run ends at cycle {}, and nothing is after it", span.from, result.cycles));
  };
  if (path.ends_with(".svg")) {
    TimelinePicture picture(program, chip, span);
    options.observer = &picture;
    simulate();
    write_atomically(path, picture.svg());
    return;
  }
  write_atomically(path, [&](Output& out) {
    sim::Timeline timeline(out, program, chip, span, path.ends_with(".gz"));
    options.observer = &timeline;
    simulate();
    timeline.finish(std::string(sim::to_string(result.stop)));
  });
}

}  // namespace

void end_of(const Run& run) {
  if (run.finished()) return;
  throw Negative(run.result.explanation.empty() ? std::string(sim::to_string(run.result.stop))
                                                : run.result.explanation);
}

sim::Span span_of(const Arguments& a) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const sim::Span span{a.integer("from", 0, 0, most), a.integer("to", 0, 1, most)};
  if (!a.given("timeline") && (a.given("from") || a.given("to")))
    throw UserError("--from and --to bound a timeline: expected --timeline FILE as well");
  if (span.to != 0 && span.to <= span.from)
    throw UserError(fmt::format("--to {}: expected a cycle after --from {}", span.to, span.from));
  if (a.given("timeline") && a.flag("lockstep"))
    throw UserError("--timeline: not with --lockstep, which is slow and takes the same cycles");
  return span;
}

Run run_program(const isa::Program& program, const isa::Chip& chip, std::vector<ir::Tensor> inputs, const Arguments& a,
                bool track_writers, Streams io, bool timing_only) {
  Run run;
  sim::Options options;
  options.timing_only = timing_only || a.flag("timing-only");
  options.lockstep = a.flag("lockstep");
  options.track_writers = track_writers && !options.timing_only;
  options.max_cycles = max_cycles_of(a);
  const auto seed = static_cast<std::uint64_t>(a.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  validation::check_inputs(program.inputs, inputs);
  if (!options.timing_only) {
    run.inputs = validation::complete_inputs(program.inputs, std::move(inputs), seed,
                                             [&](const std::string& text) { io.err << text << "\n"; });
    for (std::size_t i = 0; i < run.inputs.size(); ++i)
      options.inputs.push_back(validation::encode(program.inputs[i], run.inputs[i]));
  }
  if (const auto warning = isa::narrow_adc(chip); warning && !options.timing_only) io.err << *warning << "\n";
  const bool draws = is_terminal(io);
  if (draws)
    options.progress = [&](const sim::Progress& p) {
      io.err << fmt::format("\rsimulating: cycle {}, {} instructions", p.cycles, p.instructions) << std::flush;
    };
  const Interruptible interruptible;
  options.stop = &interrupted;
  simulate_observed(program, chip, options, a, run.result);
  if (draws) io.err << "\r\033[K" << std::flush;
  if (!run.finished()) return run;
  for (std::size_t i = 0; i < run.result.outputs.size(); ++i)
    run.outputs.push_back(validation::decode(program.outputs[i], run.result.outputs[i]));
  return run;
}

namespace {
bool is_peer_chip(const std::string& name) {
  return fs::is_regular_file(name) && isa::peers::file_kind(name) == isa::peers::FileKind::peer_chip;
}
}  // namespace

std::string chip_file(const std::string& name) { return is_peer_chip(name) ? name : isa::chip_file(name); }

isa::Chip find_chip(const std::string& name, Streams io, bool as_built) {
  if (!is_peer_chip(name)) return isa::load_chip(name);
  std::vector<std::string> warnings;
  const auto rules = as_built ? isa::peers::PeerRules::as_built : isa::peers::PeerRules::documented;
  isa::Chip chip = isa::peers::load_peer_chip(name, rules, warnings);
  for (const std::string& warning : warnings) io.err << "warning: " << warning << "\n";
  return chip;
}

isa::Chip chip_of(const isa::Program& program, const std::string& file, const Arguments& a, Streams io) {
  if (a.given("chip")) return find_chip(a.text("chip"), io);
  if (program.chip_yaml.empty()) throw UserError({.file = file}, "the program names no chip; give one with --chip");
  return isa::read_canonical(program.chip_yaml, file + ": chip");
}

void expect_peer_files(const Arguments& a, isa::peers::FileKind kind) {
  using isa::peers::FileKind;
  const bool ours = kind == FileKind::program || kind == FileKind::unknown;
  refuse_in_vain(a, "strict", ours, "a program of pimsim-nn");
  if (a.declares("documented"))
    refuse_in_vain(a, "documented", ours || !is_peer_chip(a.text("chip", "")),
                   "a program of pimsim-nn, and its chip file as --chip");
}

LoadedProgram load_program(const std::string& file, isa::peers::FileKind kind, const Arguments& a, Streams io,
                           bool as_built, bool sets) {
  using isa::peers::FileKind;
  const auto with_sets = [&](isa::Chip chip) {
    if (!sets || !a.given("set")) return chip;
    std::map<std::string, std::string> values;
    for (const auto& [key, value] : a.pairs("set")) values[key] = value;
    return isa::with_values(chip, values);
  };
  LoadedProgram loaded;
  if (kind == FileKind::unknown && fs::is_directory(file))
    throw UserError({.file = file}, "a folder without config.json is no program of pimsim-nn");
  if (kind == FileKind::program || kind == FileKind::unknown) {  // read_program says what is wrong with it
    loaded.program = isa::read_program(file);
    loaded.chip = with_sets(chip_of(loaded.program, file, a, io));
    return loaded;
  }
  loaded.chip = with_sets(find_chip(a.text("chip", "pimsim-nn-64-as-built"), io, as_built));
  std::vector<std::string> warnings;
  loaded.program =
      isa::peers::load_any_program(file, loaded.chip, warnings, loaded.timing_only, {.strict = a.flag("strict")});
  for (const std::string& warning : warnings) io.err << "warning: " << warning << "\n";
  return loaded;
}

void write_program_as(const std::string& form, const isa::Program& program, const isa::Chip& chip,
                      const std::string& path, const Arguments& a, Streams io) {
  if (form == "program") return isa::write_program(program, path);
  const isa::peers::WriteOptions options{.times_only = !a.flag("strict")};
  const isa::peers::WriteReport report = form == "pimsim-nn"
                                             ? isa::peers::write_peer_json(program, chip, path, options)
                                             : isa::peers::write_peer_directory(program, chip, path, options);
  if (report.times_only == 0) return;
  io.err << fmt::format(
      "warning: {}: {} with a scale or with floats, which pimsim-nn lacks; what is written for them only takes their "
      "time; the first: {}\n",
      path, counted(report.times_only, "instruction"), report.first_times_only);
}

std::vector<std::string> accept_chip(const isa::Program& program, const isa::Chip& chip, const Arguments& a) {
  if (program.chip_name.empty()) return {};  // written by hand, for whatever chip it fits
  std::vector<std::string> other = isa::check_chip(program, chip, a.flag("all-keys") ? isa::chip_keys().size() : 3);
  if (other.empty() || !a.flag("strict-chip")) return other;
  std::string keys;
  for (const std::string& key : other) keys += " " + key;
  throw UserError(fmt::format("scheduled for other costs:{}; --strict-chip refuses that", keys));
}

namespace {

/// Outputs of an earlier run into the folder that this one does not have: they are not of the report beside them.
void remove_stale_outputs(const fs::path& folder, std::size_t outputs) {
  for (std::size_t i = outputs;; ++i) {
    bool any = false;
    for (const char* ending : {"npy", "pb"}) any |= fs::remove(folder / fmt::format("output_{}.{}", i, ending));
    if (!any) return;
  }
}

}  // namespace

void write_results(const std::string& folder, const Report& report, const isa::Program& program,
                   const std::vector<ir::Tensor>& outputs) {
  const std::string text = to_json(report);
  const bool again = fs::exists(fs::path(folder) / "report.json");
  write_folder(folder, [&](const std::string& draft) {
    const fs::path to(draft);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      frontend::write_npy((to / fmt::format("output_{}.npy", i)).string(), outputs[i]);
      frontend::write_tensor_pb((to / fmt::format("output_{}.pb", i)).string(), outputs[i], program.outputs[i].name);
    }
    write_atomically((to / "report.json").string(), text);
  });
  if (again) remove_stale_outputs(folder, outputs.size());
}

}  // namespace pimento::cli
