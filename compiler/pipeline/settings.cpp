#include "compiler/pipeline/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compiler/pipeline/calibrate.hpp"
#include "compiler/pipeline/rounds.hpp"
#include "isa/cost/cost.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/json.hpp"

namespace pimento {

std::string source_of_ranges(const ir::Graph& graph, const CompileOptions& options) {
  if (options.numerics == Numerics::f32) return "none: 4-byte floats";
  const auto samples = static_cast<std::size_t>(options.calibration_samples);
  if (options.calibration_inputs.empty())
    return has_recorded_ranges(graph) ? "recorded in the model"
                                      : fmt::format("seeded normal inputs, seed {}{}", options.seed,
                                                    samples == 1 ? "" : fmt::format(", {} samples", samples));
  const std::size_t given = options.calibration_inputs.size();
  const std::size_t made_up = std::max(given, samples * graph.inputs.size()) - given;
  return fmt::format("measured on {}: {}{}", counted(given, "tensor"), options.calibration_source,
                     made_up == 0 ? "" : fmt::format(", and {} made up", made_up));
}

void sign(isa::Program& program, const proof::Record& record, const isa::Chip& chip, const CompileOptions& options) {
  program.producer = "pimento " PIMENTO_VERSION;
  program.model = record.model;
  program.model_fingerprint = record.model_fingerprint;
  program.numerics = options.numerics;
  program.chip_name = chip.name;
  program.chip_yaml = chip.yaml;
  program.chip = chip.fingerprints;
  for (const std::string& key : isa::cost::schedule_keys())
    program.schedule_cost_keys.push_back(key + "=" + isa::key_value(chip, key));
  add_cost_key_of_rounds(program, chip);
}

std::string settings_json(const CompileOptions& options, const Settings& s) {
  nlohmann::ordered_json dimensions = nlohmann::ordered_json::object();
  for (const auto& [name, extent] : options.dimensions) dimensions[name] = extent;
  nlohmann::ordered_json j{
      {"pimento", PIMENTO_VERSION},
      {"numerics", to_string(options.numerics)},
      {"ranges", s.ranges},
      {"calibration", to_string(options.calibration.kind)},
      {"seed", options.seed},
      {"rounds", s.effort.rounds},
      {"windows_per_mvm", s.attempt == 0                 ? nlohmann::ordered_json("given")
                          : options.windows_per_mvm == 0 ? nlohmann::ordered_json("auto")
                                                         : nlohmann::ordered_json(options.windows_per_mvm)},
      {"mapping", s.attempt == 0 ? nlohmann::ordered_json("given") : nlohmann::ordered_json(s.attempt)},
      {"scheduler", s.attempt == 0 ? nlohmann::ordered_json("given") : nlohmann::ordered_json(s.effort.scheduler)},
      {"left_out", left_out(options.ablations)},
      {"crossbar_share_percent", std::lround(100 * s.effort.crossbar_share)},
      {"rows_ahead", s.effort.rows_ahead},
      {"roaming", s.effort.roaming},
      {"short_ways", s.effort.short_ways},
      {"unrolled", s.unrolled},
      {"dimensions", dimensions},
      {"program_format", isa::format_version_of(options.images)},
      {"record_schema", proof::record_schema_version}};
  if (!options.models.empty()) j["models"] = options.models;
  if (options.images != 1) j["images"] = options.images;
  if (options.throughput) j["optimise"] = "throughput";
  if (s.spilled.cores > 0)
    j["spills"] = {{"stores", s.spilled.stores},
                   {"bytes_stored", s.spilled.stored},
                   {"loads", s.spilled.loads},
                   {"bytes_loaded", s.spilled.loaded},
                   {"cores", s.spilled.cores}};
  return print_json(j);
}

}  // namespace pimento
