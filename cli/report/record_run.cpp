#include <algorithm>
#include <cmath>

#include "cli/report/report.hpp"

namespace pimento::cli {

void add_run(proof::Record& record, const Report& report) {
  record.know("simulated_cycles", report.result.cycles);
  record.know("simulated_time_fs", report.result.time_fs);
  record.know("energy_complete", report.energy_complete() ? 1 : 0);
  if (report.energy_known() > 0 || report.energy_complete())
    record.know_real("energy_known_pj", report.energy_known());
  else
    record.absent["energy_known_pj"] = "the chip gives no energy for what happened";
  if (!report.check) {
    for (const char* name : {"numerical_check_passed", "largest_relative_error"})
      record.absent[name] = "a run for timing only computes no values";
    return;
  }
  record.know("numerical_check_passed", report.check->passed ? 1 : 0);
  double worst = 0;
  for (const validation::Comparison& c : report.check->outputs) worst = std::max(worst, c.max_relative);
  if (std::isfinite(worst))
    record.know_real("largest_relative_error", worst);
  else
    record.absent["largest_relative_error"] = "an output that should be 0 everywhere is not, or is not finite";
}

}  // namespace pimento::cli
