#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "compiler/drivers/pim/emit/plan.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// Something that stands in memory from one step to another.
struct Item {
  Bytes bytes = 0;
  int birth = 0, death = 0;
  std::int64_t* address = nullptr;
  const Buffer* buffer = nullptr;
};
constexpr int forever = 1 << 30;

/// Whatever lives throughout meets everything; a buffer that is empty at times meets what lives while it is not.
template <class A, class B>
bool meet(const CorePlan& plan, const A& a, const B& b) {
  if (a.death == forever || b.death == forever) return true;
  if (!plan.meet(a.birth, a.death, b.birth, b.death)) return false;
  const auto is_empty_at_times = [](const Buffer* buffer) { return buffer != nullptr && buffer->lives.size() > 1; };
  if (!is_empty_at_times(a.buffer) && !is_empty_at_times(b.buffer)) return true;
  const Lives one_a{{a.birth, a.death}}, one_b{{b.birth, b.death}};
  return pim::meet(is_empty_at_times(a.buffer) ? a.buffer->lives : one_a,
                   is_empty_at_times(b.buffer) ? b.buffer->lives : one_b);
}

Bytes aligned(Bytes bytes, Bytes to) { return (bytes + to - 1) / to * to; }

/// First fit: every item at the lowest aligned address free throughout its life. Returns the high-water mark.
Bytes first_fit(const CorePlan& plan, std::vector<Item>& items, Bytes alignment) {
  struct Taken {
    std::int64_t begin = 0, end = 0;
    const Item* by = nullptr;
  };
  std::vector<Taken> taken;  // by address; what lives throughout and touches is one
  Bytes top = 0;
  for (Item& item : items) {
    std::int64_t address = 0;
    for (const Taken& other : taken) {
      if (address + item.bytes <= other.begin) break;
      if (other.end <= address || !meet(plan, *other.by, item)) continue;
      address = aligned(other.end, alignment);
    }
    *item.address = address;
    const std::int64_t end = address + item.bytes;
    top = std::max(top, end);
    const auto after = std::upper_bound(taken.begin(), taken.end(), address,
                                        [](std::int64_t at, const Taken& t) { return at < t.begin; });
    if (item.death == forever && after != taken.begin()) {
      Taken& before = *std::prev(after);
      if (before.by->death == forever && aligned(before.end, alignment) == address) {
        before.end = end;
        continue;
      }
    }
    taken.insert(after, {address, end, &item});
  }
  return top;
}

class Placer {
 public:
  Placer(CorePlan& plan, const EmitInput& input) : plan_(plan), input_(input) {
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
      if (plan.buffers[b].in_place_of >= 0) proposed_.emplace_back(b, plan.buffers[b].in_place_of);
      plan.buffers[b].in_place_of = -1;
    }
  }

  bool run() {
    const auto& memory = input_.context.chip.core.local_memory;
    // The same address for the temporaries of every compute keeps equal computes equal; two of them in turn let the
    // next compute begin while the last one ends. Where memory is short, each compute takes what is free at its step.
    const int areas = input_.context.chip.core.window > 1 ? 2 : 1;
    // A tight core tries other orders as well.
    const int last = std::ranges::count(input_.steps.tight, plan_.core) > 0 ? longest_first : 0;
    for (int shared = areas; shared >= last; --shared) {
      plan_.high_water = attempt(shared);
      try_in_place(shared);
      if (plan_.high_water <= memory.capacity) return true;
    }
    return false;
  }

 private:
  /// Below 0 shared areas: temporaries have no places of their own but are ordered among the buffers.
  static constexpr int largest_first = -1, longest_first = -2;

  /// Buffers in each other's place are kept where they lower the high-water mark.
  void try_in_place(int shared) {
    if (proposed_.empty()) return;
    for (const auto& [buffer, of] : proposed_) plan_.buffers[buffer].in_place_of = of;
    const Bytes together = attempt(shared);
    if (together < plan_.high_water) {
      plan_.high_water = together;
      return;
    }
    for (const auto& [buffer, of] : proposed_) plan_.buffers[buffer].in_place_of = -1;
    plan_.high_water = attempt(shared);
  }

  Bytes attempt(int shared) {
    const Bytes alignment = std::max<Bytes>(input_.context.chip.core.local_memory.width, 1);
    std::vector<Item> items;
    for (auto& [index, address] : plan_.constants) {
      items.push_back({static_cast<Bytes>(input_.context.pool[index].bytes.size()), 0, forever, &address, nullptr});
    }
    const Bytes largest =
        plan_.scratch_bytes.empty() ? 0 : *std::max_element(plan_.scratch_bytes.begin(), plan_.scratch_bytes.end());
    std::vector<std::int64_t> areas(static_cast<std::size_t>(std::max(0, shared)), 0);
    for (std::int64_t& area : areas) {
      if (largest > 0) items.push_back({largest, 0, forever, &area, nullptr});
    }
    std::vector<int> deaths(plan_.buffers.size());  // of the last buffer that takes each one's place
    for (std::size_t b = 0; b < deaths.size(); ++b) deaths[b] = plan_.buffers[b].death;
    std::vector<Buffer*> order;
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      Buffer& buffer = plan_.buffers[b];
      if (buffer.in_place_of < 0)
        order.push_back(&buffer);
      else
        deaths[root(b)] = std::max(deaths[root(b)], buffer.death);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Buffer* a, const Buffer* b) { return a->bytes() > b->bytes(); });
    for (Buffer* buffer : order) {
      const int death = deaths[static_cast<std::size_t>(buffer - plan_.buffers.data())];
      items.push_back({buffer->bytes(), buffer->birth, death, &buffer->address, buffer});
    }
    if (shared <= 0) {
      for (std::size_t step = 0; step < plan_.scratch_bytes.size(); ++step) {
        const int at = plan_.time(input_.steps.cores[plan_.core][step], step);
        if (plan_.scratch_bytes[step] > 0)
          items.push_back({plan_.scratch_bytes[step], at, at, &plan_.scratch_base[step], nullptr});
      }
    }
    if (shared == largest_first)
      std::ranges::stable_sort(items, std::ranges::greater(), [](const Item& item) { return item.bytes; });
    if (shared == longest_first)
      std::ranges::stable_sort(items, std::ranges::greater(), [](const Item& item) { return item.death - item.birth; });
    const Bytes top = first_fit(plan_, items, alignment);
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].in_place_of >= 0) plan_.buffers[b].address = plan_.buffers[root(b)].address;
    int turn = 0;
    for (std::size_t step = 0; step < plan_.scratch_bytes.size() && shared > 0; ++step) {
      if (plan_.scratch_bytes[step] > 0) plan_.scratch_base[step] = areas[static_cast<std::size_t>(turn++ % shared)];
    }
    return top;
  }

  /// The buffer at the end of the chain of places taken over.
  std::size_t root(std::size_t buffer) const {
    while (plan_.buffers[buffer].in_place_of >= 0) buffer = static_cast<std::size_t>(plan_.buffers[buffer].in_place_of);
    return buffer;
  }

  CorePlan& plan_;
  const EmitInput& input_;
  std::vector<std::pair<std::size_t, std::ptrdiff_t>> proposed_;  ///< (buffer, whose place)
};

[[noreturn]] void overflow(const CorePlan& plan, const EmitInput& input) {
  std::vector<std::pair<Bytes, std::string>> consumers;
  for (const Buffer& buffer : plan.buffers) {
    consumers.emplace_back(buffer.bytes(),
                           fmt::format("'{}' {} rows of {} B", input.spatial.values[index_of(buffer.value)].name,
                                       buffer.slots, buffer.row_pitch()));
  }
  const Bytes temporaries = *std::max_element(plan.scratch_bytes.begin(), plan.scratch_bytes.end());
  if (temporaries > 0) consumers.emplace_back(temporaries, "temporaries of one compute");
  Bytes constants = 0;
  for (const auto& [index, address] : plan.constants)
    constants += static_cast<Bytes>(input.context.pool[index].bytes.size());
  if (constants > 0) consumers.emplace_back(constants, "constants");
  std::stable_sort(consumers.begin(), consumers.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(consumers.size(), 4); ++i) {
    largest += fmt::format("{}{} ({} B)", i == 0 ? "" : ", ", consumers[i].second, consumers[i].first);
  }
  const auto& chip = input.context.chip;
  throw LocalMemoryFull(
      fmt::format("chip '{}', stage plan-liveness: core {} needs {} B of local memory, {} on the chip; largest: {}",
                  chip.name, plan.core, plan.high_water, chip.core.local_memory.capacity, largest));
}
}  // namespace

bool try_place(CorePlan& plan, const EmitInput& input) { return Placer(plan, input).run(); }

void place(CorePlan& plan, const EmitInput& input) {
  if (!try_place(plan, input)) overflow(plan, input);
}

std::vector<CorePlan> plan_liveness(std::vector<CorePlan> plans, const EmitInput& input) {
  for (CorePlan& plan : plans) place(plan, input);
  return plans;
}

namespace {
struct Standing {
  std::int64_t begin, end;
  int birth, death;
  std::int64_t index;  ///< of a constant, or the step of temporaries
  const Buffer* buffer = nullptr;
  bool is_temporary = false;
};
/// `later` takes the place of `earlier`, directly or through others, and every row dies there before or as it is born
/// here.
bool in_place(const CorePlan& plan, const Buffer& earlier, const Buffer& later) {
  const Buffer* at = &later;
  while (at != &earlier && at->in_place_of >= 0) at = &plan.buffers[static_cast<std::size_t>(at->in_place_of)];
  if (at != &earlier || earlier.address != later.address || earlier.bytes() != later.bytes()) return false;
  for (std::size_t r = 0; r < earlier.rows.size(); ++r)
    if (later.rows[r].first >= 0 && earlier.rows[r].second > later.rows[r].first) return false;
  return !earlier.ring && !later.ring;
}
bool allowed(const CorePlan& plan, const Standing& a, const Standing& b) {
  return a.buffer != nullptr && b.buffer != nullptr &&
         (in_place(plan, *a.buffer, *b.buffer) || in_place(plan, *b.buffer, *a.buffer));
}
}  // namespace

std::string verify_places(const CorePlan& plan, const EmitInput& input) {
  std::vector<Standing> all;
  for (const auto& [index, address] : plan.constants) {
    const auto bytes = static_cast<std::int64_t>(input.context.pool[index].bytes.size());
    all.push_back({address, address + bytes, 0, forever, index});
  }
  for (const Buffer& buffer : plan.buffers)
    all.push_back({buffer.address, buffer.address + buffer.bytes(), buffer.birth, buffer.death, 0, &buffer});
  for (std::size_t step = 0; step < plan.scratch_bytes.size(); ++step) {
    if (plan.scratch_bytes[step] == 0) continue;
    const int at = plan.time(input.steps.cores[plan.core][step], step);
    all.push_back({plan.scratch_base[step], plan.scratch_base[step] + plan.scratch_bytes[step], at, at,
                   static_cast<std::int64_t>(step), nullptr, true});
  }
  const auto name = [&](const Standing& each) {
    if (each.buffer != nullptr) return fmt::format("'{}'", input.spatial.values[index_of(each.buffer->value)].name);
    if (each.death == forever) return fmt::format("constant {}", each.index);
    return fmt::format("temporaries of step {}", each.index);
  };
  const Bytes capacity = input.context.chip.core.local_memory.capacity;
  for (const Standing& each : all)
    if (each.begin < 0 || each.end > plan.high_water || each.end > capacity)
      return fmt::format("core {}: {} [{}, {}) lies outside of the {} B in use, the chip has {}", plan.core, name(each),
                         each.begin, each.end, plan.high_water, capacity);
  std::ranges::stable_sort(all, {}, &Standing::begin);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size() && all[j].begin < all[i].end; ++j) {
      const Standing &a = all[i], &b = all[j];
      if (a.is_temporary && b.is_temporary) continue;  // of different steps: they never meet
      if (b.end <= a.begin || !meet(plan, a, b) || allowed(plan, a, b)) continue;
      return fmt::format("core {}: {} [{}, {}) and {} [{}, {}) overlap while both live", plan.core, name(a), a.begin,
                         a.end, name(b), b.begin, b.end);
    }
  return "";
}

}  // namespace pimento::pim
