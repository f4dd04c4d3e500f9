// What must hold of spilled rows, by looking at every core's steps anew.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/drivers/pim/emit/spill.hpp"

namespace pimento::pim {
namespace {

bool contains(const PBox& outer, const PBox& inner) { return intersect(outer, inner) == inner; }
PBox row_of(PBox box, std::int32_t row) {
  box.r0 = row, box.r1 = row + 1;
  return box;
}
bool any_contains(const std::vector<PBox>& all, const PBox& box) {
  return std::any_of(all.begin(), all.end(), [&](const PBox& each) { return contains(each, box); });
}
bool is_spill(const Transfer& t) { return t.again || t.region >= 0; }

/// Follows one core.
class SpillCheck {
 public:
  SpillCheck(const Steps& before, const Steps& after, const Spatial& spatial, CoreId core, std::vector<int>& seen)
      : before_(before), after_(after), spatial_(spatial), core_(core), seen_(seen) {}

  std::string run() {
    std::size_t at = 0;
    const std::vector<Step>& was = before_.cores[core_];
    for (const Step& step : after_.cores[core_]) {
      if (is_new(step)) {
        if (std::string fault = spill(step, transfer(step)); !fault.empty()) return fault;
        continue;
      }
      if (at == was.size() || was[at].kind != step.kind || was[at].index != step.index || was[at].stage != step.stage)
        return fmt::format("core {}: step {} is another one than before", core_, at);
      ++at;
      touch(step);
    }
    if (at != was.size()) return fmt::format("core {}: {} steps, there were {}", core_, at, was.size());
    for (const auto& [key, boxes] : unread_)
      for (const PBox& box : boxes) return describe(key.first, box) + " is loaded for nobody";
    for (const auto& [key, stored] : unloaded_) return describe(stored.value, stored.box) + " is stored and not loaded";
    return "";
  }

 private:
  using Key = std::pair<SpatialValueId, std::int32_t>;  ///< value and row

  bool is_new(const Step& step) const {
    return step.kind != Step::Kind::compute && step.kind != Step::Kind::write &&
           static_cast<std::size_t>(step.index) >= before_.transfers.size();
  }
  const Transfer& transfer(const Step& step) const { return after_.transfers[static_cast<std::size_t>(step.index)]; }
  std::string describe(SpatialValueId value, const PBox& box) const {
    return fmt::format("core {}: '{}' {}", core_, spatial_.values[index_of(value)].name, to_string(box));
  }

  std::string spill(const Step& step, const Transfer& t) {
    const std::string what = describe(t.what.value, t.what.box);
    ++seen_[static_cast<std::size_t>(step.index) - before_.transfers.size()];
    if (!is_spill(t) || (step.kind == Step::Kind::load) != t.again) return what + " is moved and not spilled";
    if (t.region >= 0) {
      if (static_cast<std::size_t>(t.region) >= after_.regions.size()) return what + " goes to no place";
      const SpillRegion& region = after_.regions[static_cast<std::size_t>(t.region)];
      if (region.core != core_ || region.value != t.what.value || !contains(region.box, t.what.box))
        return fmt::format("{} goes to the place of '{}' {} of core {}", what,
                           spatial_.values[index_of(region.value)].name, to_string(region.box), region.core);
    }
    for (std::int32_t r = t.what.box.r0; r < t.what.box.r1; ++r) {
      const PBox row = row_of(t.what.box, r);
      const bool from_input = spatial_.values[index_of(t.what.value)].role == ValueRole::input;
      std::vector<PBox>& stored = stored_[{t.what.value, r}][t.region];
      if (step.kind == Step::Kind::load) {
        if (!(t.region < 0 && from_input) && !any_contains(stored, row))
          return describe(t.what.value, row) + " is loaded before it is stored";
        std::vector<PBox>& unread = unread_[{t.what.value, r}];
        for (const PBox& other : unread)
          if (!intersect(other, row).empty()) return describe(t.what.value, other) + " is loaded for nobody";
        unread.push_back(row);
        std::erase_if(unloaded_, [&](const auto& each) {
          return each.first == std::pair(t.region, r) && contains(row, each.second.box);
        });
      } else {
        if (any_contains(stored, row)) return describe(t.what.value, row) + " is stored twice";
        stored.push_back(row);
        if (const auto [at, is_new] = unloaded_.try_emplace({t.region, r}, Access{t.what.value, row}); !is_new)
          return describe(at->second.value, at->second.box) + " is stored and not loaded";
      }
    }
    return "";
  }

  void touch(const Step& step) {
    // what is added to a row needs the row as well
    const auto use = [&](const Access& access) {
      for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) unread_.erase({access.value, r});
    };
    if (step.kind == Step::Kind::write) return;
    if (step.kind != Step::Kind::compute) {
      const Transfer& t = transfer(step);
      if (step.kind == Step::Kind::store)
        for (std::int32_t r = t.what.box.r0; r < t.what.box.r1; ++r) on_port(t.what.value, row_of(t.what.box, r));
      return use(t.what);
    }
    const Compute& compute = spatial_.computes[static_cast<std::size_t>(step.index)];
    for (const Access& read : compute.reads) use(read);
    use(compute.write);
  }
  /// Pieces side by side are one.
  void on_port(SpatialValueId value, const PBox& row) {
    std::vector<PBox>& pieces = stored_[{value, row.r0}][-1];
    PBox all = row;
    for (const PBox& piece : pieces)
      if (const PBox both = bounding(all, piece); both.elements() == all.elements() + piece.elements()) all = both;
    pieces.push_back(all);
  }

  const Steps &before_, &after_;
  const Spatial& spatial_;
  CoreId core_;
  std::vector<int>& seen_;
  std::map<Key, std::map<std::int32_t, std::vector<PBox>>> stored_;   ///< by place; -1: the port
  std::map<Key, std::vector<PBox>> unread_;                           ///< loaded, and not used yet
  std::map<std::pair<std::int32_t, std::int32_t>, Access> unloaded_;  ///< by place and row
};

}  // namespace

std::string verify_spills(const Steps& before, const Steps& after, const Spatial& spatial) {
  if (after.cores.size() != before.cores.size() || after.transfers.size() < before.transfers.size())
    return fmt::format("{} cores and {} transfers, there were {} and {}", after.cores.size(), after.transfers.size(),
                       before.cores.size(), before.transfers.size());
  for (std::size_t t = 0; t < before.transfers.size(); ++t)
    if (is_spill(after.transfers[t])) return fmt::format("transfer {} was none of a spill", t);
  std::vector<int> seen(after.transfers.size() - before.transfers.size(), 0);
  for (std::size_t core = 0; core < after.cores.size(); ++core)
    if (std::string fault = SpillCheck(before, after, spatial, static_cast<CoreId>(core), seen).run(); !fault.empty())
      return fault;
  for (std::size_t t = 0; t < seen.size(); ++t)
    if (seen[t] != 1) return fmt::format("spill {} is made {} times", t, seen[t]);
  return "";
}

std::string verify_absences(const CorePlan& plan, const EmitInput& input) {
  std::map<std::pair<std::size_t, std::int32_t>, std::vector<PBox>> written;  // by buffer and row
  for (const Step& step : input.steps.cores[plan.core]) {
    if (step.kind == Step::Kind::write || step.kind == Step::Kind::send || step.kind == Step::Kind::store) continue;
    const bool is_compute = step.kind == Step::Kind::compute;
    const auto index = static_cast<std::size_t>(step.index);
    const Access& what = is_compute ? input.spatial.computes[index].write : input.steps.transfers[index].what;
    const PBox box = intersect(what.box, input.spatial.values[index_of(what.value)].whole());
    if (box.empty()) continue;
    const std::size_t buffer = plan.buffer_at(what.value, what.box.p0, what.box.c0);
    const bool again = !is_compute && input.steps.transfers[index].again;
    for (std::int32_t r = box.r0; r < box.r1; ++r) {
      std::vector<PBox>& pieces = written[{buffer, r}];
      const PBox row = row_of(box, r);
      if (!again) pieces.push_back(row);
      for (const PBox& piece : pieces)
        if (again && !contains(row, piece))
          return fmt::format("core {}: '{}' {} is lost, {} is loaded again", plan.core,
                             input.spatial.values[index_of(what.value)].name, to_string(piece), to_string(row));
    }
  }
  return "";
}

}  // namespace pimento::pim
