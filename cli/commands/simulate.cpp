// pimento simulate: a program file on a chip.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/heatmap_svg.hpp"
#include "cli/report/session.hpp"
#include "compiler/pipeline/figures.hpp"
#include "isa/support/file.hpp"

namespace pimento::cli {
namespace {

/// A record takes the run of its own program, on the chip that it was compiled for. A figure that it does not have is
/// one that its version did not count.
void expect_record_of(const isa::Program& program, const isa::Chip& chip, const proof::Record& record,
                      const std::vector<std::string>& other_costs, const std::string& file) {
  proof::Record here = record;
  here.identify(chip);
  std::vector<std::string> differing = proof::changed_keys(record, here);
  if (differing.empty()) differing = other_costs;
  if (!differing.empty())
    throw UserError({.file = file}, fmt::format("a record of another chip: {}", fmt::join(differing, ", ")));
  count_program(program, chip, here);
  for (const auto& [name, value] : here.figures)
    if (const auto at = record.figures.find(name); at != record.figures.end() && at->second != value)
      throw UserError({.file = file}, fmt::format("a record of another program: {} is {} here, {} in the record", name,
                                                  value, at->second));
}

Status simulate(const Arguments& a, Streams io) {
  max_cycles_of(a);  // a wrong one is told before anything takes time
  span_of(a);
  const std::string file = a.text("PROGRAM");
  const isa::peers::FileKind kind = isa::peers::file_kind(file);
  expect_peer_files(a, kind);
  for (const char* option : {"all-keys", "strict-chip"})
    refuse_in_vain(a, option, !a.given("chip") && !a.given("set"), "--chip or --set, another chip than the program's");
  std::optional<proof::Record> record;
  if (a.given("record")) record = proof::read_record(a.input_file("record").string());
  const LoadedProgram loaded = load_program(file, kind, a, io, !a.flag("documented"), true);
  const isa::Program& program = loaded.program;
  const isa::Chip& chip = loaded.chip;
  const std::vector<std::string> other_costs = accept_chip(program, chip, a);
  isa::verify_program(program, chip, file);
  if (record) expect_record_of(program, chip, *record, other_costs, a.text("record"));
  const Run run =
      run_program(program, chip, read_inputs(a.all("input"), program.numerics), a, false, io, loaded.timing_only);
  Report report = make_report(program, chip, run.result);
  report.mode = loaded.timing_only && !a.flag("lockstep") ? "timing only" : mode_of(a);
  report.other_costs = other_costs;
  report.seed = static_cast<std::uint64_t>(a.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  if (record && run.finished()) {
    const proof::Record was = *record;
    validation::add_run(*record, report.result, {}, "the program's file holds no reference");
    for (const char* checked : {"numerical_check_passed", "largest_relative_error"}) {  // of the program, not of a run
      if (const auto at = was.figures.find(checked); at != was.figures.end()) record->know(checked, at->second);
      if (const auto at = was.reals.find(checked); at != was.reals.end()) record->know_real(checked, at->second);
    }
    write_atomically(a.text("record"), proof::to_json(*record));
  }
  if (a.given("out")) write_results(a.text("out"), report, program, run.outputs);
  if (a.given("heatmap")) write_atomically(a.text("heatmap"), heatmap_svg(report.model, chip, run.result));
  io.out << (a.flag("json") ? to_json(report) : to_table(report));
  end_of(run);
  return Status::done;
}

SUBCOMMAND("simulate",
           "PROGRAM [--chip CHIP] [--set KEY=VALUE]... [--input FILE]... [--timing-only] [--lockstep] [--max-cycles N] "
           "[--timeline FILE] [--from CYCLE] [--to CYCLE] [--heatmap FILE] "
           "[--strict-chip] [--all-keys] [--strict] [--documented] [--record FILE] [--out FOLDER] [--json] "
           "[--seed N]",
           "simulate a program file", R"(
  PROGRAM         a program that `pimento compile` or `pimento asm` wrote; or pimsim-nn's: JSON, plain or gzip, or folder
  --chip CHIP     another chip than the program's own: a shipped chip's name, a YAML file, or pimsim-nn's chip file
                  (of a pimsim-nn program: default pimsim-nn-64-as-built)
  --set KEY=VALUE the chip with another value: --set core.window=4
  --input FILE    input tensor, .npy or .pb, in the program's order; inputs without a file get seeded normal values
  --timing-only   cycles without values; they are the same cycles
  --lockstep      simulate one cycle at a time: slow, the oracle of the fast mode
  --max-cycles N  stop there, with status 1
  --timeline FILE write the run as trace events (JSON of Chrome's tracing and Perfetto; compressed when FILE ends in
                  .gz): units, messages and waits over time, named by ONNX node; .svg: a picture, a row per
                  core
  --from CYCLE    of the timeline: only what ends after this core cycle
  --to CYCLE      of the timeline: only what begins before this core cycle
  --heatmap FILE  write a picture of how busy each core's crossbars and each link were
  --strict-chip   refuse a chip with other times than the program was scheduled for
  --all-keys      when a chip cannot run the program: name every key that differs, not only the first three
  --strict        refuse a pimsim-nn program that uses a width before 'setbw' sets it
  --documented    of pimsim-nn's chip file: what its documents say, without the faults of its code
  --record FILE   the record of the program's compile: this run's cycles and energy take the place of those in it
  --out FOLDER    write report.json and every output as .npy and .pb
  --json          print JSON instead of tables
  --seed N        of made-up inputs (default 1)
  example: pimento simulate lenet5.pim --timing-only)",
           simulate);

}  // namespace
}  // namespace pimento::cli
