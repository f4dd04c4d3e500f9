#pragma once
// What a run adds to the record of a compile: cycles, energy and whether the values were right.
#include <optional>
#include <string>
#include <vector>

#include "compiler/proof/record.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/check.hpp"

namespace pimento::validation {

/// One component of the energy account.
struct EnergyPart {
  std::string component;
  Picojoules known = 0;
  std::vector<std::string> unknown;  ///< chip keys that nobody gave, where their events occurred
};
std::vector<EnergyPart> energy_of(const sim::Result& result);
Picojoules known_energy(const std::vector<EnergyPart>& parts);
bool is_complete(const std::vector<EnergyPart>& parts);

/// Without a check, `unchecked` says why no values were compared.
void add_run(proof::Record& record, const sim::Result& result, const std::optional<NumericalCheck>& check,
             const std::string& unchecked = "a run for timing only computes no values");

}  // namespace pimento::validation
