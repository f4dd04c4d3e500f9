#pragma once
// What each rule of a chip (section `rules`) does to the cycles of one program.
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"

namespace pimento::validation {

struct RuleStep {
  std::string rule, from, to;  ///< `to` is what a chip without the section has
  Cycles alone = 0;            ///< cycles that the program loses when only this rule is taken away
  Cycles step = 0;             ///< the same when those above it are gone already
};

struct RuleTable {
  Cycles with_rules = 0, without = 0;
  std::vector<RuleStep> steps;  ///< their `step`s add up to with_rules - without
};

/// Rules that the chip does not set have no row. Throws Negative when a run does not end.
RuleTable rule_table(const isa::Program& program, const isa::Chip& chip);
std::string print(const RuleTable& table);

}  // namespace pimento::validation
