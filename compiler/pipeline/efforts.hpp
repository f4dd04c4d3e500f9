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
  double crossbar_share = 0;
  int rows_ahead = 0;
  pim::SpreadGoal goal{1, 150};
  std::string_view scheduler = pim::default_scheduler;
  int rounds = 1;           ///< how often the crossbars hold other weights
  bool one_window = false;  ///< one position per MVM, where several may share one
  bool overlaps = false;    ///< the images of a stream do; the interval counts
  pim::Roaming roaming = 0;
  bool spills = false;  ///< what waits for long and does not fit local memory waits in global memory
  int short_ways = 0;   ///< see make_schedule
  bool operator==(const Effort&) const = default;
};

/// Where sends wait for their receives, schedules are played through and end when they say: all of these are planned,
/// and the one that ends first is made. What counts is how few meetings a row has, and how soon a core is free for one:
/// the plans that cut no rows into pieces are what is left of those that did best together on the zoo, of 96; the
/// others did so beside them, of some 400.
inline constexpr std::array rendezvous_plans{Effort{0.6, pim::ample_rows, {1, 0}, "balanced"},
                                             Effort{0.9, pim::ample_rows, {1.5, 20, 0, 1, 1024, 1}, "balanced"},
                                             Effort{0.8, pim::ample_rows, {1, 40, 0, 1, 1024, 1}, "balanced"},
                                             Effort{0.7, pim::ample_rows, {1, 150, 0, 1, 2048, 1}, "load"},
                                             Effort{0.9, pim::ample_rows, {1.5, 80, 0, 1, 2048, 1}, "balanced"},
                                             Effort{1.0, pim::ample_rows, {1.5, 80, 0, 1, 2048, 1}, "balanced"},
                                             Effort{0.9, pim::ample_rows + 2, {0.5, 20, 0, 1, 1024, 1}, "balanced"},
                                             Effort{1.0, pim::ample_rows, {8, 150, 0, 1, 0, 2}, "near"},
                                             Effort{0.6, pim::ample_rows, {2, 40, 0, 1, 4096, 3}, "load"},
                                             Effort{0.6, pim::ample_rows + 2, {1, 0}, "round-robin"},
                                             Effort{0.6, pim::ample_rows, {4, 0}, "round-robin"},
                                             Effort{1.0, pim::ample_rows, {8, 0}, "balanced"},
                                             Effort{1.0, pim::ample_rows, {1, 0, 0, 1, 4096}, "peft"}};
/// The same with one window, where the work of all cores counts most.
inline constexpr std::array one_window_plans{Effort{0.6, pim::ample_rows, {1, 150}},
                                             Effort{0.6, pim::ample_rows, {1, 40}},
                                             Effort{0.6, pim::ample_rows, {2, 80}},
                                             Effort{0.6, pim::ample_rows, {4, 80}},
                                             Effort{1.0, pim::ample_rows + 1, {4, 0}, "near"},
                                             Effort{1.0, pim::ample_rows + 1, {4, 0}, "balanced"},
                                             Effort{1.0, pim::ample_rows + 2, {1, 0}, "near"}};
/// Elsewhere messages queue in ways that a schedule does not know, and its steps are played through. MVMs are short
/// there: what several windows add to reads, writes and partial sums may be more than they save. Partial sums are much
/// of the work, and how finely they are sliced decides how long they queue before one core.
inline constexpr std::array buffered_plans{Effort{0.6, pim::ample_rows},
                                           Effort{0.6, pim::ample_rows, {1, 150}, "round-robin"},
                                           Effort{0.6, pim::ample_rows, {1, 150}, "peft", 1, true},
                                           Effort{0.6, pim::ample_rows, {1, 150}, "round-robin", 1, true},
                                           Effort{1.0, pim::ample_rows, {1, 40, 0, 1, 1024}, "peft"},
                                           Effort{1.0, pim::ample_rows, {1, 0, 0, 1, 256}, "peft", 1, true},
                                           Effort{0.6, pim::ample_rows, {1, 150, 0, 1, 2048}, "peft"},
                                           Effort{0.6, pim::ample_rows, {1, 0, 0, 1, 1024}, "round-robin"},
                                           Effort{1.0, pim::ample_rows, {1, 150, 0, 1, 512}, "peft", 1, true},
                                           Effort{1.0, pim::ample_rows, {1, 1000, 0, 1, 2048}, "peft"},
                                           Effort{1.0, pim::ample_rows, {1, 1000, 0, 1, 2048}, "peft", 1, true},
                                           Effort{1.0, pim::ample_rows, {4, 150, 0, 1, 512}, "peft"}};
/// For the interval of a stream, small pieces balance better: all of these are planned, and the one of the shortest
/// predicted interval is made.
inline constexpr std::array throughput_plans{Effort{0.6, pim::ample_rows, {2, 80}, "peft", 1, false, true},
                                             Effort{0.6, pim::ample_rows, {2, 80}, "peft", 1, true, true},
                                             Effort{1.0, pim::ample_rows + 1, {0, 0, 0, 1}, "near", 1, false, true},
                                             Effort{1.0, pim::ample_rows + 1, {0, 0, 0, 0.5}, "near", 1, false, true},
                                             Effort{1.0, pim::ample_rows + 1, {0, 0, 0, 0.35}, "near", 1, false, true},
                                             Effort{1.0, pim::ample_rows + 1, {0, 0, 0, 0.25}, "near", 1, false, true},
                                             Effort{1.0, pim::ample_rows + 1, {0, 0, 0, 0.125}, "near", 1, false, true},
                                             Effort{1.0, pim::ample_rows + 1, {4, 0}, "near", 1, false, true}};
/// `windows_per_mvm`: of CompileOptions.
inline std::span<const Effort> plans_for(const isa::Chip& chip, int windows_per_mvm, bool throughput) {
  if (throughput) return throughput_plans;
  if (chip.network.receive_buffer_messages > 0) return buffered_plans;
  if (windows_per_mvm == 1) return one_window_plans;
  return rendezvous_plans;
}

inline Effort with_rounds(Effort effort, int rounds) {
  effort.rounds = rounds;
  return effort;
}
/// What is planned in so many rounds: all plans in the first number, the first plan in the others. Where crossbars are
/// written while the program runs, copies are few and rows long: to cut them into pieces takes more than it saves.
inline std::vector<Effort> in_rounds(const std::vector<Effort>& plans, const std::vector<int>& rounds) {
  std::vector<Effort> all;
  for (const int r : rounds)
    for (const Effort& effort : std::span(plans).first(r == rounds.front() ? plans.size() : 1))
      if (r == 1 || effort.goal.piece_mvms == 0) all.push_back(with_rounds(effort, r));
  return all;
}

/// So many plans, the first to end first, are given other schedules where they have few computes: trying all takes well
/// under a second.
inline constexpr std::size_t plans_to_improve = 4, most_computes_of_small = 5000;

/// When the plan does not fit: ever more frugal ones.
inline constexpr std::array efforts{Effort{0.6, 3}, Effort{0.6, 2}, Effort{0.4, 3}, Effort{0.4, 2}, Effort{0.75, 1},
                                    Effort{0.6, 1}, Effort{0.4, 1}, Effort{0.2, 2}, Effort{0.0, 1}};

}  // namespace pimento
