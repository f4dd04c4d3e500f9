#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

Materialised materialise(const Spatial& spatial, const Schedule& schedule, const isa::Chip& chip) {
  Materialised result;
  result.cores.resize(static_cast<std::size_t>(chip.cores));
  for (const Placed& p : schedule.placed) result.cores[p.core].push_back(p.compute);
  std::map<std::pair<std::size_t, CoreId>, std::size_t> batch_at;
  for (CoreId core = 0; core < static_cast<CoreId>(chip.cores); ++core) {
    auto& order = result.cores[core];
    std::sort(order.begin(), order.end(), [&](ComputeId a, ComputeId b) {
      return std::tuple(schedule.placed[index_of(a)].start, a) < std::tuple(schedule.placed[index_of(b)].start, b);
    });
    for (const ComputeId c : order) {
      const BatchId batch = spatial.computes[index_of(c)].batch;
      const auto [at, is_new] = batch_at.try_emplace({index_of(batch), core}, result.batches.size());
      if (is_new) result.batches.push_back({batch, core, {}});
      result.batches[at->second].lanes.push_back(c);
    }
  }
  return result;
}

std::string verify(const Materialised& m, const Spatial& spatial, const Schedule& schedule) {
  std::vector<int> seen(spatial.computes.size(), 0);
  for (std::size_t core = 0; core < m.cores.size(); ++core) {
    Cycles free = 0;
    for (const ComputeId c : m.cores[core]) {
      const Placed& p = schedule.placed[index_of(c)];
      ++seen[index_of(c)];
      if (p.core != core)
        return fmt::format("compute {} stands on core {}, scheduled on {}", index_of(c), core, p.core);
      if (p.start < free)
        return fmt::format("compute {} starts at {}, core {} is busy until {}", index_of(c), p.start, core, free);
      free = p.end;
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != 1) return fmt::format("compute {} stands on {} cores", i, seen[i]);
  std::vector<std::size_t> lanes(spatial.batches.size(), 0);
  for (const ScheduledBatch& b : m.batches) lanes[index_of(b.batch)] += b.lanes.size();
  for (std::size_t b = 0; b < lanes.size(); ++b)
    if (lanes[b] != spatial.batches[b].lanes.size())
      return fmt::format("batch {}: {} lanes before, {} after", b, spatial.batches[b].lanes.size(), lanes[b]);
  return "";
}

std::string print(const Materialised& m, const Spatial& spatial) {
  std::string text = fmt::format("materialised: {} scheduled batches\n", m.batches.size());
  for (const ScheduledBatch& b : m.batches)
    text += fmt::format("  batch {} core {} lanes {} of {}\n", index_of(b.batch), b.core, b.lanes.size(),
                        spatial.batches[index_of(b.batch)].lanes.size());
  return text;
}

}  // namespace pimento::pim
