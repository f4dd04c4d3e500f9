#pragma once
// What a compile leaves out on request, to see what it is worth: a row per part. The command line, the effective
// settings and validation/bench read the rows.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline/efforts.hpp"
#include "isa/chip/chip.hpp"

namespace pimento {

struct CompileOptions;

struct Ablations {
  std::string scheduler{};  ///< a name of schedule/schedulers.hpp; empty: each plan's own
  bool no_replicate = false;
  bool no_merge = false;
  bool no_multicast = false;
  bool no_run_ahead = false;
  bool no_pipeline = false;
  bool no_choice = false;
  bool no_roaming = false;
  bool no_spills = false;
};

struct Ablation {
  std::string_view name;  ///< of the option, without its dashes
  bool Ablations::*part;
  std::string_view text;
  bool of_the_mapping;  ///< meaningless where the user gives the mapping
  /// Why it changes nothing on this chip (empty: it may); none: it always may.
  std::string (*moot)(const isa::Chip& chip);
};
const std::vector<Ablation>& ablations();
/// The names of what is left out, in the order of the rows.
std::vector<std::string> left_out(const Ablations& without);
/// Throws UserError for an unknown scheduler, and for what changes nothing on this chip or beside a given mapping.
void check_ablations(const CompileOptions& options, const isa::Chip& chip);

/// What an effort is when parts are left out.
Effort without(const Ablations& left_out, Effort effort);
/// plans_for and efforts so; those that come out alike once. For throughput, efforts whose images overlap come first.
std::vector<Effort> plans_without(const CompileOptions& options, const isa::Chip& chip);
std::vector<Effort> efforts_without(const CompileOptions& options);

}  // namespace pimento
