#include <fmt/format.h>

#include <map>
#include <utility>

#include "compiler/drivers/pim/laws/laws.hpp"

namespace pimento::pim {
namespace {

std::string check_order(const Steps& steps, const Materialised& m) {
  for (std::size_t core = 0; core < m.cores.size(); ++core) {
    std::size_t at = 0;
    for (const Step& step : steps.cores[core]) {
      if (step.kind != Step::Kind::compute) continue;
      if (at >= m.cores[core].size() || index_of(m.cores[core][at]) != static_cast<std::size_t>(step.index))
        return fmt::format(
            "a sequential loop in place of independent work: core {} runs compute {} where the schedule has another",
            core, step.index);
      ++at;
    }
  }
  return "";
}

/// When the schedule has a message begin.
Cycles start_of(const Transfer& t, const Schedule& schedule) {
  return schedule.message_start.find(t.producer, t.destinations.front())
      .value_or(schedule.placed[index_of(t.producer)].end);
}

std::string check_contacts(std::size_t core, const Steps& steps, const Spatial& spatial, const Schedule& schedule) {
  std::map<std::pair<std::size_t, std::int32_t>, std::vector<PBox>> arrived;  // by value and row
  Cycles latest = 0;
  for (const Step& step : steps.cores[core]) {
    if (step.kind == Step::Kind::compute || step.kind == Step::Kind::store || step.kind == Step::Kind::write) continue;
    const Transfer& t = steps.transfers[static_cast<std::size_t>(step.index)];
    const std::string& name = spatial.values[index_of(t.what.value)].name;
    if (t.kind == Transfer::Kind::message) {
      const Cycles start = start_of(t, schedule);
      if (start < latest)
        return fmt::format(
            "a global serial order of communication: core {} has '{}' {}, ready at {}, behind a message of {}", core,
            name, to_string(t.what.box), start, latest);
      latest = start;
    }
    if (step.kind == Step::Kind::send) continue;
    for (std::int32_t r = t.what.box.r0; r < t.what.box.r1; ++r) {
      std::vector<PBox>& here = arrived[{index_of(t.what.value), r}];
      PBox row = t.what.box;
      row.r0 = r, row.r1 = r + 1;
      for (const PBox& other : here)
        if (const PBox twice = intersect(row, other); !twice.empty())
          return fmt::format("added copies: '{}' {} arrives twice on core {}", name, to_string(twice), core);
      here.push_back(row);
    }
  }
  return "";
}

}  // namespace

std::string law_of_materialise(const Materialised& materialised, const Spatial& spatial) {
  std::map<std::pair<std::size_t, CoreId>, std::size_t> seen;
  for (std::size_t b = 0; b < materialised.batches.size(); ++b) {
    const ScheduledBatch& batch = materialised.batches[b];
    const auto [at, is_new] = seen.try_emplace({index_of(batch.batch), batch.core}, b);
    if (!is_new)
      return fmt::format("a scalarised batch: core {} has batch {} as scheduled batches {} and {}", batch.core,
                         index_of(batch.batch), at->second, b);
  }
  std::size_t lanes = 0;
  for (const ScheduledBatch& b : materialised.batches) lanes += b.lanes.size();
  if (lanes != spatial.computes.size())
    return fmt::format("fewer lanes or cores: {} computes before, {} lanes after", spatial.computes.size(), lanes);
  return "";
}

std::string law_of_communicate(const Steps& steps, const Materialised& materialised, const Spatial& spatial,
                               const Schedule& schedule) {
  if (std::string broken = check_order(steps, materialised); !broken.empty()) return broken;
  for (std::size_t core = 0; core < steps.cores.size(); ++core)
    if (std::string broken = check_contacts(core, steps, spatial, schedule); !broken.empty()) return broken;
  return "";
}

}  // namespace pimento::pim
