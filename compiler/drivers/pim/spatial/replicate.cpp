#include "compiler/drivers/pim/spatial/replicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

void refuse(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, std::int64_t needed) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return demands[a].crossbars > demands[b].crossbars; });
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
    largest += fmt::format("{}'{}' {}", i ? ", " : "", demands[order[i]].name, demands[order[i]].crossbars);
  throw NoRoom(fmt::format("chip '{}', stage graph-to-spatial: {} needed, {} on the chip; largest: {}", chip.name,
                           counted(needed, "crossbar"), std::int64_t{chip.cores} * chip.core.crossbars, largest));
}

std::int64_t cores_per_copy(const ReplicationDemand& d, const Spread& s) {
  return ceil_div(d.strips, s.strips_per_core);
}

std::int32_t slices_of(const ReplicationDemand& d, const Spread& s, const isa::Chip& chip) {
  return combine_slices(chip, d.strips, d.columns, s.slices);
}
/// What the goal asks for, 0 where that is no more than the rule gives.
std::int32_t slices_for(const ReplicationDemand& d, const Spread& s, const isa::Chip& chip, Bytes slice_bytes) {
  if (slice_bytes == 0) return 0;
  constexpr Bytes element = 4;  // of a sum
  const Bytes row = element * ceil_div(d.positions, s.grid.positions) * s.grid.windows * d.columns;
  const auto parts = static_cast<std::int32_t>(cores_per_copy(d, s));
  const auto asked = static_cast<std::int32_t>(std::min<std::int64_t>(parts, row / slice_bytes));
  const std::int32_t slices = combine_slices(chip, parts, d.columns, asked);
  return slices > combine_slices(chip, parts, d.columns, 0) ? slices : 0;
}

/// Computes and messages of a layer: per row and copy one compute a core, its halo on both sides, the partial sums.
std::int64_t actions(const ReplicationDemand& d, const Spread& s, const isa::Chip& chip) {
  const std::int64_t m = cores_per_copy(d, s);
  const std::int64_t each = 8 * m * d.blocks + (m > 1 ? 2 * (m - 1) * slices_of(d, s, chip) * d.blocks : 0);
  return std::int64_t{d.rows} * s.grid.positions * each;
}

/// Every piece is a compute and a message for each of its readers; with eight of a row there is little left to gain.
constexpr std::int64_t most_pieces = 8;

struct Candidate {
  Spread spread;
  std::int64_t crossbars = 0;
  double time = 0;  ///< core cycles that the layer adds to the image
};

std::vector<Candidate> candidates_of(const ReplicationDemand& d, const isa::Chip& chip, Cycles share,
                                     const SpreadGoal& goal) {
  std::vector<std::int32_t> stripes;  // the fewest stripes of every width
  for (std::int32_t width = d.positions; width >= 1; --width) {
    const auto px = static_cast<std::int32_t>(ceil_div(d.positions, width));
    if (stripes.empty() || stripes.back() != px) stripes.push_back(px);
  }
  std::vector<Candidate> found;
  for (std::int64_t m = 1; m <= d.strips; ++m) {
    const auto k = static_cast<std::int32_t>(ceil_div(d.strips, m));
    if (ceil_div(d.strips, k) != m || (k > 1 && 2 * k * d.strip_crossbars > chip.core.crossbars)) continue;
    for (const std::int32_t px : stripes) {
      Candidate c;
      c.spread = {{1, px, d.windows}, k};
      if (px > 1 && (d.one_copy || px * m * d.blocks > chip.cores)) continue;
      // positions too few to share the work: blocks of rows
      if (px == d.positions && !d.one_copy && class_cycles(d, c.spread, chip) > share)
        c.spread.grid.rows = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            ceil_div(class_cycles(d, c.spread, chip), share), 1,
            std::max<std::int64_t>(
                1, std::min<std::int64_t>(d.rows, chip.cores / std::max<std::int64_t>(1, px * m * d.blocks)))));
      if (goal.piece_mvms > 0)
        c.spread.pieces = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(ceil_div(d.positions, px) / goal.piece_mvms, 1, most_pieces));
      c.spread.slices = slices_for(d, c.spread, chip, goal.slice_bytes);
      c.crossbars = std::int64_t{c.spread.grid.copies()} * d.crossbars;
      const Cycles longest = class_cycles(d, c.spread, chip);
      c.time = static_cast<double>(load_cycles(d, c.spread)) / chip.cores +
               goal.tail_weight * static_cast<double>(d.lag_rows * row_cycles(d, c.spread, chip)) +
               static_cast<double>(std::max<Cycles>(0, longest - share)) +
               static_cast<double>(goal.handling_cycles * actions(d, c.spread, chip)) / chip.cores +
               goal.crossbar_cycles * static_cast<double>(c.crossbars);
      found.push_back(c);
    }
  }
  return found;
}

/// All but the name.
auto key_of(const ReplicationDemand& d) {
  return std::tuple(d.rows, d.positions, d.windows, d.strips, d.blocks, d.crossbars, d.strip_crossbars, d.columns,
                    d.lag_rows, d.element, d.mvm_cycles, d.partial_cycles, d.one_copy);
}

/// The candidates of all matrices, those of matrices that are alike once.
class Choice {
 public:
  Choice(const WaysToCut& ways, const isa::Chip& chip, Cycles share, const SpreadGoal& goal) {
    using Key = std::vector<decltype(key_of(ReplicationDemand{}))>;
    std::map<Key, std::size_t> kinds;
    for (const std::vector<ReplicationDemand>& way : ways) {
      Key key;
      for (const ReplicationDemand& d : way) key.push_back(key_of(d));
      const auto [at, is_new] = kinds.try_emplace(std::move(key), kinds_.size());
      kind_of_.push_back(at->second);
      if (is_new) {
        kinds_.emplace_back();
        for (const ReplicationDemand& d : way)
          for (Candidate& c : candidates_of(d, chip, share, goal)) kinds_.back().candidates.push_back(std::move(c));
      }
      ++kinds_[at->second].matrices;
    }
  }

  /// The best of each matrix where a crossbar costs so much.
  std::vector<Candidate> at(double price) const {
    std::vector<const Candidate*> best;
    for (const Kind& kind : kinds_) best.push_back(&cheapest(kind.candidates, price));
    std::vector<Candidate> chosen;
    for (const std::size_t kind : kind_of_) chosen.push_back(*best[kind]);
    return chosen;
  }
  std::int64_t crossbars_at(double price) const {
    std::int64_t used = 0;
    for (const Kind& kind : kinds_) used += kind.matrices * cheapest(kind.candidates, price).crossbars;
    return used;
  }

 private:
  struct Kind {
    std::vector<Candidate> candidates;
    std::int64_t matrices = 0;
  };
  static const Candidate& cheapest(const std::vector<Candidate>& candidates, double price) {
    const auto cost = [&](const Candidate& c) { return c.time + price * static_cast<double>(c.crossbars); };
    return *std::ranges::min_element(candidates, {}, cost);
  }

  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;  ///< by matrix
};
}  // namespace

std::int32_t combine_slices(const isa::Chip& chip, std::int32_t parts, std::int32_t channels, std::int32_t asked) {
  return std::clamp(asked > 0 ? asked : (parts + 7) / 8, 1, std::max(1, channels / chip.core.vector.lanes));
}

Cycles row_cycles(const ReplicationDemand& d, const Spread& s, const isa::Chip& chip) {
  const std::int64_t m = cores_per_copy(d, s);
  const std::int64_t together = std::max(1, chip.core.window > 1 ? std::min(chip.core.window, s.strips_per_core) : 1);
  const Cycles moving = m > 1 ? (ceil_div(m - 1, slices_of(d, s, chip)) + 1) * d.partial_cycles : 0;
  return ceil_div(d.positions, s.grid.positions) * d.blocks *
         (ceil_div(s.strips_per_core, together) * d.mvm_cycles + moving);
}

Cycles load_cycles(const ReplicationDemand& d, const Spread& s) {
  const std::int64_t m = cores_per_copy(d, s);
  return std::int64_t{d.rows} * d.positions * d.blocks * (d.strips * d.mvm_cycles + 2 * (m - 1) * d.partial_cycles);
}

Cycles class_cycles(const ReplicationDemand& d, const Spread& s, const isa::Chip& chip) {
  const std::int64_t together = std::max(1, chip.core.window > 1 ? std::min(chip.core.window, s.strips_per_core) : 1);
  return ceil_div(d.rows, s.grid.rows) * ceil_div(d.positions, s.grid.positions) *
         ceil_div(s.strips_per_core, together) * d.mvm_cycles;
}

namespace {
/// The least work that every matrix takes, each in its best way.
Cycles least_work(const WaysToCut& ways) {
  Cycles work = 0;
  for (const std::vector<ReplicationDemand>& way : ways) {
    Cycles least = std::numeric_limits<Cycles>::max();
    for (const ReplicationDemand& d : way)
      least = std::min(least, std::int64_t{d.rows} * d.positions * d.blocks * d.strips * d.mvm_cycles);
    work += least;
  }
  return work;
}

std::vector<Candidate> best_candidates(const WaysToCut& ways, const isa::Chip& chip, std::int64_t spare_crossbars,
                                       const SpreadGoal& goal) {
  std::int64_t one_copy = 0;
  std::vector<ReplicationDemand> demands;
  for (const std::vector<ReplicationDemand>& way : ways) {
    demands.push_back(way.front());
    one_copy += way.front().crossbars;
  }
  if (one_copy > std::int64_t{chip.cores} * chip.core.crossbars) refuse(demands, chip, one_copy);
  const auto share =
      std::max<Cycles>(1, static_cast<Cycles>(goal.class_share * static_cast<double>(least_work(ways) / chip.cores)));
  const Choice choice(ways, chip, share, goal);
  const std::int64_t budget = one_copy + spare_crossbars;
  if (choice.crossbars_at(0) <= budget) return choice.at(0);
  double low = 0;
  double high = 1;
  while (choice.crossbars_at(high) > budget && high < 1e15) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (choice.crossbars_at(middle) > budget ? low : high) = middle;
  }
  return choice.at(high);
}
}  // namespace

std::vector<Spread> replicate(const WaysToCut& ways, const isa::Chip& chip, std::int64_t spare_crossbars,
                              const SpreadGoal& goal) {
  std::vector<Spread> spreads;
  for (const Candidate& c : best_candidates(ways, chip, spare_crossbars, goal)) spreads.push_back(c.spread);
  return spreads;
}

namespace {
WaysToCut one_way_each(const std::vector<ReplicationDemand>& demands) {
  WaysToCut ways;
  for (const ReplicationDemand& d : demands) ways.push_back({d});
  return ways;
}
}  // namespace

std::vector<Spread> replicate(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                              std::int64_t spare_crossbars, const SpreadGoal& goal) {
  return replicate(one_way_each(demands), chip, spare_crossbars, goal);
}

double replicated_time(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip,
                       std::int64_t spare_crossbars, const SpreadGoal& goal) {
  double time = 0;
  for (const Candidate& c : best_candidates(one_way_each(demands), chip, spare_crossbars, goal)) time += c.time;
  return time;
}

Cycles best_interval(const WaysToCut& ways, const isa::Chip& chip, std::int64_t spare_crossbars) {
  Cycles high = 1;
  std::int64_t budget = spare_crossbars;
  struct Cut {
    std::int64_t rows, positions, crossbars;
    Cycles mvm_cycles;
    auto operator<=>(const Cut&) const = default;
  };
  std::map<std::vector<Cut>, std::int64_t> matrices;  // of a graph many are alike
  for (const std::vector<ReplicationDemand>& way : ways) {
    high = std::max(high, class_cycles(way.front(), {}, chip));
    budget += way.front().crossbars;
    std::vector<Cut> cuts;
    for (const ReplicationDemand& d : way) cuts.push_back({d.rows, d.positions, d.crossbars, d.mvm_cycles});
    ++matrices[cuts];
  }
  /// Copies of one strip a core, of which none takes longer; beyond one copy for each position there are no more.
  const auto crossbars_for = [&](const Cut& d, Cycles limit) {
    const std::int64_t positions_of_copy = limit / d.mvm_cycles;
    if (positions_of_copy == 0) return budget + 1;
    std::int64_t copies = d.rows * d.positions;
    for (std::int64_t columns = 1; columns <= d.positions; ++columns) {
      const std::int64_t width = ceil_div(d.positions, columns);
      if (width > positions_of_copy) continue;
      copies = std::min(copies, columns * ceil_div(d.rows, positions_of_copy / width));
    }
    return copies * d.crossbars;
  };
  const auto fits = [&](Cycles limit) {
    std::int64_t used = 0;
    for (const auto& [cuts, times] : matrices) {
      std::int64_t least = budget + 1;
      for (const Cut& d : cuts) least = std::min(least, crossbars_for(d, limit));
      used += times * least;
    }
    return used <= budget;
  };
  Cycles low = 0;  // does not fit; `high` does: one copy of each
  while (high - low > 1) {
    const Cycles middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return std::max(high, ceil_div(least_work(ways), chip.cores));
}

}  // namespace pimento::pim
