#pragma once
// How hard the pipeline tries: the mappings that it plans, and those that it falls back on.
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/drivers/pim/schedule/work.hpp"
#include "compiler/drivers/pim/spatial/replicate.hpp"
#include "isa/chip/chip.hpp"

namespace pimento {

/// How freely a mapping may use crossbars (copies) and local memory (rows ahead), and what its spreads are made for.
struct Effort {
  double crossbar_share;
  int rows_ahead;
  pim::SpreadGoal goal{1, 150};
  std::string_view scheduler = pim::default_scheduler;
  int rounds = 1;  ///< how often the crossbars hold other weights
  bool operator==(const Effort&) const = default;
};

/// Where sends wait for their receives, schedules are played through and end when they say (within 0.3 %): all of
/// these are planned, and the one that ends first is made.
inline constexpr std::array rendezvous_plans{Effort{0.6, pim::ample_rows, {1, 150}},
                                             Effort{0.6, pim::ample_rows, {1, 40}},
                                             Effort{0.6, pim::ample_rows, {2, 80}},
                                             Effort{0.6, pim::ample_rows, {4, 80}},
                                             Effort{1.0, pim::ample_rows + 1, {4, 0}, "near"},
                                             Effort{1.0, pim::ample_rows + 1, {4, 0}, "balanced"},
                                             Effort{1.0, pim::ample_rows + 2, {1, 0}, "near"}};
/// Elsewhere messages queue in ways that only a simulation knows.
inline constexpr std::array buffered_plans{Effort{0.6, pim::ample_rows}};
inline std::span<const Effort> plans_for(const isa::Chip& chip) {
  if (chip.network.receive_buffer_messages == 0) return rendezvous_plans;
  return buffered_plans;
}

inline Effort with_rounds(Effort effort, int rounds) {
  effort.rounds = rounds;
  return effort;
}
/// What is planned in so many rounds: all plans in the first number, the first plan in the others.
inline std::vector<Effort> in_rounds(const std::vector<Effort>& plans, const std::vector<int>& rounds) {
  std::vector<Effort> all;
  for (const int r : rounds)
    for (const Effort& effort : std::span(plans).first(r == rounds.front() ? plans.size() : 1))
      all.push_back(with_rounds(effort, r));
  return all;
}

/// When the plan does not fit: ever more frugal ones.
inline constexpr std::array efforts{Effort{0.6, 3}, Effort{0.6, 2}, Effort{0.4, 3}, Effort{0.4, 2}, Effort{0.75, 1},
                                    Effort{0.6, 1}, Effort{0.4, 1}, Effort{0.2, 2}, Effort{0.0, 1}};

}  // namespace pimento
