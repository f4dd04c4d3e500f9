#pragma once
// The effective settings of one compile: what was asked for, what was assumed, and which mapping was taken in the end.
// They travel with the program (Program::settings_json) and stand in the record and in every report.
#include <string>
#include <string_view>

#include "compiler/pipeline/compile.hpp"

namespace pimento {

struct Settings {
  std::string ranges;        ///< where the ranges of quantisation come from
  int attempt = 0;           ///< mappings tried, the one that fitted included; 0: the user gave the mapping
  int crossbar_percent = 0;  ///< share of the crossbars that copies may fill
  bool unrolled = false;
  int rows_ahead = 0;          ///< how far a producer may run ahead
  std::string_view scheduler;  ///< that placed the weights
  int rounds = 1;              ///< how often the crossbars hold other weights
};
/// "recorded in the model", "seeded normal inputs, seed 7", "measured on 2 tensors: the evaluated inputs".
/// `graph` is the one whose values are quantised.
std::string source_of_ranges(const ir::Graph& graph, const CompileOptions& options);
std::string settings_json(const CompileOptions& options, const Settings& settings);

}  // namespace pimento
