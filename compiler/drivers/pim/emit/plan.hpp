#pragma once
// Stages bufferise and plan-liveness: the local memory of one core. Buffers for every value that is touched there, a
// place for every buffer, constant and temporary. A buffer holds positions and channels that this core touches
// together, padding included; its rows are a ring with a slot for every row that lives at once, so a convolution keeps
// a few rows and not the image.
#include <map>
#include <string>
#include <vector>

#include "compiler/drivers/pim/lower/flatten.hpp"
#include "compiler/drivers/pim/lower/operations.hpp"

namespace pimento::pim {

/// A row that is spilled: it stands in global memory between the step that touches it last and its load.
struct Absence {
  std::int32_t row = 0;  ///< counted from Buffer::box.r0
  int from = 0, to = 0;
  bool operator==(const Absence&) const = default;
};
using Lives = std::vector<std::pair<int, int>>;  ///< first and last step of each, in order, apart from each other

struct Buffer {
  SpatialValueId value{};
  PBox box;                ///< all that is touched, padding included
  std::int32_t slots = 1;  ///< rows kept at once
  bool ring = false;       ///< fewer slots than rows
  bool whole = false;      ///< a gather picks rows as data says, and knows no way round a ring
  Bytes element = 1;
  int birth = -1, death = -1;  ///< first and last step, counted as CorePlan::time
  /// The buffer whose place this one takes: an element-wise compute reads each row there for the last time and writes
  /// it here. bufferise finds it; plan-liveness drops it where apart is no worse.
  std::ptrdiff_t in_place_of = -1;
  std::int64_t address = -1;
  /// Steps at which each row is first and last touched, by row - box.r0.
  std::vector<std::pair<int, int>> rows;
  std::vector<Absence> absences;  ///< by row, then time
  Lives lives;                    ///< on a tight core (Steps::tight): when at least one of its rows is there

  Lives lives_of_row(std::size_t row) const;
  /// Whether this is the first step of one of its lives.
  bool begins(int at) const;
  Bytes position_pitch() const { return element * box.channels(); }
  Bytes row_pitch() const { return position_pitch() * box.positions(); }
  Bytes bytes() const { return row_pitch() * slots; }
  Located located() const;
};

struct CorePlan {
  CoreId core = 0;
  /// Steps of a turn where turns overlap (Steps::stages above 1): what lives at `t` does so again at t + period, for
  /// the next image. 0: an image is through before the next one begins.
  int period = 0;
  std::vector<Buffer> buffers;
  std::map<SpatialValueId, std::vector<std::size_t>> buffers_of;  ///< disjoint in positions or channels
  std::map<std::int32_t, std::int64_t> constants;                 ///< pool index -> address
  std::vector<std::int64_t> scratch_base;                         ///< by step; -1 when the step has none
  std::vector<Bytes> scratch_bytes;                               ///< by step
  Bytes high_water = 0;

  /// When an image meets a step: the turns before it counted in.
  int time(const Step& step, std::size_t index) const { return static_cast<int>(index) + step.stage * period; }
  /// Whether something that lives from `birth` to `death` meets another, of whatever image.
  bool meet(int birth, int death, int other_birth, int other_death) const;
  /// The same of two rows of a buffer.
  bool rows_meet(const Buffer& buffer, std::size_t row, std::size_t other) const;

  /// The buffer in which this position and channel of a value stands.
  std::size_t buffer_at(SpatialValueId value, std::int32_t position, std::int32_t channel) const;
  const Buffer& buffer(const Access& access) const {
    return buffers[buffer_at(access.value, access.box.p0, access.box.c0)];
  }
};

/// Everything the stages after spatial-to-pim read.
struct EmitInput {
  const SelectContext& context;
  const Spatial& spatial;
  const Schedule& schedule;
  const Steps& steps;
  const Operations& operations;
};

bool meet(const Lives& a, const Lives& b);
/// The smallest ring in which no two rows that live together share a slot: one whose size divides no distance between
/// such rows.
std::int32_t least_slots(const CorePlan& plan, const Buffer& buffer);
/// Finds Buffer::lives.
void find_lives(Buffer& buffer);

/// bufferise: the buffers of one core, their rows and lifetimes; no addresses yet.
CorePlan bufferise(const EmitInput& input, CoreId core);
std::vector<CorePlan> bufferise(const EmitInput& input);  ///< by CoreId
/// The buffers alone, without temporaries, before there are operations.
CorePlan buffers_of(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, CoreId core);
/// Marks the buffers of a core that may take the place of another.
void find_in_place(CorePlan& plan, const EmitInput& input);
/// "" or the first broken rule: what a step touches lies in exactly one buffer, within its life and the lives of its
/// rows; rows that live together have slots of their own; constants and temporaries of every compute have a place.
std::string verify_buffers(const CorePlan& plan, const EmitInput& input);

/// plan-liveness: addresses. Constants and temporaries first, then the buffers, largest first, each at the lowest
/// address that is free while it lives. LocalMemoryFull with demand, supply and the largest consumers when the core
/// overflows.
void place(CorePlan& plan, const EmitInput& input);
/// The same; false when the core overflows by as much as CorePlan::high_water says.
bool try_place(CorePlan& plan, const EmitInput& input);
std::vector<CorePlan> plan_liveness(std::vector<CorePlan> plans, const EmitInput& input);
/// "" or the first broken rule: nothing that lives at the same time overlaps, save a row that is overwritten in place
/// as it dies; everything lies within the chip's local memory and below the high-water mark.
std::string verify_places(const CorePlan& plan, const EmitInput& input);
std::string print(const std::vector<CorePlan>& plans, const EmitInput& input);

struct PlanStatistics {
  std::int64_t buffers = 0, in_place = 0;
  Bytes largest_core = 0;
};
PlanStatistics statistics(const std::vector<CorePlan>& plans);

/// What one of these verifiers says of the first plan that does not hold; empty: all do.
inline std::string first_fault(const std::vector<CorePlan>& plans, const EmitInput& input,
                               std::string (*check)(const CorePlan&, const EmitInput&)) {
  for (const CorePlan& plan : plans)
    if (std::string fault = check(plan, input); !fault.empty()) return fault;
  return "";
}

}  // namespace pimento::pim
