#include "compiler/pipeline/plan_choice.hpp"

#include <algorithm>
#include <utility>

#include "compiler/drivers/pim/spatial/no_room.hpp"

namespace pimento {
namespace {

/// Places of those that may fit, those that map alike together.
std::vector<std::vector<std::size_t>> by_mapping(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].why.empty()) continue;
    const auto alike = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
      return candidates[group.front()].maps_like(candidates[i]);
    });
    if (alike == groups.end())
      groups.push_back({i});
    else
      alike->push_back(i);
  }
  return groups;
}

const Candidate* made_alike(const std::vector<Candidate>& candidates, const Candidate& wanted) {
  const auto at = std::find_if(candidates.begin(), candidates.end(),
                               [&](const Candidate& c) { return c.is_made && c.plans_like(wanted); });
  return at == candidates.end() ? nullptr : &*at;
}

}  // namespace

std::vector<Candidate> candidates_of(const std::vector<Effort>& wanted, const SpreadsOf& spreads_of) {
  std::vector<Candidate> candidates;
  for (const Effort& effort : wanted) candidates.push_back({effort, {}, {}, {}});
  if (candidates.size() == 1) return candidates;
  for (Candidate& c : candidates) try {
      c.spreads = spreads_of(c.effort);
    } catch (const pim::DoesNotFit& e) {
      c.why = e.what();
    }
  return candidates;
}

std::optional<Plan> first_to_end(std::vector<Candidate>& candidates, const MakePlan& make,
                                 const std::function<Cycles(const Placed&)>& end_of) {
  std::optional<Plan> best;
  std::pair<Cycles, std::size_t> best_end{};  // and its place: of two that end together, the earlier candidate
  for (const std::vector<std::size_t>& group : by_mapping(candidates)) {
    std::shared_ptr<Mapped> mapped;
    for (const std::size_t i : group) try {
        Candidate& c = candidates[i];
        if (const Candidate* twin = made_alike(candidates, c)) {
          c.end = twin->end;
          continue;
        }
        Plan made = make(c.effort, mapped);
        mapped = made.placed.mapped;
        c.end = end_of(made.placed);
        c.is_made = true;
        const std::pair end{*c.end, i};
        if (!best || end < best_end) best = std::move(made), best_end = end;
      } catch (const pim::DoesNotFit& e) {
        candidates[i].why = e.what();
      }
  }
  if (!best) return best;
  best->planned.clear();
  for (const Candidate& c : candidates)
    if (c.end) best->planned.push_back(*c.end);
  return best;
}

std::vector<Effort> improved(Plan& best, const std::vector<Effort>& next_best,
                             const std::function<bool(Plan&)>& improves, const std::function<Plan(const Effort&)>& make,
                             const std::function<Cycles(const Placed&)>& end_of) {
  const auto may = [](const Effort& effort) { return effort.rounds == 1 && !effort.overlaps; };
  std::vector<Effort> before{best.effort};
  if (!may(best.effort)) return {};
  if (!improves(best)) before.clear();
  std::optional<Cycles> end;
  for (std::size_t i = 0; i < std::min(next_best.size(), plans_to_improve - 1); ++i) {
    if (!may(next_best[i])) continue;
    if (!end) end = end_of(best.placed);
    Plan other = make(next_best[i]);
    const bool has_changed = improves(other);
    const Cycles sooner = end_of(other.placed);
    if (sooner >= *end) continue;
    end = sooner;
    other.planned = std::move(best.planned);
    best = std::move(other);
    if (has_changed) before.insert(before.begin(), next_best[i]);
  }
  return before;
}

bool map_alike(const std::vector<Candidate>& candidates, const Effort& one, const Effort& other) {
  Effort same = scheduled_as(one, other);
  same.spills = other.spills;
  if (same == other) return true;
  const auto find = [&](const Effort& effort) {
    return std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.effort == effort; });
  };
  const auto a = find(one), b = find(other);
  return a != candidates.end() && b != candidates.end() && a->is_made && b->is_made && a->maps_like(*b);
}

std::vector<Effort> behind_the_best(const std::vector<Candidate>& candidates) {
  std::vector<const Candidate*> made;
  for (const Candidate& c : candidates)
    if (c.is_made) made.push_back(&c);
  std::stable_sort(made.begin(), made.end(), [](const auto* a, const auto* b) { return *a->end < *b->end; });
  std::vector<Effort> behind;
  for (std::size_t i = 1; i < made.size(); ++i) behind.push_back(made[i]->effort);
  return behind;
}

}  // namespace pimento
