// A stream of images: the schedule with the shortest interval, and the turns in which cores go through it.
#include <algorithm>
#include <array>
#include <map>

#include "compiler/drivers/pim/schedule/pace.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {

std::int32_t Schedule::stages() const { return stage.empty() ? 1 : *std::max_element(stage.begin(), stage.end()) + 1; }

std::vector<Pass> passes(const Steps& steps) {
  std::vector<Pass> all;
  for (std::int32_t turn = 0; turn < steps.images + steps.stages - 1; ++turn) {
    const std::int32_t first = std::max(0, turn - steps.images + 1), last = std::min(steps.stages - 1, turn);
    if (!all.empty() && all.back().first_stage == first && all.back().last_stage == last)
      ++all.back().turns;
    else
      all.push_back({turn, 1, first, last});
  }
  return all;
}

Steps unfolded(const Steps& steps, std::size_t computes, std::int32_t most) {
  Steps stream;
  stream.images = std::min(steps.images, most);
  stream.stages = steps.stages;
  const auto transfers = steps.transfers.size();
  const auto of_image = [](std::int32_t index, std::int32_t image, std::size_t each) {
    return index + image * static_cast<std::int32_t>(each);
  };
  for (std::int32_t image = 0; image < stream.images; ++image)
    for (Transfer t : steps.transfers) {
      if (t.producer != ComputeId{-1})
        t.producer = ComputeId{of_image(static_cast<std::int32_t>(t.producer), image, computes)};
      stream.transfers.push_back(std::move(t));
    }
  for (const std::vector<Step>& order : steps.cores) {
    std::vector<Step>& all = stream.cores.emplace_back();
    for (const Pass& pass : passes(stream))
      for (std::int32_t turn = pass.first; turn < pass.first + pass.turns; ++turn)
        for (Step step : order) {
          if (!pass.takes(step)) continue;
          step.index = of_image(step.index, turn - step.stage, step.kind == Step::Kind::compute ? computes : transfers);
          all.push_back(step);
        }
  }
  stream.images = stream.stages = 1;
  return stream;
}

namespace {
/// The interval of images that follow each other, each in the order of a schedule of one.
Cycles interval_in_turn(const Scheduling& all, const Schedule& one) {
  const auto each_message = [&](std::size_t i, const auto& use) {
    std::map<CoreId, PBox> needs;
    for (const WorkEdge& e : all.work.outputs[i]) {
      const CoreId to = one.placed[static_cast<std::size_t>(e.other)].core;
      if (to != one.placed[i].core) needs[to] = bounding(needs[to], e.box);
    }
    for (const auto& [to, box] : needs) use(to, box);
  };
  std::vector<Action> turn;
  for (std::size_t i = 0; i < one.placed.size(); ++i)
    each_message(i, [&](CoreId to, const PBox& box) {
      const Placed& p = one.placed[i];
      const Bytes bytes = all.costs.bytes(all.spatial.values[index_of(all.spatial.computes[i].write.value)], box);
      turn.push_back({p.core, to, std::max<Cycles>(1, all.costs.message(p.core, to, bytes)),
                      one.message_start.find(p.compute, to).value_or(p.end)});
    });
  for (const Placed& p : one.placed) turn.push_back({p.core, p.core, p.end - p.start, p.start});
  return pace(turn, all.chip.cores);
}
}  // namespace

Schedule schedule_stream(const Scheduling& all, const Schedule& one, bool classes_may_move) {
  Schedule best = one;
  best.interval = interval_in_turn(all, one);
  constexpr std::array<std::int32_t, 8> beats{3, 4, 5, 6, 7, 8, 10, 12};
  const Schedule even = evened(all, one, classes_may_move);
  std::optional<Schedule> made = in_beats(all, even, beats);
  if (made && made->interval < best.interval) best = *std::move(made);
  return best;
}

}  // namespace pimento::pim
