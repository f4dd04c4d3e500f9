#pragma once
// The schedule: which core runs each compute and when; then the steps of every core, and the messages between them.
// Each stage is a function from value to value; decisions are data.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/spatial/spatial.hpp"

namespace pimento::pim {

/// Where a compute without a class may run: 0, where some of its inputs are made, so that a core holds few stripes of
/// few values; n, on any core, its inputs' messages counting n times on a core where none of them is made.
using Roaming = int;

struct Placed {
  ComputeId compute{};
  CoreId core = 0;
  Cycles start = 0, end = 0;  ///< predicted, core clock
};
/// Some rows of a weight tile, brought from global memory and written into the crossbars of a class that does not stand
/// there from the start.
struct CellWrite {
  ClassId cls{};
  std::int32_t tile = 0;            ///< index into Spatial::tiles
  std::int32_t row = 0, count = 0;  ///< rows of the tile
  CoreId core = 0;
  Cycles start = 0, end = 0;  ///< predicted, core clock
};
/// When results go to other cores: made once for each of many schedules, asked of the one that is taken.
class MessageStarts {
 public:
  struct Start {
    ComputeId producer{};
    CoreId to = 0;
    Cycles start = 0;  ///< core clock
  };
  MessageStarts() = default;
  /// Of several of one result to one core, the last one counts.
  explicit MessageStarts(std::vector<Start> starts);
  bool empty() const { return starts_.empty(); }
  std::optional<Cycles> find(ComputeId producer, CoreId to) const;

 private:
  std::vector<Start> starts_;  ///< by producer, then core
};

/// schedule: computes -> (core, start).
struct Schedule {
  std::vector<CoreId> class_core;  ///< by ClassId
  std::vector<Placed> placed;      ///< by ComputeId
  MessageStarts message_start;     ///< empty: as soon as a result is made
  std::vector<CellWrite> writes;   ///< in the order of their start; none where all weights stand on the chip at once
  Cycles makespan = 0;
  /// Of a stream whose images overlap: by ComputeId, how many turns after its image began a compute is done; times are
  /// within a turn. Empty: all in the first.
  std::vector<std::int32_t> stage;
  Cycles interval = 0;  ///< predicted, from image to image; of a stream whose images overlap
  std::int32_t stage_of(std::size_t compute) const { return stage.empty() ? 0 : stage[compute]; }
  /// Of messages that go in a later turn than their producer is done in.
  std::map<std::pair<ComputeId, CoreId>, std::int32_t> message_stage;
  std::int32_t stage_of(ComputeId producer, CoreId to) const {
    const auto at = message_stage.find({producer, to});
    return at == message_stage.end() ? stage_of(index_of(producer)) : at->second;
  }
  std::int32_t stages() const;
};

/// A piece of a value that travels once from one place to a set of cores, or to and from global memory.
struct Transfer {
  enum class Kind : std::uint8_t { message, load, store };
  Kind kind = Kind::message;
  Access what;                       ///< never padding
  CoreId source = 0;                 ///< message, store
  std::vector<CoreId> destinations;  ///< message: one, or several when the chip multicasts; load: exactly one
  ComputeId producer{-1};            ///< message, store
  std::uint32_t tag = 0;             ///< unique per (source, destination) pair and in the pair's order
  /// A store or load of what local memory has no room for: where it stands meanwhile (index into Steps::regions), -1
  /// for a port. `again`: a load of rows that this core has had; they were gone since it touched them last.
  std::int32_t region = -1;
  bool again = false;
};
/// A place in global memory for the rows of a value that one core spills; they stand there densely.
struct SpillRegion {
  SpatialValueId value{};
  PBox box;
  CoreId core = 0;
};

/// A position in one core's order.
struct Step {
  enum class Kind : std::uint8_t { compute, send, receive, load, store, write };
  Kind kind = Kind::compute;
  std::int32_t index = 0;  ///< ComputeId, or index into Steps::transfers, or (write) into Steps::writes
  std::int32_t stage = 0;  ///< of its compute, its producer, or its first reader: see Steps
};
/// communicate: contacts stand in every core's order so that no cycle of waits exists even without any buffering.
struct Steps {
  std::vector<Transfer> transfers;
  std::vector<std::vector<Step>> cores;  ///< by CoreId
  std::vector<CellWrite> writes;         ///< Schedule's
  std::vector<SpillRegion> regions;      ///< none where everything fits local memory
  std::vector<CoreId> tight;             ///< cores on which a buffer gives its place away whenever it is empty
  /// Every core goes through its order images + stages - 1 times. A step of stage k is taken in turn t for image t - k,
  /// where there is one: one image begins while those before it are still in later stages.
  std::int32_t images = 1, stages = 1;
};
/// Consecutive turns in which the same stages have an image.
struct Pass {
  std::int32_t first = 0, turns = 1;
  std::int32_t first_stage = 0, last_stage = 0;
  bool takes(const Step& step) const { return step.stage >= first_stage && step.stage <= last_stage; }
};
std::vector<Pass> passes(const Steps& steps);
/// The same with every image's steps for itself: computes and transfers of image m follow those of image m - 1, in
/// numbers too. A stream of more images than `most` is cut there.
Steps unfolded(const Steps& steps, std::size_t computes, std::int32_t most);

std::string print(const Schedule& schedule, const Spatial& spatial);
std::string print(const Steps& steps, const Spatial& spatial);
/// Classes of a round within the crossbars of their core (local memory is known when buffers are: plan-liveness checks
/// it); order respects dependences; no two computes of one core overlap; cells are written whole, after the last
/// compute of what stood there and before the first of what comes.
std::string verify(const Schedule& schedule, const Spatial& spatial, const isa::Chip& chip);
/// Every read box is complete on its core before the compute; sends and receives match in order per pair; the graph of
/// rendezvous (a message is one node, consecutive contacts of a core are edges) is acyclic.
std::string verify(const Steps& steps, const Schedule& schedule, const Spatial& spatial, const isa::Chip& chip);

}  // namespace pimento::pim
