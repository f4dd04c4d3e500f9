#pragma once
// The effective settings of one compile: what was asked for, what was assumed, and which mapping was taken in the end.
// They travel with the program (Program::settings_json) and stand in the record and in every report.
#include <string>

#include "compiler/drivers/pim/emit/spill.hpp"
#include "compiler/pipeline/compile.hpp"
#include "compiler/pipeline/efforts.hpp"

namespace pimento {

struct Settings {
  std::string ranges;  ///< where the ranges of quantisation come from
  int attempt = 0;     ///< mappings tried, the one that fitted included; 0: the user gave the mapping
  Effort effort;       ///< that it was made with
  bool unrolled = false;
  pim::SpillStatistics spilled;
};
/// "recorded in the model", "seeded normal inputs, seed 7", "measured on 2 tensors: the evaluated inputs".
/// `graph` is the one whose values are quantised.
std::string source_of_ranges(const ir::Graph& graph, const CompileOptions& options);
/// What a program says of itself: its maker, model and chip, and the costs that its schedule went by.
void sign(isa::Program& program, const proof::Record& record, const isa::Chip& chip, const CompileOptions& options);
std::string settings_json(const CompileOptions& options, const Settings& settings);

}  // namespace pimento
