#pragma once
// Models that fit no core's local memory: which mappings are made with spills, and what is said of them.
#include <functional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/emit/spill.hpp"
#include "compiler/pipeline/ablations.hpp"
#include "compiler/pipeline/plan_choice.hpp"
#include "compiler/proof/record.hpp"

namespace pimento {

/// Whether a mapping that has not spilled may.
bool may_spill(const Effort& effort, const Ablations& left_out);
/// A mapping that overflowed local memory, and when it would have ended (of a stream: 0).
struct Overflowed {
  Effort effort;
  Cycles predicted = 0;
};
/// The same with spills, those that may: what would have ended first comes first, since spills cost less than what
/// frugal mappings leave out.
void append_spilling(std::vector<Overflowed> full, const Ablations& left_out, std::vector<Effort>& attempts);

/// Keeps a mapping that overflowed. It is tried again with spills before what follows it in `attempts`, where that is
/// predicted to end clearly later, or is frugal and of an end that nobody knows.
void keep_overflowed(const Overflowed& one, std::size_t attempt, const std::vector<Candidate>& candidates,
                     const Ablations& left_out, std::vector<Overflowed>& full, std::vector<Effort>& attempts);
/// Whether the attempt that spills, right after it overflowed without, is predicted to end later than what follows it,
/// or so much later than without spills that a frugal mapping may be better. If so it counts as not tried:
/// append_spilling may ask for it again, and then it is taken.
bool spills_too_much(Cycles predicted, std::size_t attempt, const std::vector<Overflowed>& full,
                     const std::vector<Candidate>& candidates, std::vector<Effort>& attempts);

/// Why a record has no figure of spills.
inline constexpr const char* nothing_spilled = "every value stays in local memory";
/// Of a program that spills so much of each image, for the record and the user.
void note_spills(const pim::SpillStatistics& spilled, const std::function<void(const std::string&)>& note,
                 proof::Record& record);

}  // namespace pimento
