#include "compiler/drivers/pim/spatial/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "isa/cost/service.hpp"
#include "isa/support/error.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

/// Some strips of some blocks; nothing of it: crossbars 0.
ReplicationDemand part_of(const ReplicationDemand& d, std::int32_t strips, std::int32_t blocks) {
  const std::int64_t here = std::int64_t{strips} * blocks, tiles = std::int64_t{d.strips} * d.blocks;
  ReplicationDemand part = d;
  part.crossbars = static_cast<std::int32_t>(ceil_div(d.crossbars * here, tiles));
  if (here == tiles || here == 0) return part;
  part.one_copy = true;
  part.strips = strips;
  part.blocks = blocks;
  return part;
}

/// The least that is given a round: a layer, or some strips or blocks of one that is larger than the chip.
struct Piece {
  std::size_t demand = 0;
  bool strips = false;              ///< [first, end) are strips of all blocks; else blocks
  std::int32_t first = 0, end = 0;  ///< a whole layer: all blocks
};

/// Pieces into which a layer is cut, as far as it has strips: finer ones fill the rounds better.
constexpr std::int64_t pieces_of_a_chip = 8;

class Planner {
 public:
  Planner(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, double spare_share,
          const SpreadGoal& goal)
      : demands_(demands),
        chip_(chip),
        spare_share_(spare_share),
        goal_(goal),
        supply_(std::int64_t{chip.cores} * chip.core.crossbars) {
    for (std::size_t d = 0; d < demands.size(); ++d) cut(d);
    before_.push_back(0);
    for (const Piece& piece : pieces_) before_.push_back(before_.back() + room_of(piece));
    find_least();
  }

  /// Rounds from piece `begin` on, each filled as far as it goes.
  int least_from(std::size_t begin) const { return std::max(least_[begin], 1); }

  int most() const { return static_cast<int>(pieces_.size()); }
  std::int64_t needed() const {
    std::int64_t all = 0;
    for (const ReplicationDemand& d : demands_) all += d.crossbars;
    return all;
  }

  Rounds run(int rounds) {
    if (static_cast<std::size_t>(rounds) > pieces_.size())
      throw UserError(
          fmt::format("{} rounds: expected at most {}, into which the weights are cut", rounds, pieces_.size()));
    if (least_from(0) > rounds)
      throw NoRoom(
          fmt::format("chip '{}', stage graph-to-spatial: {} crossbars needed, {} on the chip: {} rounds do not "
                      "hold them, {} would",
                      chip_.name, needed(), supply_, rounds, least_from(0)));
    best_.assign(static_cast<std::size_t>(rounds) + 1, std::vector<std::optional<Choice>>(pieces_.size() + 1));
    Rounds result;
    for (const ReplicationDemand& d : demands_)
      result.emplace_back(static_cast<std::size_t>(d.strips) * static_cast<std::size_t>(d.blocks), 0);
    std::size_t begin = 0;
    for (int r = 0; r < rounds; ++r) {
      const std::size_t end = best(rounds - r, begin, r > 0).end;
      PIMENTO_CHECK(end > begin, "a round holds nothing");
      for (std::size_t p = begin; p < end; ++p) mark(result, pieces_[p], r);
      begin = end;
    }
    return result;
  }

 private:
  struct Choice {
    double time = std::numeric_limits<double>::infinity();
    std::size_t end = 0;  ///< of the first of the rounds
  };
  const std::vector<ReplicationDemand>& demands_;
  const isa::Chip& chip_;
  double spare_share_;
  SpreadGoal goal_;
  std::int64_t supply_;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> before_;                      ///< crossbars of all pieces before each
  std::vector<int> least_;                                ///< rounds from each piece on
  std::vector<std::vector<std::optional<Choice>>> best_;  ///< by rounds left and first piece
  std::map<std::tuple<std::size_t, std::size_t, bool>, double> times_;

  void cut(std::size_t d) {
    const ReplicationDemand& demand = demands_[d];
    if (room_of(demand.strips * demand.blocks, demand) <= supply_) {
      pieces_.push_back({d, false, 0, demand.blocks});
      return;
    }
    const bool strips = demand.strips > 1 && room_of(demand.blocks, demand) <= supply_;
    if (!strips && (demand.blocks == 1 || room_of(demand.strips, demand) > supply_))
      throw NoRoom(fmt::format(
          "chip '{}', stage graph-to-spatial: layer '{}' has {} strips of {} column blocks; {} crossbars on the chip "
          "hold neither one strip of all blocks nor all strips of one block at a time",
          chip_.name, demand.name, demand.strips, demand.blocks, supply_));
    const std::int32_t all = strips ? demand.strips : demand.blocks;
    const std::int32_t other = strips ? demand.blocks : demand.strips;
    auto count = static_cast<std::int32_t>(std::min<std::int64_t>(
        all, ceil_div(pieces_of_a_chip * room_of(demand.strips * demand.blocks, demand), supply_)));
    while (room_of(ceil_div(all, count) * other, demand) > supply_) ++count;
    for (std::int32_t i = 0; i < count; ++i)
      pieces_.push_back({d, strips, static_cast<std::int32_t>(std::int64_t{all} * i / count),
                         static_cast<std::int32_t>(std::int64_t{all} * (i + 1) / count)});
  }
  void find_least() {
    least_.assign(pieces_.size() + 1, 0);
    for (std::size_t begin = pieces_.size(), end = begin; begin-- > 0;) {
      while (end > begin && !fits(begin, end)) --end;
      PIMENTO_CHECK(end > begin, "a piece is larger than the chip");
      least_[begin] = least_[end] + 1;
    }
  }
  /// Crossbars of some tiles, with what is left over on cores that hold only such tiles.
  std::int64_t room_of(std::int64_t tiles, const ReplicationDemand& d) const {
    const std::int64_t of_core = std::max<std::int64_t>(1, chip_.core.crossbars / d.strip_crossbars);
    const bool wide = 2 * d.strip_crossbars > chip_.core.crossbars;
    return wide ? ceil_div(tiles, of_core) * chip_.core.crossbars
                : std::min<std::int64_t>(d.crossbars, tiles * d.strip_crossbars);
  }
  std::int64_t room_of(const Piece& p) const {
    const ReplicationDemand& d = demands_[p.demand];
    return room_of(std::int64_t{p.end - p.first} * (p.strips ? d.blocks : d.strips), d);
  }
  bool fits(std::size_t begin, std::size_t end) const { return before_[end] - before_[begin] <= supply_; }

  static void mark(Rounds& rounds, const Piece& p, const ReplicationDemand& d, std::int32_t round) {
    for (std::int32_t b = p.strips ? 0 : p.first; b < (p.strips ? d.blocks : p.end); ++b)
      for (std::int32_t s = p.strips ? p.first : 0; s < (p.strips ? p.end : d.strips); ++s)
        rounds[p.demand]
              [static_cast<std::size_t>(b) * static_cast<std::size_t>(d.strips) + static_cast<std::size_t>(s)] = round;
  }
  void mark(Rounds& rounds, const Piece& p, std::int32_t round) const { mark(rounds, p, demands_[p.demand], round); }

  /// The least time of pieces `begin` and after in `rounds` rounds.
  Choice best(int rounds, std::size_t begin, bool written) {
    if (begin == pieces_.size()) return rounds == 0 ? Choice{0, begin} : Choice{};
    if (rounds == 0) return {};
    std::optional<Choice>& known = best_[static_cast<std::size_t>(rounds)][begin];
    if (known) return *known;
    Choice found;
    for (std::size_t end = begin + 1; end <= pieces_.size() && fits(begin, end); ++end) {
      const std::size_t left = pieces_.size() - end;
      if (left == 0 ? rounds != 1 : rounds == 1) continue;
      if (left > 0 && (least_from(end) > rounds - 1 || left < static_cast<std::size_t>(rounds - 1))) continue;
      const double rest = left == 0 ? 0 : best(rounds - 1, end, true).time;
      const double time = time_of(begin, end, written) + rest;
      if (time < found.time) found = {time, end};
    }
    known = found;
    return found;
  }

  double time_of(std::size_t begin, std::size_t end, bool written) {
    const auto [at, is_new] = times_.try_emplace({begin, end, written}, 0);
    if (!is_new) return at->second;
    std::vector<ReplicationDemand> parts;
    for (std::size_t p = begin; p < end;) {
      const Piece& piece = pieces_[p];
      std::int32_t strips = 0, blocks = 0;
      for (; p < end && pieces_[p].demand == piece.demand; ++p)
        (piece.strips ? strips : blocks) += pieces_[p].end - pieces_[p].first;
      const ReplicationDemand& d = demands_[piece.demand];
      parts.push_back(part_of(d, piece.strips ? strips : d.strips, piece.strips ? d.blocks : blocks));
    }
    const auto [spare, goal] = allowance(parts, chip_, spare_share_, goal_, written);
    return at->second = replicated_time(parts, chip_, spare, goal);
  }
};

}  // namespace

RoundRange range_of_rounds(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, bool apart) {
  std::int64_t needed = 0;
  for (const ReplicationDemand& d : demands) needed += d.crossbars;
  if (!apart && needed <= std::int64_t{chip.cores} * chip.core.crossbars) return {};
  const Planner planner(demands, chip, 0, {});
  return {std::max(2, planner.least_from(0)), planner.most()};
}

Rounds plan_rounds(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, int rounds, double spare_share,
                   const SpreadGoal& goal) {
  return Planner(demands, chip, spare_share, goal).run(rounds);
}

ReplicationDemand part_of_round(const ReplicationDemand& d, const std::vector<std::int32_t>& round_of_tile,
                                std::int32_t round) {
  const auto here = std::count(round_of_tile.begin(), round_of_tile.end(), round);
  // a cut between strips leaves every block with the same ones
  const auto first = round_of_tile.begin();
  const auto strips = std::count(first, first + d.strips, round);
  const bool by_strips = strips * d.blocks == here && strips < d.strips;
  const std::int32_t kept = by_strips ? static_cast<std::int32_t>(strips) : d.strips;
  return part_of(d, kept, kept == 0 ? 0 : static_cast<std::int32_t>(here / kept));
}

Allowance allowance(const std::vector<ReplicationDemand>& parts, const isa::Chip& chip, double spare_share,
                    SpreadGoal goal, bool written) {
  std::int64_t spare = std::int64_t{chip.cores} * chip.core.crossbars;
  for (const ReplicationDemand& part : parts) spare -= part.crossbars;
  if (written && !parts.empty()) goal.crossbar_cycles = crossbar_cycles(chip, parts.front().element);
  return {static_cast<std::int64_t>(spare_share * static_cast<double>(std::max<std::int64_t>(0, spare))), goal};
}

double crossbar_cycles(const isa::Chip& chip, Bytes element) {
  const isa::Crossbar& x = chip.core.crossbar;
  const std::int64_t weights = std::int64_t{x.rows} * chip.weights_per_crossbar_row();
  const double served = static_cast<double>(isa::cost::expected_service(chip, weights * element, false)) /
                        static_cast<double>(chip.core.clock.period_fs) / std::max(chip.global_memory.channels, 1);
  const double writing = static_cast<double>(x.rows * x.program_latency_fs.value_or(0)) /
                         static_cast<double>(chip.core.clock.period_fs) / chip.cores;
  return served + writing;
}

}  // namespace pimento::pim
