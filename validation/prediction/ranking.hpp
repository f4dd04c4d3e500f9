#pragma once
// Ten schedules of one small model on one small chip, predicted and simulated.
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::validation {

inline constexpr std::uint64_t small_chips = 50;  ///< seeds 1 .. 50
inline constexpr double least_tau = 0.8;          ///< on each
inline constexpr double mean_tau = 0.95;          ///< over them
inline constexpr double least_agreement = 0.85;   ///< on each, over the pairs that clearly differ
inline constexpr double clear_difference = 0.01;
inline constexpr double most_deviation = 0.10;  ///< of the prediction on the zoo
inline constexpr double most_deviation_on_golden_chips = 0.02;
/// Chips and networks of the zoo on which predictions are compared; not every network fits every chip.
std::vector<std::string> predicted_chips();
std::vector<std::string> predicted_networks();
/// One of the three whose records the golden runs hold.
bool is_golden_chip(const std::string& name);

struct RankedSchedule {
  std::string name;
  Cycles predicted = 0, simulated = 0;
  /// Predicted to simulated.
  double ratio() const { return static_cast<double>(predicted) / static_cast<double>(simulated); }
};
struct Ranking {
  std::string chip;  ///< what is special about it, in words
  std::vector<RankedSchedule> schedules;
  /// Of all pairs.
  std::optional<double> tau() const;
  /// Kendall's tau over the pairs whose simulated cycles differ by more than `clear_difference`, if there are any.
  std::optional<double> agreement() const;
  std::int64_t clear_pairs() const;
};
/// The mapping with its cores renamed: all cores are alike, so it fits as before. Of none: none.
std::string permuted(const std::string& placement, int cores, std::uint64_t seed);
/// Compiles and runs without values; nothing when it does not fit.
std::optional<RankedSchedule> predict_and_simulate(const ir::Graph& graph, const isa::Chip& chip,
                                                   CompileOptions options = {}, std::string* placement = nullptr);
/// Schedulers, parts left out, and the cores of the default mapping permuted. What does not fit is left out.
Ranking rank_schedules(std::uint64_t seed);

}  // namespace pimento::validation
