#include "validation/cases/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/pipeline/figures.hpp"
#include "isa/cost/timing_model.hpp"
#include "simulator/observe/interval.hpp"

namespace pimento::validation {

std::vector<EnergyPart> energy_of(const sim::Result& result) {
  std::vector<EnergyPart> parts;
  for (const sim::EnergyEntry& entry : result.energy) {
    auto part =
        std::find_if(parts.begin(), parts.end(), [&](const EnergyPart& p) { return p.component == entry.component; });
    if (part == parts.end()) part = parts.insert(parts.end(), {entry.component, 0, {}});
    if (entry.per_event)
      part->known += *entry.per_event * static_cast<double>(entry.count);
    else if (entry.count != 0)
      part->unknown.push_back(entry.key);
  }
  return parts;
}
Picojoules known_energy(const std::vector<EnergyPart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const EnergyPart& p) { return sum + p.known; });
}
bool is_complete(const std::vector<EnergyPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const EnergyPart& p) { return p.unknown.empty(); });
}

void add_run(proof::Record& record, const sim::Result& result, const std::optional<NumericalCheck>& check,
             const std::string& unchecked) {
  record.know("timing_model", isa::cost::timing_model);
  record.know("simulated_cycles", result.cycles);
  record.know("simulated_time_fs", result.time_fs);
  const auto stages = record.figures.find("stages");
  const auto images = static_cast<std::int64_t>(result.image_ends.size());
  const std::optional<double> interval = sim::steady_interval(result);
  if (images > 1 && !interval)
    record.miss("interval_cycles", "images do not come evenly yet: more images show the steady state");
  else if (stages != record.figures.end() && stages->second > 1 && images < 2 * stages->second + 2)
    record.miss("interval_cycles", "too few images for a steady state: twice the stages and 2 are needed");
  else if (interval)
    record.know_real("interval_cycles", *interval);
  else
    record.miss("interval_cycles", one_image);
  const std::vector<EnergyPart> energy = energy_of(result);
  const Picojoules known = known_energy(energy);
  record.know("energy_complete", is_complete(energy) ? 1 : 0);
  if (known > 0 || is_complete(energy))
    record.know_real("energy_known_pj", known);
  else
    record.miss("energy_known_pj", "the chip gives no energy for what happened");
  if (!check) {
    for (const char* name : {"numerical_check_passed", "largest_relative_error"}) record.miss(name, unchecked);
    return;
  }
  record.know("numerical_check_passed", check->passed ? 1 : 0);
  double worst = 0;
  for (const Comparison& c : check->outputs) worst = std::max(worst, c.max_relative);
  if (std::isfinite(worst))
    record.know_real("largest_relative_error", worst);
  else
    record.miss("largest_relative_error", "an output that should be 0 everywhere is not, or is not finite");
}

}  // namespace pimento::validation
