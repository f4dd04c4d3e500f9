#include "compiler/drivers/pim/emit/spill_choice.hpp"

#include <algorithm>
#include <tuple>

#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

/// What has been written of a row so far.
struct Written {
  PBox all;
  std::int64_t elements = 0, on_port = 0;
  ComputeId producer{-1};
  bool is_box() const { return !all.empty() && elements == all.elements(); }
};

bool lives_at(const Lives& lives, int step) {
  const auto after =
      std::upper_bound(lives.begin(), lives.end(), step, [](int at, const auto& life) { return at < life.first; });
  return after != lives.begin() && step <= std::prev(after)->second;
}

/// Fewer slots that are tried: all of a few, some of many.
std::vector<std::int32_t> fewer_slots(std::int32_t slots) {
  std::vector<std::int32_t> found;
  for (std::int32_t n = 1; n < slots; n += std::max(1, n / 4)) found.push_back(n);
  return found;
}

}  // namespace

SpillChoice::SpillChoice(const EmitInput& input, const CorePlan& plan, const MoveCosts& costs)
    : input_(input),
      plan_(plan),
      costs_(costs),
      alignment_(std::max<Bytes>(input.context.chip.core.local_memory.width, 1)) {
  const auto aligned = [&](Bytes bytes) { return ceil_div(bytes, alignment_) * alignment_; };
  Bytes constants = 0;
  for (const auto& [index, address] : plan.constants)
    constants += aligned(static_cast<Bytes>(input.context.pool[index].bytes.size()));
  for (const Bytes bytes : plan.scratch_bytes) demand_.push_back(constants + aligned(bytes));
  for (const Buffer& buffer : plan.buffers) parts_.push_back({buffer, std::vector<Row>(buffer.rows.size()), 0});
  find_touches();
  for (Part& part : parts_) {
    find_lives(part.shape);
    part.bytes = aligned(part.shape.bytes());
    add_demand(part, 1);
  }
}

void SpillChoice::find_touches() {
  std::vector<std::vector<Written>> written;
  for (const Part& part : parts_) written.emplace_back(part.rows.size());
  const auto touch = [&](const Access& access, int at) {
    if (access.box.empty()) return;
    const std::size_t b = plan_.buffer_at(access.value, access.box.p0, access.box.c0);
    const SpatialValue& value = input_.spatial.values[index_of(access.value)];
    for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
      const auto at_row = static_cast<std::size_t>(r - parts_[b].shape.box.r0);
      Row& row = parts_[b].rows[at_row];
      const Written& has = written[b][at_row];
      if (!row.touched.empty() && row.touched.back() == at) continue;
      if (!row.touched.empty()) {
        Wait wait;
        if (has.is_box()) wait.box = has.all;
        wait.on_port = value.role == ValueRole::input || has.on_port == has.elements;
        wait.producer = has.producer;
        row.waits.push_back(wait);
      }
      row.touched.push_back(at);
    }
  };
  const auto write = [&](const Access& access, ComputeId producer) {
    const PBox box = intersect(access.box, input_.spatial.values[index_of(access.value)].whole());
    if (box.empty()) return;
    const std::size_t b = plan_.buffer_at(access.value, access.box.p0, access.box.c0);
    for (std::int32_t r = box.r0; r < box.r1; ++r) {
      Written& has = written[b][static_cast<std::size_t>(r - parts_[b].shape.box.r0)];
      PBox row = box;
      row.r0 = r, row.r1 = r + 1;
      has.all = bounding(has.all, row);
      has.elements += row.elements();
      has.producer = producer;
    }
  };
  const std::vector<Step>& steps = input_.steps.cores[plan_.core];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto index = static_cast<std::size_t>(steps[i].index);
    const int at = static_cast<int>(i);
    if (steps[i].kind == Step::Kind::write) continue;
    if (steps[i].kind == Step::Kind::compute) {
      const Compute& compute = input_.spatial.computes[index];
      for (const Access& read : compute.reads) touch(read, at);
      touch(compute.write, at);
      write(compute.write, ComputeId{steps[i].index});
      continue;
    }
    const Transfer& t = input_.steps.transfers[index];
    touch(t.what, at);
    if (steps[i].kind == Step::Kind::receive || steps[i].kind == Step::Kind::load) write(t.what, t.producer);
    if (steps[i].kind == Step::Kind::store) {
      const std::size_t b = plan_.buffer_at(t.what.value, t.what.box.p0, t.what.box.c0);
      for (std::int32_t r = t.what.box.r0; r < t.what.box.r1; ++r)
        written[b][static_cast<std::size_t>(r - parts_[b].shape.box.r0)].on_port +=
            std::int64_t{t.what.box.positions()} * t.what.box.channels();
    }
  }
}

void SpillChoice::add_demand(const Part& part, Bytes sign) {
  for (const auto& [first, last] : part.shape.lives)
    for (int step = first; step <= last; ++step) demand_[static_cast<std::size_t>(step)] += sign * part.bytes;
}

/// A slot holds one row at a time: a row that is touched while another one waits there sends that one away.
std::optional<SpillChoice::Waits> SpillChoice::waits_for_slots(const Part& part, std::int32_t slots) const {
  if (part.shape.whole) return {};
  Waits found;
  std::vector<std::tuple<int, std::size_t, std::size_t>> touches;  // (step, row, which of its touches)
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(slots); ++slot) {
    touches.clear();
    for (std::size_t r = slot; r < part.rows.size(); r += static_cast<std::size_t>(slots))
      for (std::size_t k = 0; k < part.rows[r].touched.size(); ++k) touches.emplace_back(part.rows[r].touched[k], r, k);
    std::sort(touches.begin(), touches.end());
    for (std::size_t i = 0; i + 1 < touches.size(); ++i) {
      const auto& [step, r, k] = touches[i];
      const auto& [next_step, next_row, next_k] = touches[i + 1];
      if (next_row == r) continue;
      if (next_step == step) return {};
      if (k >= part.rows[r].waits.size() || part.rows[r].waits[k].spilled) continue;
      if (part.rows[r].waits[k].box.empty()) return {};
      found.emplace_back(r, k);
    }
  }
  return found;
}

/// All rows that are there at a step which touches none of them.
std::optional<SpillChoice::Waits> SpillChoice::waits_at(const Part& part, int step) const {
  Waits found;
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    const Row& row = part.rows[r];
    const auto after = std::lower_bound(row.touched.begin(), row.touched.end(), step);
    if (after == row.touched.end() || (after == row.touched.begin() && *after != step)) continue;
    if (*after == step) return {};
    const auto k = static_cast<std::size_t>(after - row.touched.begin()) - 1;
    if (row.waits[k].spilled) continue;
    if (row.waits[k].box.empty()) return {};
    found.emplace_back(r, k);
  }
  return found;
}

void SpillChoice::set(Part& part, const Waits& waits, bool spilled) const {
  for (const auto& [r, k] : waits) part.rows[r].waits[k].spilled = spilled;
  part.shape.absences.clear();
  for (std::size_t r = 0; r < part.rows.size(); ++r)
    for (std::size_t k = 0; k < part.rows[r].waits.size(); ++k)
      if (part.rows[r].waits[k].spilled)
        part.shape.absences.push_back(
            {static_cast<std::int32_t>(r), part.rows[r].touched[k], part.rows[r].touched[k + 1]});
  find_lives(part.shape);
  part.shape.slots = least_slots(plan_, part.shape);
  part.bytes = ceil_div(part.shape.bytes(), alignment_) * alignment_;
}

Cycles SpillChoice::cost(const Part& part) const {
  const SpatialValue& value = input_.spatial.values[index_of(part.shape.value)];
  Cycles sum = 0;
  for (const Row& row : part.rows) {
    PBox stored;
    for (const Wait& wait : row.waits) {
      if (!wait.spilled) continue;
      const Bytes bytes = costs_.bytes(value, wait.box);
      sum += costs_.load(plan_.core, bytes);
      if (wait.on_port || wait.box == stored) continue;
      sum += costs_.store(plan_.core, bytes);
      stored = wait.box;
    }
  }
  return sum;
}

void SpillChoice::consider(std::size_t index, const std::optional<Waits>& waits, int worst,
                           std::optional<Move>& best) const {
  if (!waits || waits->empty()) return;
  const Part& now = parts_[index];
  Part then = now;
  set(then, *waits, true);
  const auto taken = [](const Part& part, int step) { return lives_at(part.shape.lives, step) ? part.bytes : 0; };
  if (taken(then, worst) >= taken(now, worst)) return;
  double relieved = 0;
  for (const int step : short_) {
    const Bytes less = taken(now, step) - taken(then, step);
    relieved += static_cast<double>(std::min(less, demand_[static_cast<std::size_t>(step)] - room_));
  }
  const auto cycles = static_cast<double>(std::max<Cycles>(1, cost(then) - cost(now)));
  const double worth = relieved / cycles;
  if (relieved > 0 && (!best || worth > best->worth)) best = Move{index, *waits, worth};
}

bool SpillChoice::fit(Bytes room) {
  room_ = room;
  while (true) {
    short_.clear();
    int worst = -1;
    for (std::size_t step = 0; step < demand_.size(); ++step) {
      if (demand_[step] <= room) continue;
      short_.push_back(static_cast<int>(step));
      if (worst < 0 || demand_[step] > demand_[static_cast<std::size_t>(worst)]) worst = static_cast<int>(step);
    }
    if (worst < 0) return true;
    std::optional<Move> best;  // of equal ones the first: buffers in order, fewer slots before all of them
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (!lives_at(parts_[part].shape.lives, worst)) continue;
      for (const std::int32_t slots : fewer_slots(parts_[part].shape.slots))
        consider(part, waits_for_slots(parts_[part], slots), worst, best);
      consider(part, waits_at(parts_[part], worst), worst, best);
    }
    if (!best) return false;
    Part& part = parts_[best->part];
    add_demand(part, -1);
    set(part, best->waits, true);
    add_demand(part, 1);
  }
}

std::vector<Spill> SpillChoice::chosen() const {
  std::vector<Spill> all;
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const Part& part = parts_[b];
    const auto slots = static_cast<std::size_t>(part.shape.slots);
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
      PBox stored;
      for (std::size_t k = 0; k < part.rows[r].waits.size(); ++k) {
        const Wait& wait = part.rows[r].waits[k];
        if (!wait.spilled) continue;
        Spill spill{{part.shape.value, wait.box}, b, part.rows[r].touched[k], part.rows[r].touched[k + 1]};
        spill.on_port = wait.on_port;
        spill.stored = wait.on_port || wait.box == stored;
        spill.producer = wait.producer;
        spill.earliest = spill.from + 1;
        for (std::size_t mate = r % slots; mate < part.rows.size(); mate += slots) {
          const std::vector<int>& touched = part.rows[mate].touched;
          const auto next = std::lower_bound(touched.begin(), touched.end(), spill.to);
          if (mate != r && next != touched.begin()) spill.earliest = std::max(spill.earliest, *std::prev(next) + 1);
        }
        stored = wait.box;
        all.push_back(std::move(spill));
      }
    }
  }
  return all;
}

}  // namespace pimento::pim
