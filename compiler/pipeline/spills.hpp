#pragma once
// Models that fit no core's local memory: which mappings are made with spills, and what is said of them.
#include <functional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/emit/spill.hpp"
#include "compiler/pipeline/ablations.hpp"
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

/// Why a record has no figure of spills.
inline constexpr const char* nothing_spilled = "every value stays in local memory";
/// Of a program that spills so much of each image, for the record and the user.
void note_spills(const pim::SpillStatistics& spilled, const std::function<void(const std::string&)>& note,
                 proof::Record& record);

}  // namespace pimento
