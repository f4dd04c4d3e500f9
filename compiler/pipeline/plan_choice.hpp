#pragma once
// What is known of the plans that a mapping is chosen from.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/pipeline/efforts.hpp"

namespace pimento {

class PlanChoice {
 public:
  using Spreads = std::vector<pim::Spread>;

  /// When a plan ends that was made alike: other goals, the same spreads. It counts as planned.
  std::optional<Cycles> made_alike(const Effort& effort, const Spreads& spreads) {
    for (const Made& m : made_)
      if (m.spreads == spreads && m.effort.scheduler == effort.scheduler && m.effort.rows_ahead == effort.rows_ahead &&
          m.effort.rounds == effort.rounds) {
        planned_.push_back(m.makespan);
        return m.makespan;
      }
    return {};
  }
  void add(const Effort& effort, Spreads spreads, Cycles makespan) {
    planned_.push_back(makespan);
    made_.push_back({effort, std::move(spreads), makespan});
  }
  /// Of all, in the order in which they were planned.
  const std::vector<std::int64_t>& planned() const { return planned_; }
  /// All but the one that ends first, the one that ends first first.
  std::vector<Effort> next_best() const {
    std::vector<const Made*> ranked;
    for (const Made& m : made_) ranked.push_back(&m);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Made* a, const Made* b) { return a->makespan < b->makespan; });
    std::vector<Effort> found;
    for (std::size_t i = 1; i < ranked.size(); ++i) found.push_back(ranked[i]->effort);
    return found;
  }

 private:
  struct Made {
    Effort effort;
    Spreads spreads;
    Cycles makespan;
  };
  std::vector<Made> made_;
  std::vector<std::int64_t> planned_;
};

}  // namespace pimento
