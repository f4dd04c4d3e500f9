#include "compiler/drivers/pim/emit/spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/emit/spill_choice.hpp"
#include "compiler/drivers/pim/schedule/playthrough.hpp"

namespace pimento::pim {
namespace {

/// How many steps before its reader a load may stand.
constexpr std::array leads{1, 2, 4, 8, 16};

/// A transfer and where it goes: loads that stand before a step come after the stores behind the step before.
struct Inserted {
  int before = 0;
  bool is_load = false;
  int needed = 0;  ///< loads: the step of the reader
  Transfer transfer;

  auto columns() const {
    const PBox& b = transfer.what.box;
    return std::tuple(before, is_load, needed, transfer.what.value, transfer.region, b.p0, b.p1, b.c0, b.c1);
  }
  bool operator<(const Inserted& o) const {
    return std::tuple_cat(columns(), std::tuple(transfer.what.box.r0)) <
           std::tuple_cat(o.columns(), std::tuple(o.transfer.what.box.r0));
  }
};

/// Rows that follow each other at one place go as one.
std::vector<Inserted> joined(std::vector<Inserted> all) {
  std::sort(all.begin(), all.end());
  std::vector<Inserted> found;
  for (Inserted& each : all) {
    if (!found.empty() && found.back().columns() == each.columns() &&
        found.back().transfer.what.box.r1 == each.transfer.what.box.r0)
      found.back().transfer.what.box.r1 = each.transfer.what.box.r1;
    else
      found.push_back(std::move(each));
  }
  return found;
}

/// Adds the spills of a core to the steps.
void insert(const std::vector<Spill>& spills, CoreId core, int lead, Steps& steps) {
  std::map<std::size_t, std::int32_t> region_of;  // by buffer
  std::vector<Inserted> all;
  for (const Spill& spill : spills) {
    std::int32_t region = -1;
    if (!spill.on_port) {
      const auto [at, is_new] = region_of.try_emplace(spill.buffer, static_cast<std::int32_t>(steps.regions.size()));
      if (is_new) steps.regions.push_back({spill.what.value, spill.what.box, core});
      region = at->second;
      PBox& box = steps.regions[static_cast<std::size_t>(region)].box;
      box = bounding(box, spill.what.box);
    }
    Transfer t;
    t.what = spill.what;
    t.region = region;
    if (!spill.stored) {
      t.kind = Transfer::Kind::store;
      t.source = core;
      t.producer = spill.producer;
      all.push_back({spill.from + 1, false, 0, t});
    }
    t.kind = Transfer::Kind::load;
    t.source = 0;
    t.producer = ComputeId{-1};
    t.destinations = {core};
    t.again = true;
    all.push_back({std::max(spill.earliest, spill.to - lead), true, spill.to, std::move(t)});
  }
  all = joined(std::move(all));
  std::vector<Step> order;
  auto next = all.begin();
  const std::vector<Step> before = std::exchange(steps.cores[core], {});
  for (std::size_t i = 0; i <= before.size(); ++i) {
    for (; next != all.end() && next->before == static_cast<int>(i); ++next) {
      order.push_back(
          {next->is_load ? Step::Kind::load : Step::Kind::store, static_cast<std::int32_t>(steps.transfers.size()), 0});
      steps.transfers.push_back(std::move(next->transfer));
    }
    if (i < before.size()) order.push_back(before[i]);
  }
  steps.cores[core] = std::move(order);
}

class Spiller {
 public:
  explicit Spiller(const EmitInput& input)
      : input_(input), costs_(input.spatial, input.context.chip), spilled_(input.steps) {}

  Steps run() {
    for (std::size_t core = 0; core < input_.steps.cores.size(); ++core) choose(static_cast<CoreId>(core));
    if (chosen_.empty()) return std::move(spilled_);
    Cycles end = play_through(spilled_, input_.spatial, input_.context.chip);
    for (const int most : leads) {
      Steps steps = input_.steps;
      steps.tight = spilled_.tight;
      for (const auto& [core, spills] : chosen_)
        for (int lead = most; insert_if_fits(spills, core, lead, steps) > capacity(); lead /= 2) continue;
      if (const Cycles other = play_through(steps, input_.spatial, input_.context.chip); other < end)
        spilled_ = std::move(steps), end = other;
    }
    return std::move(spilled_);
  }

 private:
  const EmitInput& input_;
  MoveCosts costs_;
  Steps spilled_;
  std::vector<std::pair<CoreId, std::vector<Spill>>> chosen_;

  Bytes capacity() const { return input_.context.chip.core.local_memory.capacity; }
  /// The local memory that a core needs with these spills, which stay among the steps when it has so much.
  Bytes insert_if_fits(const std::vector<Spill>& spills, CoreId core, int lead, Steps& steps) const {
    const std::size_t transfers = steps.transfers.size(), regions = steps.regions.size();
    std::vector<Step> order = steps.cores[core];
    insert(spills, core, lead, steps);
    const EmitInput input{input_.context, input_.spatial, input_.schedule, steps, input_.operations};
    CorePlan plan = bufferise(input, core);
    if (try_place(plan, input)) return plan.high_water;
    steps.transfers.resize(transfers);
    steps.regions.resize(regions);
    steps.cores[core] = std::move(order);
    return plan.high_water;
  }

  void choose(CoreId core) {
    CorePlan plan = bufferise(input_, core);
    CorePlan placed = plan;
    if (try_place(placed, input_)) return;
    if (input_.steps.stages > 1)
      throw DoesNotFit(fmt::format("chip '{}', stage spill: images overlap on core {}, which spills nothing then",
                                   input_.context.chip.name, core));
    spilled_.tight.push_back(core);
    if (insert_if_fits({}, core, 0, spilled_) <= capacity()) return;
    SpillChoice choice(input_, plan, costs_);
    // what lives together may leave holes between: then less than all of the memory is counted on
    for (Bytes room = capacity();;) {
      if (!choice.fit(room)) place(plan, input_);  // which says what is short
      std::vector<Spill> spills = choice.chosen();
      const Bytes high = insert_if_fits(spills, core, 0, spilled_);
      if (high <= capacity()) {
        chosen_.emplace_back(core, std::move(spills));
        return;
      }
      room -= std::max(high - capacity(), capacity() / 64 + 1);
    }
  }
};

}  // namespace

Steps spill(const EmitInput& input) { return Spiller(input).run(); }

SpillStatistics spill_statistics(const Steps& steps, const Spatial& spatial) {
  SpillStatistics all;
  for (const std::vector<Step>& order : steps.cores) {
    bool spills = false;
    for (const Step& step : order) {
      if (step.kind != Step::Kind::load && step.kind != Step::Kind::store) continue;
      const Transfer& t = steps.transfers[static_cast<std::size_t>(step.index)];
      if (!t.again && t.region < 0) continue;
      spills = true;
      const Bytes bytes = t.what.box.elements() * size_of(spatial.values[index_of(t.what.value)].type);
      if (step.kind == Step::Kind::load)
        ++all.loads, all.loaded += bytes;
      else
        ++all.stores, all.stored += bytes;
    }
    all.cores += spills ? 1 : 0;
  }
  return all;
}

}  // namespace pimento::pim
