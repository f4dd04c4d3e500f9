#pragma once
// The stages between the spatial program and the operations: schedule (classes, then computes), materialise,
// communicate.
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {

/// Durations that scheduling charges for moving data; core clock, from isa/cost.
class MoveCosts {
 public:
  MoveCosts(const Spatial& spatial, const isa::Chip& chip);
  Bytes bytes(const SpatialValue& value, const PBox& box) const;
  /// From the end of the producer to the data standing in the reader's memory. Kept by way and size: schedulers ask
  /// for every core and every input of every compute.
  Cycles message(CoreId from, CoreId to, Bytes size) const { return of_size(size).message(from, to); }
  /// The same of many messages of one size.
  class OfSize {
   public:
    OfSize(const MoveCosts& costs, Bytes size, std::vector<Cycles>& known)
        : costs_(costs), size_(size), known_(known) {}
    Cycles message(CoreId from, CoreId to) const {
      Cycles& known = known_[costs_.way_[from * costs_.cores_ + to]];
      if (known == 0) known = costs_.message_now(from, to, size_);
      return known;
    }

   private:
    const MoveCosts& costs_;
    Bytes size_;
    std::vector<Cycles>& known_;
  };
  OfSize of_size(Bytes size) const;
  /// The mean over pairs of cores: what ranks use before cores are known.
  Cycles mean_message(Bytes size) const;
  /// Of 0 bytes there is no load and no store: 0.
  Cycles load(CoreId core, Bytes size) const;
  Cycles store(CoreId core, Bytes size) const;
  /// Ways that cost the same for every size are one. By way: two cores that lie so, or one twice where no two do.
  struct Pair {
    CoreId from = 0, to = 0;
  };
  const std::vector<Pair>& ways() const { return ways_; }
  std::size_t way(std::size_t from, std::size_t to) const { return way_[from * cores_ + to]; }

 private:
  Cycles message_now(CoreId from, CoreId to, Bytes size) const;

  const isa::Chip& chip_;
  double mean_per_byte_ = 0;
  Cycles mean_base_ = 0;
  std::size_t cores_ = 0;
  std::vector<Pair> ways_;
  std::vector<std::uint32_t> way_;                                    ///< by from * cores + to
  mutable std::unordered_map<Bytes, std::vector<Cycles>> known_;      ///< by size, then by way; 0: not asked yet
  mutable std::pair<Bytes, std::vector<Cycles>*> last_{-1, nullptr};  ///< the size asked for last
};

struct Scheduling;  // scheduling.hpp

/// Classes in order of bulk, then layer, then optimistic cost; each takes the core that has least to do of its layer
/// and in all, messages included, within the core's crossbars (classes.cpp says why not the earliest finish). Throws
/// UserError when the classes do not pack into the cores.
std::vector<CoreId> place_classes(const Scheduling& all);
/// Computes with classes pinned (`rows_ahead`: see RunAhead, it bounds what stands in memory): always the ready compute
/// with the longest way to the end; those without a class go where they finish first.
Schedule schedule_computes(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming = 0);
/// The same where a send ends when its receive takes it: messages are actions of both cores at once, done when both are
/// between two computes, and the order found is the order of the program.
Schedule schedule_rendezvous(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming);
inline constexpr std::string_view default_scheduler = "peft";
/// Both, the classes placed by the scheduler of that name (schedulers.hpp). `short_ways`: the power by which the cores
/// are then renumbered, or 0.
Schedule make_schedule(const Scheduling& all, int rows_ahead, std::string_view scheduler = default_scheduler,
                       Roaming roaming = 0, int short_ways = 0);
/// One alone.
Schedule make_schedule(const Spatial& spatial, const isa::Chip& chip, int rows_ahead = 6);

/// For a stream: the same computes on other cores, so that loads per image come nearer to each other, messages included
/// (even.cpp). Times stay what they were and hold no more. Of a mapping of the user's own only what has no class may
/// move.
Schedule evened(const Scheduling& all, Schedule one, bool classes_may_move);
/// A stream on the same cores, whose images overlap in turns of beats (beats.cpp): the one with the shortest interval
/// of these numbers of beats. Nothing when in each of them something would have to live for longer than a turn.
std::optional<Schedule> in_beats(const Scheduling& all, const Schedule& one, std::span<const std::int32_t> beats);
/// The one with the shortest interval of several numbers of beats, and of images that follow each other as in `one`.
Schedule schedule_stream(const Scheduling& all, const Schedule& one, bool classes_may_move);

/// materialise: the computes of every core in order of their start, and the scheduled batches with their lanes.
struct ScheduledBatch {
  BatchId batch{};
  CoreId core = 0;
  std::vector<ComputeId> lanes;
};
struct Materialised {
  std::vector<std::vector<ComputeId>> cores;
  std::vector<ScheduledBatch> batches;
};
Materialised materialise(const Spatial& spatial, const Schedule& schedule, const isa::Chip& chip);
/// Every compute once, on its core, in order; lanes of all scheduled batches add up to the lanes of the batches.
std::string verify(const Materialised& materialised, const Spatial& spatial, const Schedule& schedule);
std::string print(const Materialised& materialised, const Spatial& spatial);

/// communicate: one transfer per region and destination core, several destinations in one where the chip multicasts and
/// `multicast` lets it.
Steps communicate(const Spatial& spatial, const Schedule& schedule, const Materialised& materialised,
                  const isa::Chip& chip, bool multicast = true, std::int64_t images = 1);
Steps communicate(const Spatial& spatial, const Producers& producers, const Schedule& schedule,
                  const Materialised& materialised, const isa::Chip& chip, bool multicast, std::int64_t images);

/// As of the schedule and the spatial program alone.
std::string verify(const Schedule& schedule, const Spatial& spatial, const Producers& producers, const isa::Chip& chip);

/// How many messages must go before each one and with it, at least (1: it may go at once; 0: no message, or one that
/// waits in a circle). A message is one node; consecutive contacts of a core are edges: so it is without any buffer.
std::vector<std::int64_t> message_depths(const Steps& steps);

}  // namespace pimento::pim
