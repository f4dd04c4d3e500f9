// Sends and receives, once both ends are known. One total order of messages, by the time their data is made, is used to
// put them into every core's own order; each core keeps only its restriction of it. A message is never before its
// producer nor after a reader, and since every core's contacts follow one order, rendezvous cannot wait in a circle,
// whatever buffers the machine adds. Nothing else is ordered: cores that share no message are independent.
#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/schedule/loads.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// Position in a core's order: messages made at a time stand before the compute that starts then.
struct Key {
  Cycles time = 0;
  std::int32_t kind = 0;  ///< 0 message, 1 load (just before its reader), 2 compute, 3 store (just after its producer)
  std::int64_t id = 0;
  bool operator<(const Key& o) const { return std::tie(time, kind, id) < std::tie(o.time, o.kind, o.id); }
};

struct Placement {
  Key key;
  Step step;
};

class Communicator {
 public:
  Communicator(const Spatial& s, const Producers& producers, const Schedule& schedule, const isa::Chip& chip,
               bool multicast)
      : s_(s),
        schedule_(schedule),
        chip_(chip),
        multicast_(multicast && chip.network.multicast),
        producers_(producers),
        order_(static_cast<std::size_t>(chip.cores)) {}

  Steps run(const Materialised& materialised) {
    for (std::size_t core = 0; core < materialised.cores.size(); ++core)
      for (const ComputeId c : materialised.cores[core])
        put(static_cast<CoreId>(core), {schedule_.placed[index_of(c)].start, 2, static_cast<std::int64_t>(index_of(c))},
            Step::Kind::compute, static_cast<std::int32_t>(c), schedule_.stage_of(index_of(c)));
    collect_needs();
    for (std::size_t i = 0; i < s_.computes.size(); ++i) add_messages(i);
    for (std::size_t core = 0; core < materialised.cores.size(); ++core)
      for (const auto& [reader, what] :
           loads_of(s_, schedule_, chip_, static_cast<CoreId>(core), materialised.cores[core]))
        add_load(static_cast<CoreId>(core), reader, what);
    for (std::size_t i = 0; i < s_.computes.size(); ++i) add_store(i);
    add_writes();
    for (auto& placements : order_) {
      std::sort(placements.begin(), placements.end(),
                [](const Placement& a, const Placement& b) { return a.key < b.key; });
      auto& steps = result_.cores.emplace_back();
      for (const Placement& p : placements) steps.push_back(p.step);
    }
    number_tags();
    result_.stages = schedule_.stages();
    return std::move(result_);
  }

 private:
  const Spatial& s_;
  const Schedule& schedule_;
  const isa::Chip& chip_;
  bool multicast_;
  const Producers& producers_;
  Steps result_;
  std::vector<std::vector<Placement>> order_;
  /// By producer: the part of its result that each other core reads.
  std::vector<std::map<CoreId, PBox>> needs_;

  void put(CoreId core, Key key, Step::Kind kind, std::int32_t index, std::int32_t stage) {
    order_[core].push_back({key, {kind, index, stage}});
  }

  void collect_needs() {
    needs_.resize(s_.computes.size());
    for (std::size_t i = 0; i < s_.computes.size(); ++i) {
      const CoreId here = schedule_.placed[i].core;
      for (const Producers::Feed& feed : producers_.feeds(i)) {
        if (schedule_.placed[index_of(feed.from)].core == here) continue;
        PBox& wanted = needs_[index_of(feed.from)][here];
        wanted = wanted.empty() ? feed.part : bounding(wanted, feed.part);
      }
    }
  }

  void add_messages(std::size_t i) {
    const Placed& made = schedule_.placed[i];
    // equal boxes travel together where the chip multicasts and the schedule gives no journey a time of its own
    std::vector<std::pair<PBox, std::vector<CoreId>>> groups;
    for (const auto& [core, box] : needs_[i]) {
      auto at = groups.end();
      if (multicast_ && schedule_.message_start.empty())
        at = std::find_if(groups.begin(), groups.end(), [&box = box](const auto& g) { return g.first == box; });
      if (at == groups.end())
        groups.push_back({box, {core}});
      else
        at->second.push_back(core);
    }
    for (auto& [box, destinations] : groups) {
      const ComputeId producer{static_cast<std::int32_t>(i)};
      const std::optional<Cycles> planned = schedule_.message_start.find(producer, destinations.front());
      const std::int32_t stage = schedule_.stage_of(producer, destinations.front());
      const Cycles start = planned.value_or(made.end);
      if (planned && joins(i, box, destinations.front(), start)) continue;
      const auto index = static_cast<std::int32_t>(result_.transfers.size());
      Transfer t;
      t.kind = Transfer::Kind::message;
      t.what = {s_.computes[i].write.value, box};
      t.source = made.core;
      t.destinations = destinations;
      t.producer = producer;
      if (planned) bundles_[{made.core, destinations.front(), start}].push_back(index);
      result_.transfers.push_back(std::move(t));
      const Key key{start, 0, index};
      put(made.core, key, Step::Kind::send, index, stage);
      for (const CoreId d : destinations) put(d, key, Step::Kind::receive, index, stage);
    }
  }

  /// Transfers of two cores that start together: rows that follow each other, or pieces of them, become one transfer.
  std::map<std::tuple<CoreId, CoreId, Cycles>, std::vector<std::int32_t>> bundles_;
  bool joins(std::size_t i, const PBox& box, CoreId to, Cycles start) {
    const auto found = bundles_.find({schedule_.placed[i].core, to, start});
    if (found == bundles_.end()) return false;
    for (const std::int32_t index : found->second) {
      Transfer& t = result_.transfers[static_cast<std::size_t>(index)];
      PBox& b = t.what.box;
      if (schedule_.stage_of(t.producer, to) != schedule_.stage_of(ComputeId{static_cast<std::int32_t>(i)}, to))
        continue;
      if (t.what.value != s_.computes[i].write.value || b.c0 != box.c0 || b.c1 != box.c1) continue;
      const bool rows = b.p0 == box.p0 && b.p1 == box.p1 && (b.r1 == box.r0 || b.r0 == box.r1);
      const bool pieces = b.r0 == box.r0 && b.r1 == box.r1 && (b.p1 == box.p0 || b.p0 == box.p1);
      if (!rows && !pieces) continue;
      b = bounding(b, box);
      return true;
    }
    return false;
  }

  void add_load(CoreId core, ComputeId reader, Access what) {
    const auto index = static_cast<std::int32_t>(result_.transfers.size());
    Transfer t;
    t.kind = Transfer::Kind::load;
    t.what = what;
    t.destinations = {core};
    result_.transfers.push_back(std::move(t));
    put(core, {schedule_.placed[index_of(reader)].start, 1, index}, Step::Kind::load, index,
        schedule_.stage_of(index_of(reader)));
  }

  void add_store(std::size_t i) {
    const Compute& c = s_.computes[i];
    if (s_.values[index_of(c.write.value)].role != ValueRole::output) return;
    const auto index = static_cast<std::int32_t>(result_.transfers.size());
    Transfer t;
    t.kind = Transfer::Kind::store;
    t.what = c.write;
    t.source = schedule_.placed[i].core;
    t.producer = ComputeId{static_cast<std::int32_t>(i)};
    const CoreId source = t.source;
    result_.transfers.push_back(std::move(t));
    put(source, {schedule_.placed[i].start, 3, index}, Step::Kind::store, index, schedule_.stage_of(i));
  }

  /// A core does nothing else while it writes, so nothing else starts then.
  void add_writes() {
    result_.writes = schedule_.writes;
    for (std::size_t w = 0; w < result_.writes.size(); ++w)
      put(result_.writes[w].core, {result_.writes[w].start, 2, static_cast<std::int64_t>(s_.computes.size() + w)},
          Step::Kind::write, static_cast<std::int32_t>(w), 0);
  }

  /// Numbers the messages of each pair in the order in which both ends meet them.
  void number_tags() {
    std::map<std::pair<CoreId, CoreId>, std::uint32_t> next;
    for (std::size_t core = 0; core < result_.cores.size(); ++core)
      for (const Step& step : result_.cores[core])
        if (step.kind == Step::Kind::send) {
          Transfer& t = result_.transfers[static_cast<std::size_t>(step.index)];
          // one tag serves all destinations of a multicast: unique per source
          t.tag = next[{t.source, 0}]++;
        }
  }
};

}  // namespace

Steps communicate(const Spatial& spatial, const Producers& producers, const Schedule& schedule,
                  const Materialised& materialised, const isa::Chip& chip, bool multicast, std::int64_t images) {
  Steps steps = Communicator(spatial, producers, schedule, chip, multicast).run(materialised);
  steps.images = static_cast<std::int32_t>(images);
  return steps;
}
Steps communicate(const Spatial& spatial, const Schedule& schedule, const Materialised& materialised,
                  const isa::Chip& chip, bool multicast, std::int64_t images) {
  return communicate(spatial, Producers(spatial), schedule, materialised, chip, multicast, images);
}

}  // namespace pimento::pim
