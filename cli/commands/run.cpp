// pimento run: a model on a chip, from the file to the report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/commands/files.hpp"
#include "cli/commands/registry.hpp"
#include "cli/report/heatmap_svg.hpp"
#include "cli/report/mapping_svg.hpp"
#include "cli/report/session.hpp"
#include "compiler/frontend/tensor_file.hpp"
#include "isa/support/file.hpp"
#include "validation/cases/layers.hpp"

namespace pimento::cli {
namespace {

/// `--dump-tensor NODE`: VALUE.npy in the folder of --out, else here; '/' in names becomes '_'.
void dump_tensors(const Arguments& a, const ir::Graph& graph, const isa::Chip& chip, const CompileOptions& options,
                  const std::vector<ir::Tensor>& inputs, Streams io) {
  if (!a.given("dump-tensor")) return;
  const auto check = check_of_further_outputs("run", a, "--dump-tensor");
  for (const std::string& name : a.all("dump-tensor"))
    for (const validation::SeenValue& seen : validation::see(graph, chip, options, inputs, name)) {
      std::string file = seen.value + ".npy";
      std::replace(file.begin(), file.end(), '/', '_');
      const std::string path = (std::filesystem::path(a.text("out", ".")) / file).string();
      check(path);
      frontend::write_npy(path, seen.got);
      io.err << fmt::format("{}: value '{}' of node '{}', {}\n", path, seen.value, seen.node,
                            ir::to_string(seen.got.type()));
    }
}

std::vector<ir::Tensor> image_inputs(const Run& run, std::size_t image, std::int64_t images) {
  const std::size_t each = run.inputs.size() / static_cast<std::size_t>(images);
  const auto first = run.inputs.begin() + static_cast<std::ptrdiff_t>(image * each);
  return {first, first + static_cast<std::ptrdiff_t>(each)};
}
/// The inputs of the first image that has a wrong output.
std::vector<ir::Tensor> failing_image(const validation::NumericalCheck& check, const Run& run, std::int64_t images) {
  const std::size_t each = check.outputs.size() / static_cast<std::size_t>(images);
  std::size_t output = 0;
  while (output + 1 < check.outputs.size() && check.outputs[output].accepted) ++output;
  return image_inputs(run, output / each, images);
}

Status run(const Arguments& a, Streams io) {
  if (a.given("dump-tensor") && a.flag("timing-only"))
    throw UserError("--dump-tensor: there are no values with --timing-only");
  refuse_in_vain(a, "min-sqnr", a.flag("timing-only"), "a run with values, without --timing-only");
  refuse_in_vain(a, "min-sqnr", numerics_of(a) != Numerics::quantised,
                 "--numerics quantised; others are held to every element");
  const double min_sqnr = a.real("min-sqnr", validation::default_min_sqnr_db);
  max_cycles_of(a);  // a wrong one is told before anything takes time
  span_of(a);
  const Models models = find_models(a.all("MODEL"));
  const isa::Chip chip = find_chip(a.text("chip"), io);
  const std::int64_t images = images_of(a);
  const std::vector<ir::Tensor> inputs =
      split_images(read_inputs(a.given("input") ? a.all("input") : models.inputs, numerics_of(a)), images);
  CompileOptions options = compile_options(a, io);
  options.images = images;
  options.throughput = is_throughput(a);
  options.verify = a.flag("verify");
  options.rounds = rounds_of(a);
  options.windows_per_mvm = windows_of(a);
  options.one_window_bound = true;  // what mappings are held to, whatever they make in one MVM
  if (options.calibration_inputs.empty()) {
    options.calibration_inputs = inputs;
    options.calibration_source = "the evaluated inputs themselves";
    options.calibration_samples = calibration_samples_of(images);
  }
  take_placement(a, options);
  take_ablations(a, options);
  const CompileResult compiled = compile_models(models.files, chip, options);
  write_placement(a, compiled);
  const Run run = run_program(compiled.program, chip, inputs, a, true, io);
  Report report = make_report(compiled.program, chip, run.result);
  report.model = fmt::format("{}", fmt::join(a.all("MODEL"), " + "));
  report.mode = mode_of(a);
  report.seed = options.seed;
  report.compile = compiled.record;
  report.compile->model = models.name;
  if (run.finished()) report.bounds = compiled.bounds;
  if (!a.flag("timing-only") && run.finished())
    report.check = validation::check_outputs(compiled.program, run.result,
                                             validation::reference_outputs(compiled.graph, run.inputs, images),
                                             "the Eigen reference in f64", min_sqnr);
  if (run.finished()) {
    validation::add_run(*report.compile, report.result, report.check);
    if (!report.compile->reals.contains("interval_cycles")) report.interval.reset();
    if (a.given("record")) write_atomically(a.text("record"), proof::to_json(*report.compile));
  }
  if (report.check && !report.check->passed)
    report.check->diverging =
        validation::first_diverging(compiled.graph, chip, options, failing_image(*report.check, run, images), min_sqnr);
  if (a.given("mapping-svg")) write_atomically(a.text("mapping-svg"), mapping_svg(compiled.program, chip));
  if (a.given("out")) write_results(a.text("out"), report, compiled.program, run.outputs);
  if (run.finished()) dump_tensors(a, compiled.graph, chip, options, image_inputs(run, 0, images), io);
  if (a.given("heatmap")) write_atomically(a.text("heatmap"), heatmap_svg(report.model, chip, run.result));
  io.out << (a.flag("json") ? to_json(report) : to_table(report));
  end_of(run);
  return report.check && !report.check->passed ? Status::no : Status::done;
}

SUBCOMMAND("run",
           "MODEL... --chip CHIP [--input FILE]... [--numerics NUMERICS] [--calibrate FILE]... [--calibration METHOD] "
           "[--percentile P] [--timing-only] [--lockstep] [--out FOLDER] [--json] "
           "[--dim NAME=VALUE]... [--seed N] [--images N] [--optimise GOAL] "
           "[--plugin FILE]... [--rounds N] [--windows-per-mvm N] [--min-sqnr DB] "
           "[--max-cycles N] "
           "[--record FILE] [--verify] [--timeline FILE] [--from CYCLE] [--to CYCLE] [--heatmap FILE] "
           "[--dump-tensor NODE]... [--mapping-svg FILE] [--placement FILE] [--dump-placement FILE]" +
               usage_of_ablations(),
           "compile a model, or several, for a chip, simulate, check the values, print the report",
           R"(
  MODEL                an ONNX file, or zoo:NAME for a model that Pimento makes itself; several run at the same time on
                       one chip, and their inputs, outputs and nodes are named by model: lenet5/fc1
  --chip CHIP          a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON
  --input FILE         input tensor, .npy or .pb, in the models' order; inputs without a file get seeded normal values
  --numerics NUMERICS  quantised (the default), exact or f32
  --calibrate FILE     input tensor on which value ranges are measured, .npy or .pb, in the model's order; several times
                       the model's inputs are several samples (default: the inputs themselves)
  --calibration METHOD how ranges become scales: min-max (the default), percentile, mse, or adaptive, which also rounds
                       each weight as the outputs need it
  --percentile P       percentile: how many percent of a value's elements do not saturate (default 99.99)
  --timing-only        cycles without values; they are the same cycles
  --lockstep           simulate one cycle at a time: slow, the oracle of the fast mode
  --out FOLDER         write report.json and every output as .npy and .pb
  --json               print JSON instead of tables
  --dim NAME=VALUE     extent of a dynamic dimension of the model; of several, MODEL/NAME=VALUE
  --seed N             of made-up inputs (default 1)
  --images N           a stream: N images one after another; --input N times the model's inputs, image after image, or
                       files whose first dimension holds N images; the report says the steady-state interval
  --optimise GOAL      latency (the default): of one image; throughput: the interval of a stream, whose images overlap
  --plugin FILE        a shared library that defines further operators
)" + help_of_rounds() +
               help_of_windows() +
               R"(  --min-sqnr DB        quantised: the values pass when every output reaches this (default )" +
               fmt::format("{}", validation::default_min_sqnr_db) + R"()
  --max-cycles N       stop there, with status 1
  --record FILE        write the figures of compile and run as JSON, for 'pimento compare'
  --verify             as of 'pimento compile'
  --timeline FILE      write the run as trace events (JSON of Chrome's tracing and Perfetto; compressed when FILE ends in
                       .gz): units, messages and waits over time, named by ONNX node; .svg: a picture, a row per
                       core
  --from CYCLE         of the timeline: only what ends after this core cycle
  --to CYCLE           of the timeline: only what begins before this core cycle
  --heatmap FILE       write a picture of how busy each core's crossbars and each link were
  --dump-tensor NODE   write the values of an ONNX node (or of a value, by name) as VALUE.npy into the folder of --out, else
                       here; they come from a run of its own, whose program also stores them
  --mapping-svg FILE   write a picture of where each layer stands on the chip
  --placement FILE     the user's own mapping: which copies each layer has and where they stand, as --dump-placement
                       writes it
  --dump-placement FILE  write the mapping, for --placement
)" + help_of_ablations() +
               R"(  example: pimento run zoo:lenet5 --chip tiny-4)",
           run);

}  // namespace
}  // namespace pimento::cli
