// pimento compile: a model to a program file.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "compiler/proof/times.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/file.hpp"

namespace pimento::cli {
namespace {

Status compile(const Arguments& a, Streams io) {
  refuse_in_vain(a, "strict", a.text("emit", "program") == "program", "--emit pimsim-nn or pimsim-nn-directory");
  const Models models = find_models(a.all("MODEL"));
  const isa::Chip chip = find_chip(a.text("chip"), io);
  CompileOptions options = compile_options(a, io);
  options.verify = a.flag("verify");
  options.rounds = rounds_of(a);
  options.windows_per_mvm = windows_of(a);
  options.images = images_of(a);
  if (options.calibration_inputs.empty()) {
    options.calibration_samples = calibration_samples_of(options.images);
    options.calibration_inputs = read_inputs(models.inputs, options.numerics);
    options.calibration_source =
        models.files.size() == 1 ? "the inputs that come with the model" : "the inputs that come with the models";
  }
  options.dump_after = a.optional_text("dump-after");
  options.dump = [io](const std::string&, const std::string& text) { io.out << text; };
  take_placement(a, options);
  take_ablations(a, options);
  options.unroll = a.flag("unroll");
  options.throughput = is_throughput(a);
  CompileResult compiled = compile_models(models.files, chip, options);
  compiled.record.model = models.name;
  const std::string record = a.given("record") ? proof::to_json(compiled.record) : std::string();
  write_program_as(a.choice("emit", {"program", "pimsim-nn", "pimsim-nn-directory"}), compiled.program, chip,
                   a.text("o"), a, io);
  if (a.given("record")) write_atomically(a.text("record"), record);
  write_placement(a, compiled);
  if (a.flag("time-passes")) io.err << proof::time_table(compiled.record);
  std::size_t instructions = 0;
  for (const isa::CoreProgram& core : compiled.program.cores) instructions += core.instructions.size();
  io.err << fmt::format("{}: {} on {}\n", a.text("o"), counted(instructions, "instruction"),
                        counted(compiled.program.cores.size(), "core"));
  return Status::done;
}

SUBCOMMAND(
    "compile",
    "MODEL... --chip CHIP -o FILE [--numerics NUMERICS] [--calibrate FILE]... [--calibration METHOD] [--percentile "
    "P] [--dim NAME=VALUE]... [--seed N] "
    "[--plugin FILE]... [--rounds N] [--windows-per-mvm N] [--images N] [--optimise GOAL] "
    "[--record FILE] [--time-passes] [--verify] [--dump-after STAGE] [--unroll] [--emit FORM] [--strict] "
    "[--placement FILE] [--dump-placement FILE]" +
        usage_of_ablations(),
    "compile a model, or several on one chip, into a program file",
    R"(
  MODEL                an ONNX file, or zoo:NAME; several run at the same time on one chip, and their inputs, outputs
                       and nodes are named by model: lenet5/fc1
  --chip CHIP          a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON
  -o FILE              the program
  --numerics NUMERICS  quantised (the default), exact or f32
  --calibrate FILE     input tensor on which value ranges are measured, .npy or .pb, in the model's order; several times
                       the model's inputs are several samples; otherwise the model's own ranges, or seeded values
  --calibration METHOD how ranges become scales: min-max (the default), percentile, mse, or adaptive, which also rounds
                       each weight as the outputs need it
  --percentile P       percentile: how many percent of a value's elements do not saturate (default 99.99)
  --dim NAME=VALUE     extent of a dynamic dimension of the model; of several, MODEL/NAME=VALUE
  --seed N             of made-up inputs (default 1)
  --plugin FILE        a shared library that defines further operators
)" + help_of_rounds() +
        help_of_windows() +
        R"(  --images N           a stream: the program takes N images one after another, inputs and outputs of each for itself
  --optimise GOAL      latency (the default): of one image; throughput: the interval of a stream, whose images overlap
  --record FILE        write the figures of this compile as JSON
  --time-passes        say where the compile's time went, by stage and pass (the record has the same as cpu_s, wall_s)
  --verify             hold every stage to the first law: no trade of lanes, granularity, order, copies or instructions
                       for compile time; one that is made is named, status 1
  --dump-after STAGE   print the program as it stands after that stage
  --unroll             emit no loops: same contacts, same values, many more instructions
  --emit FORM          program (the default), or, for pimsim-nn: pimsim-nn (JSON; packed when FILE is named *.gz) or
                       pimsim-nn-directory. What that instruction set lacks is refused by node; it computes no values
                       and has no scales, so what scales is emitted with its time only, and a warning says so
  --strict             --emit pimsim-nn: refuse what scales
  --placement FILE     the user's own mapping: which copies each layer has and where they stand, as --dump-placement
                       writes it
  --dump-placement FILE  write the mapping, for --placement
)" + help_of_ablations() +
        R"(  example: pimento compile zoo:lenet5 --chip pimsim-nn-64 -o lenet5.pim)",
    compile);

}  // namespace
}  // namespace pimento::cli
