#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/emit/spill.hpp"
#include "compiler/drivers/pim/schedule/loads.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// What a step touches.
template <class F>
void for_touched(const Step& step, const Steps& steps, const Spatial& spatial, F&& f) {
  const auto index = static_cast<std::size_t>(step.index);
  const auto touch = [&](const Access& access) {
    if (!access.box.empty()) f(access);
  };
  if (step.kind == Step::Kind::write) return;  // only a temporary
  if (step.kind != Step::Kind::compute) return touch(steps.transfers[index].what);
  const Compute& compute = spatial.computes[index];
  for (const Access& read : compute.reads) touch(read);
  touch(compute.write);
}

Bytes bytes_of_write(const Step& step, const EmitInput& input) {
  return bytes_of(input.steps.writes[static_cast<std::size_t>(step.index)], input.spatial);
}

/// `operations`: null where buffers are asked for and no temporaries.
class Bufferiser {
 public:
  Bufferiser(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, const Operations* operations,
             CoreId core)
      : all_(steps), spatial_(spatial), chip_(chip), operations_(operations) {
    plan_.core = core;
  }

  CorePlan run() {
    const std::vector<Step>& steps = all_.cores[plan_.core];
    if (all_.stages > 1) plan_.period = static_cast<int>(steps.size());
    plan_.scratch_bytes.assign(steps.size(), 0);
    plan_.scratch_base.assign(steps.size(), -1);
    // Twice over the steps: what is touched together, then the lives of the rows.
    for (const Step& step : steps) {
      for_touched(step, all_, spatial_, [&](const Access& access) { collect(access); });
    }
    make_buffers();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_again(steps[i])) leave(transfer(steps[i]).what, static_cast<int>(i));
      for_touched(steps[i], all_, spatial_, [&](const Access& access) { live(access, plan_.time(steps[i], i)); });
      if (steps[i].kind == Step::Kind::compute) temporaries(static_cast<std::size_t>(steps[i].index), i);
      if (steps[i].kind == Step::Kind::write)
        plan_.scratch_bytes[i] = bytes_of(all_.writes[static_cast<std::size_t>(steps[i].index)], spatial_);
    }
    for (Buffer& buffer : plan_.buffers) {
      if (std::ranges::count(all_.tight, plan_.core) > 0) find_lives(buffer);
      choose_slots(buffer);
    }
    return std::move(plan_);
  }

 private:
  const Transfer& transfer(const Step& step) const { return all_.transfers[static_cast<std::size_t>(step.index)]; }
  bool is_again(const Step& step) const { return step.kind == Step::Kind::load && transfer(step).again; }
  /// Boxes that share columns become one; what never meets stays apart.
  void collect(const Access& access) { join_boxes(touched_[access.value], access.box); }
  void make_buffers() {
    for (auto& [value, boxes] : touched_) {
      for (const PBox& box : boxes) {
        Buffer buffer;
        buffer.value = value;
        buffer.box = box;
        buffer.element = size_of(spatial_.values[index_of(value)].type);
        buffer.rows.assign(static_cast<std::size_t>(box.rows()), {-1, -1});
        plan_.buffers_of[value].push_back(plan_.buffers.size());
        plan_.buffers.push_back(std::move(buffer));
      }
    }
  }
  void live(const Access& access, int at) {
    Buffer& buffer = plan_.buffers[plan_.buffer_at(access.value, access.box.p0, access.box.c0)];
    if (buffer.birth < 0 || at < buffer.birth) buffer.birth = at;
    buffer.death = std::max(buffer.death, at);
    for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
      auto& [first, last] = buffer.rows[static_cast<std::size_t>(r - buffer.box.r0)];
      if (first < 0 || at < first) first = at;
      last = std::max(last, at);
    }
  }
  /// Rows that are loaded again have been gone since they were touched last.
  void leave(const Access& access, int at) {
    Buffer& buffer = plan_.buffers[plan_.buffer_at(access.value, access.box.p0, access.box.c0)];
    for (std::int32_t r = access.box.r0 - buffer.box.r0; r < access.box.r1 - buffer.box.r0; ++r)
      buffer.absences.push_back({r, buffer.rows[static_cast<std::size_t>(r)].second, at});
  }
  void temporaries(std::size_t compute, std::size_t at) {
    if (operations_ == nullptr) return;
    const Selected& selected = (*operations_)[compute];
    plan_.scratch_bytes[at] = selected.scratch_bytes;
    for (const std::int32_t constant : selected.constants) plan_.constants.emplace(constant, -1);
    for (const PimOp& op : selected.ops)
      if (op.form.opcode == isa::Opcode::vgather && op.a.kind == OperandRef::Kind::value && op.a.row_step != 0)
        plan_.buffers[plan_.buffer_at(SpatialValueId{op.a.id}, op.a.position, op.a.channel)].whole = true;
  }

  void choose_slots(Buffer& buffer) const {
    for (std::size_t i = 0; i < buffer.rows.size(); ++i)
      if (const auto& [first, last] = buffer.rows[i]; first >= 0 && plan_.period > 0 && last - first >= plan_.period)
        throw DoesNotFit(fmt::format("chip '{}', stage bufferise: core {} keeps row {} of '{}' for longer than a turn",
                                     chip_.name, plan_.core, buffer.box.r0 + static_cast<int>(i),
                                     spatial_.values[index_of(buffer.value)].name));
    buffer.slots = least_slots(plan_, buffer);
    buffer.ring = buffer.slots < buffer.box.rows();
  }
  const Steps& all_;
  const Spatial& spatial_;
  const isa::Chip& chip_;
  const Operations* operations_;
  CorePlan plan_;
  std::map<SpatialValueId, std::vector<PBox>> touched_;
};
}  // namespace

bool CorePlan::meet(int birth, int death, int other_birth, int other_death) const {
  int later = 0;  // images by which the other one follows
  if (period > 0 && other_death >= birth) later = (other_death - birth) / period;
  if (period > 0 && other_death < birth) later = -((birth - other_death + period - 1) / period);
  const int shift = later * period;  // the latest that is not behind the end of the other
  return birth + shift <= other_death && other_birth <= death + shift;
}

bool CorePlan::rows_meet(const Buffer& buffer, std::size_t row, std::size_t other) const {
  const auto &a = buffer.rows[row], &b = buffer.rows[other];
  if (a.first < 0 || b.first < 0 || !meet(a.first, a.second, b.first, b.second)) return false;
  return buffer.absences.empty() || pim::meet(buffer.lives_of_row(row), buffer.lives_of_row(other));
}

std::int32_t least_slots(const CorePlan& plan, const Buffer& buffer) {
  const auto count = buffer.rows.size();
  std::vector<bool> apart(count + 1, false);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && buffer.rows[i].first >= 0; ++j)
      if (!apart[j - i] && plan.rows_meet(buffer, i, j)) apart[j - i] = true;
  std::size_t slots = buffer.whole ? count : 1;
  const auto collides = [&] {
    for (std::size_t distance = slots; distance < count; distance += slots) {
      if (apart[distance]) return true;
    }
    return false;
  };
  while (collides()) ++slots;
  return static_cast<std::int32_t>(slots);
}

std::size_t CorePlan::buffer_at(SpatialValueId value, std::int32_t position, std::int32_t channel) const {
  for (const std::size_t index : buffers_of.at(value)) {
    const PBox& box = buffers[index].box;
    if (box.p0 <= position && position < box.p1 && box.c0 <= channel && channel < box.c1) return index;
  }
  throw InternalError(fmt::format("core {} holds nothing of value {} at position {}, channel {}", core, index_of(value),
                                  position, channel));
}

Located Buffer::located() const {
  Located at;
  at.channel_pitch = element;
  at.position_pitch = position_pitch();
  at.row_pitch = row_pitch();
  at.row0 = box.r0;
  at.base = address - box.p0 * at.position_pitch - box.c0 * at.channel_pitch;
  if (ring) {
    at.ring_rows = slots;
    at.ring_lo = address;
  }
  return at;
}

CorePlan buffers_of(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, CoreId core) {
  return Bufferiser(steps, spatial, chip, nullptr, core).run();
}

CorePlan bufferise(const EmitInput& input, CoreId core) {
  CorePlan plan = Bufferiser(input.steps, input.spatial, input.context.chip, &input.operations, core).run();
  if (plan.period == 0) find_in_place(plan, input);
  return plan;
}

std::vector<CorePlan> bufferise(const EmitInput& input) {
  std::vector<CorePlan> plans;
  for (std::size_t core = 0; core < input.steps.cores.size(); ++core)
    plans.push_back(bufferise(input, static_cast<CoreId>(core)));
  return plans;
}

namespace {
bool contains(const PBox& outer, const PBox& inner) { return intersect(outer, inner) == inner; }

std::string check_access(const CorePlan& plan, const Access& access, int at, const std::string& name) {
  const auto what = [&] {
    return fmt::format("core {}, step {}: '{}' {}", plan.core, at, name, to_string(access.box));
  };
  const Buffer* found = nullptr;
  const auto buffers = plan.buffers_of.find(access.value);
  if (buffers != plan.buffers_of.end())
    for (const std::size_t index : buffers->second) {
      const Buffer& buffer = plan.buffers[index];
      if (intersect(buffer.box, access.box).empty()) continue;
      if (found != nullptr)
        return fmt::format("{} stands in two buffers, {} and {}", what(), to_string(found->box), to_string(buffer.box));
      found = &buffer;
    }
  if (found == nullptr || !contains(found->box, access.box)) return what() + " stands in no buffer";
  if (at < found->birth || at > found->death)
    return fmt::format("{} is touched outside of its buffer's life, steps {} to {}", what(), found->birth,
                       found->death);
  for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
    const auto& [first, last] = found->rows[static_cast<std::size_t>(r - found->box.r0)];
    if (at < first || at > last)
      return fmt::format("{}: row {} is touched outside of its life, steps {} to {}", what(), r, first, last);
    for (const Absence& away : found->absences)
      if (away.row == r - found->box.r0 && away.from < at && at < away.to)
        return fmt::format("{}: row {} is touched while it is spilled, steps {} to {}", what(), r, away.from, away.to);
  }
  return "";
}

std::string check_rows(const CorePlan& plan, const Buffer& buffer, const std::string& name) {
  const auto slots = static_cast<std::size_t>(buffer.slots);
  for (std::size_t i = 0; i < buffer.rows.size(); ++i) {
    if (plan.period > 0 && buffer.rows[i].second - buffer.rows[i].first >= plan.period)
      return fmt::format("core {}: row {} of '{}' lives into the next image's turn", plan.core,
                         buffer.box.r0 + static_cast<int>(i), name);
    for (std::size_t j = i + slots; j < buffer.rows.size(); j += slots) {
      if (!plan.rows_meet(buffer, i, j)) continue;
      return fmt::format("core {}: rows {} and {} of '{}' live together in one slot", plan.core,
                         buffer.box.r0 + static_cast<int>(i), buffer.box.r0 + static_cast<int>(j), name);
    }
  }
  return "";
}

std::string check_temporaries(const CorePlan& plan, const Selected& selected, std::size_t at) {
  if (plan.scratch_bytes[at] < selected.scratch_bytes)
    return fmt::format("core {}, step {}: temporaries of {} B, planned {}", plan.core, at, selected.scratch_bytes,
                       plan.scratch_bytes[at]);
  for (const std::int32_t constant : selected.constants)
    if (!plan.constants.contains(constant))
      return fmt::format("core {}, step {}: constant {} has no place", plan.core, at, constant);
  return "";
}
}  // namespace

std::string verify_buffers(const CorePlan& plan, const EmitInput& input) {
  const auto name = [&](SpatialValueId id) -> const std::string& { return input.spatial.values[index_of(id)].name; };
  for (const Buffer& buffer : plan.buffers)
    if (std::string fault = check_rows(plan, buffer, name(buffer.value)); !fault.empty()) return fault;
  const std::vector<Step>& steps = input.steps.cores[plan.core];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::string fault;
    for_touched(steps[i], input.steps, input.spatial, [&](const Access& access) {
      if (fault.empty()) fault = check_access(plan, access, plan.time(steps[i], i), name(access.value));
    });
    if (fault.empty() && steps[i].kind == Step::Kind::compute)
      fault = check_temporaries(plan, input.operations[static_cast<std::size_t>(steps[i].index)], i);
    if (fault.empty() && steps[i].kind == Step::Kind::write && plan.scratch_bytes[i] < bytes_of_write(steps[i], input))
      fault = fmt::format("core {}, step {}: rows of weights have no place", plan.core, i);
    if (!fault.empty()) return fault;
  }
  return verify_absences(plan, input);
}

std::string print(const std::vector<CorePlan>& plans, const EmitInput& input) {
  std::string text;
  const auto name = [&](const Buffer& buffer) { return input.spatial.values[index_of(buffer.value)].name; };
  for (const CorePlan& plan : plans) {
    text += fmt::format("core {}: {} B\n", plan.core, plan.high_water);
    for (const auto& [index, address] : plan.constants)
      text += fmt::format("  {:>8} constant {} ({} B)\n", address, index, input.context.pool[index].bytes.size());
    for (const Buffer& buffer : plan.buffers) {
      text += fmt::format("  {:>8} '{}' {} {} slots{}, {} B, steps {}..{}", buffer.address, name(buffer),
                          to_string(buffer.box), buffer.slots, buffer.ring ? " (ring)" : "", buffer.bytes(),
                          buffer.birth, buffer.death);
      if (!buffer.absences.empty()) text += fmt::format(", rows are spilled {} times", buffer.absences.size());
      if (buffer.in_place_of >= 0)
        text += fmt::format(", in place of '{}'", name(plan.buffers[static_cast<std::size_t>(buffer.in_place_of)]));
      text += "\n";
    }
  }
  return text;
}

PlanStatistics statistics(const std::vector<CorePlan>& plans) {
  PlanStatistics all;
  for (const CorePlan& plan : plans) {
    all.buffers += static_cast<std::int64_t>(plan.buffers.size());
    all.in_place += std::count_if(plan.buffers.begin(), plan.buffers.end(),
                                  [](const Buffer& buffer) { return buffer.in_place_of >= 0; });
    all.largest_core = std::max(all.largest_core, plan.high_water);
  }
  return all;
}

}  // namespace pimento::pim
