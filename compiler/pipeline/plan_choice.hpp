#pragma once
// What is known of the plans that a mapping is chosen from.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/lower/operations.hpp"
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
  std::optional<std::string> dump;            ///< of a stage up to here, if it is wanted
  std::optional<pim::Operations> operations;  ///< once they are selected: no schedule changes them
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

/// The effort with what another makes its schedule with, once the mapping is there.
inline Effort scheduled_as(Effort effort, const Effort& other) {
  effort.scheduler = other.scheduler;
  effort.rows_ahead = other.rows_ahead;
  effort.roaming = other.roaming;
  effort.short_ways = other.short_ways;
  return effort;
}

/// A plan that may be made, and what became of it.
struct Candidate {
  Effort effort;
  std::vector<pim::Spread> spreads;  ///< where there is a choice
  std::optional<Cycles> end;         ///< nothing: it does not fit
  std::string why;                   ///< then
  bool is_made = false;              ///< else it ends as one that was made alike

  /// How layers are cut into rounds follows from the goal as well as from the spreads.
  bool maps_like(const Candidate& other) const {
    if (effort.rounds != other.effort.rounds || spreads != other.spreads) return false;
    return effort.rounds == 1 || scheduled_as(effort, other.effort) == other.effort;
  }
  /// Another goal, the same plan.
  bool plans_like(const Candidate& other) const {
    return maps_like(other) && scheduled_as(effort, other.effort) == effort;
  }
};

/// Throws DoesNotFit.
using SpreadsOf = std::function<std::vector<pim::Spread>(const Effort&)>;
/// What may be planned; of several, with their spreads.
std::vector<Candidate> candidates_of(const std::vector<Effort>& wanted, const SpreadsOf& spreads_of);

/// The plan with that effort and that mapping, if there is one already; throws DoesNotFit.
using MakePlan = std::function<Plan(const Effort&, std::shared_ptr<Mapped>)>;

/// Makes the candidates without a reason not to, and returns the one that ends first by `end_of`; nothing when none
/// fits. What maps alike is made after each other, so that one mapping is kept at a time: all would take much memory.
std::optional<Plan> first_to_end(std::vector<Candidate>& candidates, const MakePlan& make,
                                 const std::function<Cycles(const Placed&)>& end_of);
/// Gives the best plan another schedule where `improves` finds one, and so those next to it, as many as
/// plans_to_improve says: what ends first then is not always what ended first before. `best` becomes that; returns the
/// efforts of what it and its forerunners were before.
std::vector<Effort> improved(Plan& best, const std::vector<Effort>& next_best,
                             const std::function<bool(Plan&)>& improves, const std::function<Plan(const Effort&)>& make,
                             const std::function<Cycles(const Placed&)>& end_of);
/// Whether an effort makes the mapping of another, by what is known of the candidates.
bool map_alike(const std::vector<Candidate>& candidates, const Effort& one, const Effort& other);
/// The efforts of those that were made, the first to end first and without it.
std::vector<Effort> behind_the_best(const std::vector<Candidate>& candidates);

}  // namespace pimento
