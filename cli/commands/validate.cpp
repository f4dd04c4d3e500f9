// pimento validate: are the values of compiled and simulated models right?
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "isa/chip/adc.hpp"
#include "isa/support/json.hpp"
#include "isa/support/printable.hpp"
#include "validation/cases/case.hpp"

namespace pimento::cli {
namespace {

void print(const validation::CaseResult& result, const isa::Chip& chip, bool summary, Streams io) {
  if (!result.fault.empty()) io.out << fmt::format("{}: FAILED: {}\n", result.name, printable(result.fault, true));
  for (const validation::CaseResult::Set& set : result.sets) {
    io.out << fmt::format("{} {}: {}, {} cycles\n", result.name, set.name, set.passed() ? "passed" : "FAILED",
                          set.cycles);
    if (!summary || !set.check.passed) io.out << "  " << to_text(set.check);
    if (set.is_integers)
      io.out << fmt::format("  bit for bit the integer reference's: {}\n", *set.is_integers ? "yes" : "NO");
    for (const auto& [range, db] : set.adc_sqnr_db)
      io.out << fmt::format("  with {} ADCs of {} bits, range {}: {}\n", chip.name, chip.core.crossbar.adc.bits, range,
                            db ? fmt::format("SQNR {:.2f} dB", *db) : "exact");
  }
}

nlohmann::ordered_json to_json(const validation::CaseResult& result) {
  nlohmann::ordered_json j{{"case", result.name}, {"passed", result.passed()}, {"fault", result.fault}};
  j["sets"] = nlohmann::ordered_json::array();
  for (const validation::CaseResult::Set& set : result.sets) {
    nlohmann::ordered_json row{{"name", set.name},
                               {"cycles", set.cycles},
                               {"passed", set.passed()},
                               {"reference", set.check.reference},
                               {"criterion", set.check.criterion},
                               {"first_diverging", set.check.diverging}};
    row["outputs"] = nlohmann::ordered_json::array();
    for (const validation::Comparison& c : set.check.outputs)
      row["outputs"].push_back(
          {{"output", c.output},
           {"max_absolute_error", c.max_absolute},
           {"max_relative_error", c.max_relative},
           {"sqnr_db", c.sqnr_db ? nlohmann::ordered_json(*c.sqnr_db) : nlohmann::ordered_json(nullptr)},
           {"differing", c.differing},
           {"writer", c.writer}});
    if (set.is_integers) row["is_integer_reference"] = *set.is_integers;
    for (const auto& [range, db] : set.adc_sqnr_db)
      row["adc_sqnr_db"][range] = db ? nlohmann::ordered_json(*db) : nlohmann::ordered_json(nullptr);
    j["sets"].push_back(row);
  }
  return j;
}

Status validate(const Arguments& a, Streams io) {
  const bool quantised = numerics_of(a) == Numerics::quantised;
  refuse_calibration_in_vain(a);
  refuse_in_vain(a, "min-sqnr", !quantised, "--numerics quantised; others are held to every element");
  refuse_in_vain(a, "adc", !quantised, "--numerics quantised; others do not go through converters");
  refuse_in_vain(a, "integers", numerics_of(a) == Numerics::f32, "--numerics quantised or exact");
  refuse_in_vain(a, "together", a.all("CASE").size() < 2, "several cases");
  load_plugins(a);
  const isa::Chip chip = find_chip(a.text("chip", "pimcomp-144"), io);
  validation::CaseOptions options;
  options.numerics = numerics_of(a);
  options.dimensions = dimensions_of(a);
  options.calibration = calibration_of(a);
  options.calibration_inputs = read_inputs(a.all("calibrate"), options.numerics);
  options.with_integers = a.flag("integers");
  options.with_adc = a.flag("adc");
  if (const auto warning = isa::narrow_adc(chip)) io.err << *warning << "\n";
  options.min_sqnr_db = a.real("min-sqnr", validation::default_min_sqnr_db);
  options.seed = static_cast<std::uint64_t>(a.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  const std::string constants = a.choice("constants", {"none", "integers", "weights", "all"});
  options.constants = constants == "integers"  ? validation::ConstantInputs::integers
                      : constants == "weights" ? validation::ConstantInputs::weights
                      : constants == "all"     ? validation::ConstantInputs::all
                                               : validation::ConstantInputs::none;
  if (a.given("randomise-weights"))
    options.randomise_weights =
        static_cast<std::uint64_t>(a.integer("randomise-weights", 0, 0, std::numeric_limits<std::int64_t>::max()));
  options.note = [io](const std::string& text) { io.err << printable(text, true) << "\n"; };
  int passed = 0;
  int failed = 0;
  Status worst = Status::done;
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> groups;  // on the chip at the same time
  for (const std::string& folder : a.all("CASE"))
    if (a.flag("together") && !groups.empty())
      groups.front().push_back(folder);
    else
      groups.push_back({folder});
  for (const std::vector<std::string>& folders : groups) {
    const validation::CaseResult result = validation::validate_cases(folders, chip, options);
    ++(result.passed() ? passed : failed);
    worst = std::max(worst, result.passed() ? Status::done : std::max(result.status, Status::no));
    if (result.status == Status::bad_input) io.err << printable(result.fault, true) << "\n";
    if (a.flag("json"))
      cases.push_back(to_json(result));
    else
      print(result, chip, a.flag("summary"), io);
    io.out.flush();
  }
  if (a.flag("json"))
    io.out << print_json(nlohmann::ordered_json{{"schema", "pimento.validation"},
                                                {"schema_version", 1},
                                                {"cases", cases},
                                                {"passed", passed},
                                                {"failed", failed}})
           << "\n";
  else
    io.out << fmt::format("{} passed, {} failed\n", passed, failed);
  return worst;
}

SUBCOMMAND("validate",
           "CASE... [--chip CHIP] [--numerics NUMERICS] [--calibrate FILE]... [--calibration METHOD] [--percentile P] "
           "[--min-sqnr DB] [--adc] [--integers] [--dim NAME=VALUE]... [--constants WHICH] [--randomise-weights SEED] "
           "[--seed N] "
           "[--plugin FILE]... [--together] [--summary] [--json]",
           "compile and simulate cases and compare their outputs",
           R"(
  CASE                 a folder with model.onnx and test_data_set_N/{input,output}_I.pb, or zoo:NAME; without such files
                       the inputs are seeded normal values and the outputs are compared with the Eigen reference
  --chip CHIP          a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON (default pimcomp-144)
  --numerics NUMERICS  quantised (the default): passes by SQNR; exact, f32: every element within 1e-4 of the output's
                       absolute maximum
  --calibrate FILE     input tensor on which value ranges are measured, .npy or .pb, in the model's order; several times
                       the model's inputs are several samples (default: the first set's inputs)
  --calibration METHOD how ranges become scales: min-max (the default), percentile, mse, or adaptive, which also rounds
                       each weight as the outputs need it
  --percentile P       percentile: how many percent of a value's elements do not saturate (default 99.99)
  --min-sqnr DB        quantised: the SQNR that every output must reach (default )" +
               fmt::format("{}", validation::default_min_sqnr_db) + R"()
  --integers           also hold every output, bit for bit, to a plain integer execution of the program
  --adc                quantised: also say what the chip's own ADCs leave, over the full scale and with calibrated range
  --dim NAME=VALUE     extent of a dynamic dimension of the models; with --together CASE/NAME=VALUE
  --constants WHICH    inputs of a data set that the compiler knows beforehand: none (the default), integers (shapes, axes),
                       weights (all but the first) or all
  --randomise-weights SEED  draw the weights anew (He's scale, batch norms calibrated) and compare with the Eigen reference
  --seed N             of made-up inputs (default 1)
  --plugin FILE        a shared library that defines further operators
  --together           all cases on the chip at the same time, as one program; names begin with the case's: 'lenet5/fc3'
  --summary            one line per passed case
  --json               print JSON instead
  example: pimento validate zoo:lenet5 --chip tiny-4 --numerics exact --summary)",
           validate);

}  // namespace
}  // namespace pimento::cli
