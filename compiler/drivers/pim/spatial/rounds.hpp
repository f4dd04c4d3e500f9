#pragma once
// Models larger than the chip: which matrices hold the crossbars together. The layers, in the order of the graph, are
// cut into rounds; what belongs to a later round is written into the crossbars while the program runs.
#include <cstdint>
#include <vector>

#include "compiler/drivers/pim/spatial/replicate.hpp"

namespace pimento::pim {

/// By demand, by tile (column block, then strip): its round.
using Rounds = std::vector<std::vector<std::int32_t>>;

/// The fewest rounds in which one copy of everything fits, and the most into which it can be cut; 1 and 1 where it fits
/// at once. `apart`: without one round, where the crossbars add up and yet do not pack into the cores.
struct RoundRange {
  int least = 1, most = 1;
};
RoundRange range_of_rounds(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, bool apart = false);

/// `rounds` consecutive rounds, each within the chip's crossbars, whose times add up to least: replicate()'s model for
/// what a round computes, and for later rounds the time in which the global memory brings each crossbar's weights. A
/// layer larger than the chip is itself cut, between strips where one strip of all column blocks fits, else between the
/// blocks. UserError when there are fewer layers than rounds; NoRoom when so few rounds do not hold them, or the chip
/// neither a strip of all blocks nor a block of all strips.
Rounds plan_rounds(const std::vector<ReplicationDemand>& demands, const isa::Chip& chip, int rounds, double spare_share,
                   const SpreadGoal& goal);

/// What a demand's tiles of one round ask for; nothing of it: crossbars 0.
ReplicationDemand part_of_round(const ReplicationDemand& demand, const std::vector<std::int32_t>& round_of_tile,
                                std::int32_t round);
/// What the parts of one round leave of the chip's crossbars for further copies, and what those are made for: `written`
/// while the program runs, every crossbar costs time.
struct Allowance {
  std::int64_t spare_crossbars = 0;
  SpreadGoal goal;
};
Allowance allowance(const std::vector<ReplicationDemand>& parts, const isa::Chip& chip, double spare_share,
                    SpreadGoal goal, bool written);
/// Core cycles in which one crossbar's weights of `element` bytes each come from global memory and are written, others
/// at the same time.
double crossbar_cycles(const isa::Chip& chip, Bytes element);

}  // namespace pimento::pim
