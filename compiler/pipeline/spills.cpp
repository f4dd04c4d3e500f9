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

namespace {

/// Nothing of what was not planned: it is frugal.
std::optional<Cycles> planned_end(const std::vector<Effort>& attempts, std::size_t attempt,
                                  const std::vector<Candidate>& candidates) {
  if (attempt == attempts.size()) return std::nullopt;
  const auto at = std::ranges::find(candidates, attempts[attempt], &Candidate::effort);
  return at == candidates.end() ? std::nullopt : at->end;
}
Effort without_spills(Effort effort) {
  effort.spills = false;
  return effort;
}
/// Predictions are some per cent off.
bool is_clearly_later(Cycles end, Cycles than) { return end > than + than / 20; }

}  // namespace

void keep_overflowed(const Overflowed& one, std::size_t attempt, const std::vector<Candidate>& candidates,
                     const Ablations& left_out, std::vector<Overflowed>& full, std::vector<Effort>& attempts) {
  full.push_back(one);
  if (one.predicted == 0 || !may_spill(one.effort, left_out)) return;
  const std::optional<Cycles> next = planned_end(attempts, attempt + 1, candidates);
  if (next && !is_clearly_later(*next, one.predicted)) return;
  Effort again = one.effort;
  again.spills = true;
  attempts.insert(attempts.begin() + static_cast<std::ptrdiff_t>(attempt) + 1, again);
}

bool spills_too_much(Cycles predicted, std::size_t attempt, const std::vector<Overflowed>& full,
                     const std::vector<Candidate>& candidates, std::vector<Effort>& attempts) {
  Effort& effort = attempts[attempt];
  if (!effort.spills || full.empty() || full.back().effort != without_spills(effort)) return false;
  const std::optional<Cycles> next = planned_end(attempts, attempt + 1, candidates);
  const Cycles without = full.back().predicted;
  if (next ? !is_clearly_later(predicted, *next) : predicted <= without + without / 4) return false;
  effort.spills = false;
  return true;
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
