#include "compiler/pipeline/spills.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/counted.hpp"

namespace pimento {

bool may_spill(const Effort& effort, const Ablations& left_out) {
  return !left_out.no_spills && !effort.overlaps && !effort.spills;
}

void append_spilling(std::vector<Overflowed> full, const Ablations& left_out, std::vector<Effort>& attempts) {
  std::ranges::stable_sort(full, {}, &Overflowed::predicted);
  for (auto& [effort, predicted] : full) {
    if (!may_spill(effort, left_out)) continue;
    effort.spills = true;
    if (std::ranges::find(attempts, effort) == attempts.end()) attempts.push_back(effort);
  }
}

void note_spills(const pim::SpillStatistics& spilled, const std::function<void(const std::string&)>& note,
                 proof::Record& record) {
  if (spilled.cores == 0) {
    record.miss("spills", nothing_spilled);
    record.miss("spill_bytes", nothing_spilled);
    return;
  }
  record.know("spills", spilled.stores + spilled.loads);
  record.know("spill_bytes", spilled.stored + spilled.loaded);
  if (note)
    note(fmt::format("spilled to global memory: {} of {} B and {} of {} B on {}, which take cycles and energy",
                     counted(spilled.stores, "store"), spilled.stored, counted(spilled.loads, "load"), spilled.loaded,
                     counted(spilled.cores, "core")));
}

}  // namespace pimento
