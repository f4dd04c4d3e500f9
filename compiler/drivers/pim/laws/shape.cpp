#include "compiler/drivers/pim/laws/shape.hpp"

#include <algorithm>
#include <map>

#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {
namespace {

template <class Weight>
std::vector<std::int64_t> weighted_depths(const Spatial& s, Weight&& weight) {
  const Producers producers(s);
  std::vector<std::int64_t> depth(s.computes.size(), 0);
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    for (const Access& read : s.computes[i].reads)
      producers.of(read.value, read.box,
                   [&](ComputeId p, const PBox&) { depth[i] = std::max(depth[i], depth[index_of(p)]); });
    depth[i] += weight(s.computes[i]);
  }
  return depth;
}

}  // namespace

std::vector<std::int64_t> depths(const Spatial& spatial) {
  return weighted_depths(spatial, [](const Compute&) { return 1; });
}
std::vector<std::int64_t> matrix_depths(const Spatial& spatial) {
  return weighted_depths(spatial, [](const Compute& c) { return c.cls == no_class ? 0 : 1; });
}

std::int64_t schedulable_width(const std::vector<std::int64_t>& depths) {
  std::map<std::int64_t, std::int64_t> at;
  std::int64_t widest = 0;
  for (const std::int64_t depth : depths) widest = std::max(widest, ++at[depth]);
  return widest;
}

std::int64_t message_chain(const Steps& steps) {
  std::vector<std::vector<std::int32_t>> after(steps.transfers.size());
  std::vector<std::int32_t> waits_for(steps.transfers.size(), 0);
  for (const auto& core : steps.cores) {
    std::int32_t last = -1;
    for (const Step& step : core) {
      if (step.kind != Step::Kind::send && step.kind != Step::Kind::receive) continue;
      if (last >= 0) {
        after[static_cast<std::size_t>(last)].push_back(step.index);
        ++waits_for[static_cast<std::size_t>(step.index)];
      }
      last = step.index;
    }
  }
  std::vector<std::int32_t> free;
  std::vector<std::int64_t> chain(steps.transfers.size(), 0);
  for (std::size_t t = 0; t < steps.transfers.size(); ++t)
    if (steps.transfers[t].kind == Transfer::Kind::message && waits_for[t] == 0) {
      free.push_back(static_cast<std::int32_t>(t));
      chain[t] = 1;
    }
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto t = static_cast<std::size_t>(free[i]);
    longest = std::max(longest, chain[t]);
    for (const std::int32_t next : after[t]) {
      const auto n = static_cast<std::size_t>(next);
      chain[n] = std::max(chain[n], chain[t] + 1);
      if (--waits_for[n] == 0) free.push_back(next);
    }
  }
  return longest;
}

}  // namespace pimento::pim
