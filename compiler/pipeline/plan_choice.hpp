#pragma once
// What is known of the plans that a mapping is chosen from.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/drivers/pim/lower/select.hpp"
#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "compiler/pipeline/efforts.hpp"
#include "compiler/proof/record.hpp"

namespace pimento {

/// A graph on the chip, not yet in time: what plans with the same spreads share.
struct Mapped {
  pim::ConstantPool pool;
  pim::Spatial spatial;
  Cycles best_interval = 0;                ///< see replicate.hpp
  std::vector<proof::StageRecord> stages;  ///< how it came about
  std::map<std::string, std::int64_t> figures;
  std::optional<std::string> dump;  ///< of a stage up to here, if it is wanted
};
struct Placed {
  std::shared_ptr<Mapped> mapped;
  pim::Schedule schedule;
  int rows_ahead = 1;
  const pim::Spatial& spatial() const { return mapped->spatial; }
};
struct Plan {
  Effort effort;
  Placed placed;
  std::vector<proof::StageRecord> stages;
  std::map<std::string, std::int64_t> figures;
  std::optional<std::string> dump;
  std::vector<std::int64_t> planned;  ///< predicted cycles of all that it was chosen from
};

class PlanChoice {
 public:
  using Spreads = std::vector<pim::Spread>;

  /// Whether a plan was made alike: another goal, the same spreads. It counts as planned.
  bool made_alike(const Effort& effort, const Spreads& spreads) {
    for (const Made& m : made_)
      if (maps_alike(m, effort, spreads) && m.effort.scheduler == effort.scheduler &&
          m.effort.rows_ahead == effort.rows_ahead && m.effort.roaming == effort.roaming) {
        planned_.push_back(m.end);
        return true;
      }
    return false;
  }
  /// The mapping of the last plan, if this one would make the same. (All of them would take much memory.)
  std::shared_ptr<Mapped> mapped_alike(const Effort& effort, const Spreads& spreads) const {
    return !made_.empty() && maps_alike(made_.back(), effort, spreads) ? made_.back().mapped : nullptr;
  }
  void add(const Effort& effort, Spreads spreads, const Placed& placed, Cycles end) {
    if (!made_.empty()) made_.back().mapped.reset();
    planned_.push_back(end);
    made_.push_back({effort, std::move(spreads), end, placed.mapped});
  }
  /// Of all, in the order in which they were planned.
  const std::vector<std::int64_t>& planned() const { return planned_; }
  /// All but the best, the best of them first.
  std::vector<Effort> next_best() const {
    std::vector<const Made*> ranked;
    for (const Made& m : made_) ranked.push_back(&m);
    std::stable_sort(ranked.begin(), ranked.end(), [](const Made* a, const Made* b) { return a->end < b->end; });
    std::vector<Effort> found;
    for (std::size_t i = 1; i < ranked.size(); ++i) found.push_back(ranked[i]->effort);
    return found;
  }

 private:
  struct Made {
    Effort effort;
    Spreads spreads;
    Cycles end;
    std::shared_ptr<Mapped> mapped;
  };
  /// How layers are cut into rounds follows from the goal as well as from the spreads.
  static bool maps_alike(const Made& m, const Effort& effort, const Spreads& spreads) {
    return effort.rounds == 1 && m.effort.rounds == 1 && m.spreads == spreads;
  }
  std::vector<Made> made_;
  std::vector<std::int64_t> planned_;
};

}  // namespace pimento
