#include "compiler/drivers/pim/schedule/journeys.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/loads.hpp"

namespace pimento::pim {
std::vector<Journey> journeys_of(const Scheduling& all, const Schedule& one) {
  const auto core = [&](std::int32_t compute) { return one.placed[static_cast<std::size_t>(compute)].core; };
  std::vector<Journey> journeys;
  std::vector<std::pair<CoreId, std::size_t>> known;  // of one producer: the journey to each core
  for (std::size_t p = 0; p < all.spatial.computes.size(); ++p) {
    known.clear();
    const auto producer = static_cast<std::int32_t>(p);
    for (const WorkEdge& e : all.work.outputs[p]) {
      const CoreId to = core(e.other);
      if (to == core(producer)) continue;
      auto at = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == to; });
      if (at == known.end()) {
        at = known.insert(at, {to, journeys.size()});
        journeys.push_back({producer, core(producer), to, all.spatial.computes[p].write.value, {}, {}});
      }
      Journey& j = journeys[at->second];
      j.box = bounding(j.box, e.box);
      j.readers.push_back(e.other);
    }
  }
  const auto way = [](const Journey& j) {
    return std::tuple(j.from, j.to, j.value, j.box.p0, j.box.p1, j.box.c0, j.box.c1, j.box.r0, j.producer);
  };
  std::sort(journeys.begin(), journeys.end(), [&](const Journey& a, const Journey& b) { return way(a) < way(b); });
  return journeys;
}

RowLives::RowLives(const Scheduling& all, const Schedule& one, const std::vector<Journey>& journeys)
    : journeys_(journeys) {
  const Spatial& s = all.spatial;
  std::map<std::pair<CoreId, SpatialValueId>, std::vector<Boxed>> by_place;
  const auto touch = [&](CoreId k, SpatialValueId value, const PBox& box, Touch by) {
    if (!box.empty()) by_place[{k, value}].push_back({by, box});
  };
  for (std::size_t i = 0; i < journeys.size(); ++i)
    for (const CoreId k : {journeys[i].from, journeys[i].to})
      touch(k, journeys[i].value, journeys[i].box, {static_cast<std::int32_t>(i), true});
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    const CoreId k = one.placed[i].core;
    const Touch by{static_cast<std::int32_t>(i), false};
    for (const Access& read : c.reads) {
      PBox box = read.box;
      const SpatialValue& value = s.values[index_of(read.value)];
      // a load may bring any columns between those that the core reads
      if (value.role == ValueRole::input && !box.empty()) {
        box.p0 = std::min(box.p0, 0), box.p1 = std::max(box.p1, value.layout.positions);
        box.c0 = 0, box.c1 = value.layout.channels;
      }
      touch(k, read.value, box, by);
    }
    touch(k, c.write.value, c.write.box, by);
  }
  for (const auto& [place, touches] : by_place) add_rows(touches);
}

void RowLives::add_rows(const std::vector<Boxed>& touches) {
  std::vector<PBox> buffers;  // boxes that meet stand together
  for (const Boxed& t : touches) join_boxes(buffers, t.box);
  for (const PBox& buffer : buffers) {
    std::map<std::int32_t, std::vector<Touch>> rows;
    for (const Boxed& t : touches)
      if (share_columns(t.box, buffer))
        for (std::int32_t r = t.box.r0; r < t.box.r1; ++r) rows[r].push_back(t.touch);
    for (const auto& [row, all] : rows) {
      if (all.size() < 2) continue;
      touches_.insert(touches_.end(), all.begin(), all.end());
      first_.push_back(touches_.size());
    }
  }
}

std::vector<std::int32_t> RowLives::made_too_early(const std::vector<std::int32_t>& beat_of_compute,
                                                   const std::vector<std::int32_t>& beat_of_journey,
                                                   std::int32_t beats) const {
  std::vector<std::int32_t> makers;
  for (std::size_t row = 0; row + 1 < first_.size(); ++row) {
    std::int32_t first = std::numeric_limits<std::int32_t>::max(), last = -1;
    const Touch* maker = nullptr;
    for (std::size_t t = first_[row]; t < first_[row + 1]; ++t) {
      const Touch& touch = touches_[t];
      const auto index = static_cast<std::size_t>(touch.index);
      const std::int32_t half =
          touch.is_journey ? half_of_message(beat_of_journey[index]) : half_of_compute(beat_of_compute[index]);
      if (half < first) first = half, maker = &touch;
      last = std::max(last, half);
    }
    if (last - first >= 2 * beats)
      makers.push_back(maker->is_journey ? journeys_[static_cast<std::size_t>(maker->index)].producer : maker->index);
  }
  std::sort(makers.begin(), makers.end());
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  return makers;
}

}  // namespace pimento::pim
