#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {
namespace {

class Bufferiser {
 public:
  Bufferiser(const EmitInput& input, CoreId core) : input_(input) { plan_.core = core; }

  CorePlan run() {
    const std::vector<Step>& steps = input_.steps.cores[plan_.core];
    plan_.scratch_bytes.assign(steps.size(), 0);
    plan_.scratch_base.assign(steps.size(), -1);
    // Twice over the steps: the extents of a buffer, then the lives of its rows.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < steps.size(); ++i) walk(steps[i], static_cast<int>(i), pass == 1);
      if (pass == 0) {
        for (Buffer& buffer : plan_.buffers) buffer.rows.assign(static_cast<std::size_t>(buffer.box.rows()), {-1, -1});
      }
    }
    for (Buffer& buffer : plan_.buffers) choose_slots(buffer);
    return std::move(plan_);
  }

 private:
  void walk(const Step& step, int at, bool lives) {
    const auto index = static_cast<std::size_t>(step.index);
    if (step.kind != Step::Kind::compute) return touch(input_.steps.transfers[index].what, at, lives);
    const Compute& compute = input_.spatial.computes[index];
    for (const Access& read : compute.reads) touch(read, at, lives);
    touch(compute.write, at, lives);
    if (!lives) return;
    const Selected& selected = input_.selected[index];
    plan_.scratch_bytes[static_cast<std::size_t>(at)] = selected.scratch_bytes;
    for (const std::int32_t constant : selected.constants) plan_.constants.emplace(constant, -1);
  }
  void touch(const Access& access, int at, bool lives) {
    if (access.box.empty()) return;
    const auto [found, is_new] = plan_.buffer_of.try_emplace(access.value, plan_.buffers.size());
    if (is_new) {
      Buffer fresh;
      fresh.value = access.value;
      fresh.element = size_of(input_.spatial.values[index_of(access.value)].type);
      fresh.birth = at;
      plan_.buffers.push_back(fresh);
    }
    Buffer& buffer = plan_.buffers[found->second];
    buffer.box = bounding(buffer.box, access.box);
    buffer.death = std::max(buffer.death, at);
    if (!lives) return;
    for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
      auto& [first, last] = buffer.rows[static_cast<std::size_t>(r - buffer.box.r0)];
      if (first < 0) first = at;
      last = at;
    }
  }
  /// Rows that ever live together are less than `slots` apart, so no two of them share one.
  static void choose_slots(Buffer& buffer) {
    const auto count = buffer.rows.size();
    buffer.slots = 1;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = count; j-- > i + static_cast<std::size_t>(buffer.slots);) {
        const auto& [first, last] = buffer.rows[i];
        const auto& [other_first, other_last] = buffer.rows[j];
        if (first < 0 || other_first < 0 || last < other_first || other_last < first) continue;
        buffer.slots = static_cast<std::int32_t>(j - i) + 1;
        break;
      }
    }
    buffer.ring = buffer.slots < buffer.box.rows();
  }
  const EmitInput& input_;
  CorePlan plan_;
};
}  // namespace

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

CorePlan bufferise(const EmitInput& input, CoreId core) { return Bufferiser(input, core).run(); }

std::string print(const CorePlan& plan, const EmitInput& input) {
  std::string text = fmt::format("core {}: {} B\n", plan.core, plan.high_water);
  for (const auto& [index, address] : plan.constants) {
    text += fmt::format("  {:>8} constant {} ({} B)\n", address, index, input.context.pool[index].bytes.size());
  }
  for (const Buffer& buffer : plan.buffers) {
    text += fmt::format("  {:>8} '{}' {} {} slots{}, {} B, steps {}..{}\n", buffer.address,
                        input.spatial.values[index_of(buffer.value)].name, to_string(buffer.box), buffer.slots,
                        buffer.ring ? " (ring)" : "", buffer.bytes(), buffer.birth, buffer.death);
  }
  return text;
}

}  // namespace pimento::pim
