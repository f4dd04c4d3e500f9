// List scheduling for machines whose sends wait for their receives. The machine is played through: a core is computing,
// in a message together with another core, or idle. Whenever it is between two actions it
//   1. exchanges what is pending with a core that is idle or between actions too, the most urgent first;
//   2. else starts the ready compute whose row lies highest in the image (Work::place_in_image), then of highest rank;
//   3. else writes the next piece of a later round's weights, where nobody needs the crossbars any more;
//   4. else is idle until somebody needs it.
// A sender never waits for a busy receiver, and a receiver waits only when it has nothing else to do, so few cycles are
// lost and messages come in bundles. The times found order the contacts of the program.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/rewriting.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class Player {
 public:
  Player(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead)
      : s_(all.spatial),
        chip_(all.chip),
        costs_(all.costs),
        work_(all.work),
        run_ahead_(work_, rows_ahead),
        cells_(s_, chip_, costs_, class_core),
        without_cells_(s_.classes.size()),
        wide_(s_, chip_) {
    result_.class_core = std::move(class_core);
  }

  Schedule run() {
    const std::size_t n = s_.computes.size();
    result_.placed.resize(n);
    unmade_.resize(n);
    missing_.resize(n);
    messages_of_.resize(n);
    cores_.resize(static_cast<std::size_t>(chip_.cores));
    for (std::size_t i = 0; i < n; ++i) {
      result_.placed[i].compute = ComputeId{static_cast<std::int32_t>(i)};
      unmade_[i] = missing_[i] = static_cast<std::int32_t>(work_.inputs[i].size());
      const ClassId cls = s_.computes[i].cls;
      if (cls != no_class) result_.placed[i].core = result_.class_core[index_of(cls)];
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (unmade_[i] != 0) continue;
      if (s_.computes[i].cls == no_class) choose_core(i, 0);
      make_ready(i, 0);
    }
    for (CoreId k = 0; k < static_cast<CoreId>(chip_.cores); ++k) events_.insert({0, k});
    Cycles now = 0;
    while (true) {
      if (events_.empty() && !release(now)) break;
      const auto [time, core] = *events_.begin();
      events_.erase(events_.begin());
      now = time;
      if (cores_[core].free_at > time) continue;
      end_action(core, time);
      act(core, time, false);
    }
    for (const Placed& p : result_.placed) {
      PIMENTO_CHECK(p.end > p.start, "a compute was never scheduled");
      result_.makespan = std::max(result_.makespan, p.end);
    }
    result_.writes = cells_.take();
    return std::move(result_);
  }

 private:
  struct Message {
    std::int32_t producer = 0;
    CoreId from = 0, to = 0;
    PBox box;
    std::vector<std::int32_t> readers;
    std::int64_t urgency = 0;  ///< least place in the image of a reader
    bool done = false;
  };
  using Key = std::tuple<std::int64_t, Cycles, std::size_t>;
  struct CoreState {
    Cycles free_at = 0;
    std::int32_t computing = -1;        ///< what ends at free_at
    std::vector<std::int32_t> sending;  ///< the messages that end at free_at, on the sender
    Cycles queued = 0;                  ///< work assigned and not started
    std::set<Key> ready;
    std::vector<std::int32_t> pending;  ///< messages from or to this core
  };

  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  const Work& work_;
  RunAhead run_ahead_;
  Rewriting cells_;
  std::vector<std::vector<std::int32_t>> without_cells_;  ///< by class: computes that wait for its weights
  Schedule result_;
  std::vector<std::int32_t> unmade_;   ///< inputs that no core has made yet
  std::vector<std::int32_t> missing_;  ///< inputs that are not on the compute's core yet
  std::vector<std::vector<std::int32_t>> messages_of_;
  std::vector<Message> messages_;
  std::vector<CoreState> cores_;
  std::set<std::pair<Cycles, CoreId>> events_;
  std::set<CoreId> held_;  ///< idle cores whose ready computes are all too far ahead
  WideSums wide_;

  Bytes size_of_box(std::int32_t producer, const PBox& box) const {
    return costs_.bytes(s_.values[index_of(s_.computes[static_cast<std::size_t>(producer)].write.value)], box);
  }

  // --- what becomes possible
  void make_ready(std::size_t i, Cycles time) {
    if (!cells_.holds(s_.computes[i]))
      return without_cells_[index_of(s_.computes[i].cls)].push_back(static_cast<std::int32_t>(i));
    const CoreId core = result_.placed[i].core;
    cores_[core].ready.insert({work_.place_in_image(i), -work_.rank[i], i});
    poke(core, time);
  }
  void poke(CoreId core, Cycles time) {
    if (cores_[core].free_at <= time) events_.insert({time, core});
  }
  void arrived(std::size_t i, Cycles time) {
    if (--missing_[i] == 0) make_ready(i, time);
  }
  /// Input `e` of compute i is made: it is on its core, comes with a message that is on its way, or needs a new one.
  void deliver(const WorkEdge& e, std::size_t i, Cycles time) {
    const CoreId from = result_.placed[static_cast<std::size_t>(e.other)].core;
    const CoreId to = result_.placed[i].core;
    if (from == to) return arrived(i, time);
    auto& list = messages_of_[static_cast<std::size_t>(e.other)];
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](std::int32_t m) { return messages_[static_cast<std::size_t>(m)].to == to; });
    if (at != list.end()) {
      Message& m = messages_[static_cast<std::size_t>(*at)];
      if (m.done) return arrived(i, time);
      m.box = bounding(m.box, e.box);
      m.readers.push_back(static_cast<std::int32_t>(i));
      m.urgency = std::min(m.urgency, work_.place_in_image(i));
      return;
    }
    const auto index = static_cast<std::int32_t>(messages_.size());
    messages_.push_back({e.other, from, to, e.box, {static_cast<std::int32_t>(i)}, work_.place_in_image(i), false});
    list.push_back(index);
    cores_[from].pending.push_back(index);
    cores_[to].pending.push_back(index);
    poke(from, time);
    poke(to, time);
  }

  /// All inputs of a compute without a class are made: it goes where it ends first.
  void choose_core(std::size_t i, Cycles time) {
    const Compute& c = s_.computes[i];
    Placed& p = result_.placed[i];
    if (const std::optional<CoreId> home = wide_.home(c)) {
      p.core = *home;
    } else {
      bool first = true;
      std::tuple<bool, Cycles, CoreId> best;
      const std::vector<Work::Origin> origins = work_.origins(i, result_.placed);
      for (const CoreId k : Work::candidates(origins, chip_.cores)) {
        Cycles moving = 0;
        for (const Work::Origin& o : origins)
          if (o.core != k) moving += 2 * o.count * costs_.message(o.core, k, o.bytes);  // both ends spend it
        const std::tuple<bool, Cycles, CoreId> key{
            !wide_.may_take(c, k), std::max(cores_[k].free_at, time) + cores_[k].queued + moving + c.cycles, k};
        if (first || key < best) best = key;
        first = false;
      }
      p.core = std::get<2>(best);
      wide_.take(c, p.core);
    }
    cores_[p.core].queued += c.cycles;
  }

  void end_action(CoreId core, Cycles time) {
    CoreState& state = cores_[core];
    const std::vector<std::int32_t> sent = std::exchange(state.sending, {});
    for (const std::int32_t m : sent)
      for (const std::int32_t reader : messages_[static_cast<std::size_t>(m)].readers)
        arrived(static_cast<std::size_t>(reader), time);
    if (const std::optional<ClassId> written = cells_.end(core))
      for (const std::int32_t i : std::exchange(without_cells_[index_of(*written)], {}))
        make_ready(static_cast<std::size_t>(i), time);
    if (state.computing < 0) return;
    const auto i = static_cast<std::size_t>(state.computing);
    state.computing = -1;
    cells_.finished(s_.computes[i]);
    for (const WorkEdge& e : work_.outputs[i]) {
      const auto reader = static_cast<std::size_t>(e.other);
      const WorkEdge input{static_cast<std::int32_t>(i), e.bytes, e.box};
      if (s_.computes[reader].cls != no_class) {
        deliver(input, reader, time);
      } else if (--unmade_[reader] == 0) {
        choose_core(reader, time);
        for (const WorkEdge& all : work_.inputs[reader]) deliver(all, reader, time);
      }
    }
    if (run_ahead_.finished(i)) {
      for (const CoreId k : held_) poke(k, time);
      held_.clear();
    }
  }

  // --- what a core does next
  void act(CoreId core, Cycles time, bool unlimited) {
    if (exchange(core, time)) return;
    CoreState& state = cores_[core];
    auto chosen = state.ready.begin();
    while (!unlimited && chosen != state.ready.end() && !run_ahead_.may_start(std::get<2>(*chosen))) ++chosen;
    if (chosen == state.ready.end()) {
      if (const std::optional<Cycles> end = cells_.begin(core, time)) {
        state.free_at = *end;
        events_.insert({*end, core});
        return;
      }
      if (!state.ready.empty()) held_.insert(core);
      return;
    }
    const std::size_t i = std::get<2>(*chosen);
    state.ready.erase(chosen);
    const Compute& c = s_.computes[i];
    Placed& p = result_.placed[i];
    p.start = time + (work_.loads[i] > 0 ? costs_.load(core, work_.loads[i]) : 0);
    p.end = p.start + std::max<Cycles>(1, c.cycles);
    if (c.cls == no_class) state.queued -= c.cycles;
    state.computing = static_cast<std::int32_t>(i);
    state.free_at = p.end + (work_.stores[i] > 0 ? costs_.store(core, work_.stores[i]) : 0);
    events_.insert({state.free_at, core});
  }

  /// The most urgent message with a core that is free as well.
  bool exchange(CoreId core, Cycles time) {
    CoreState& state = cores_[core];
    std::erase_if(state.pending, [&](std::int32_t m) { return messages_[static_cast<std::size_t>(m)].done; });
    std::int32_t best = -1;
    for (const std::int32_t index : state.pending) {
      const Message& m = messages_[static_cast<std::size_t>(index)];
      const CoreId other = m.from == core ? m.to : m.from;
      if (cores_[other].free_at > time) continue;
      if (best < 0 ||
          std::tuple(m.urgency, index) < std::tuple(messages_[static_cast<std::size_t>(best)].urgency, best))
        best = index;
    }
    if (best < 0) return false;
    const CoreId from = messages_[static_cast<std::size_t>(best)].from;
    const CoreId to = messages_[static_cast<std::size_t>(best)].to;
    // the other core may stand at the end of an action that has not been looked at yet
    end_action(from == core ? to : from, time);
    const std::vector<std::int32_t> bundle = bundle_of(best, from);
    PBox all;
    for (const std::int32_t index : bundle) {
      Message& m = messages_[static_cast<std::size_t>(index)];
      m.done = true;
      all = bounding(all, m.box);
      result_.message_start[{ComputeId{m.producer}, to}] = time;
    }
    const Cycles size = size_of_box(messages_[static_cast<std::size_t>(best)].producer, all);
    const Cycles end = time + std::max<Cycles>(1, costs_.message(from, to, size));
    cores_[from].sending = bundle;
    for (const CoreId k : {from, to}) {
      cores_[k].free_at = end;
      events_.insert({end, k});
    }
    return true;
  }

  /// The message, and those of neighbouring rows with the same columns that wait for the same journey: they go as one.
  std::vector<std::int32_t> bundle_of(std::int32_t first, CoreId from) const {
    const Message& leader = messages_[static_cast<std::size_t>(first)];
    const SpatialValueId value = value_of(leader);
    std::vector<std::int32_t> same;
    for (const std::int32_t index : cores_[from].pending) {
      const Message& m = messages_[static_cast<std::size_t>(index)];
      if (m.done || m.from != from || m.to != leader.to || value_of(m) != value) continue;
      const PBox& a = m.box;
      const PBox& b = leader.box;
      if (a.p0 == b.p0 && a.p1 == b.p1 && a.c0 == b.c0 && a.c1 == b.c1) same.push_back(index);
    }
    std::sort(same.begin(), same.end(), [&](std::int32_t a, std::int32_t b) {
      return std::tuple(messages_[static_cast<std::size_t>(a)].box.r0, a) <
             std::tuple(messages_[static_cast<std::size_t>(b)].box.r0, b);
    });
    std::vector<std::int32_t> run;  // the contiguous rows that hold the leader
    for (const std::int32_t index : same) {
      if (!run.empty() &&
          messages_[static_cast<std::size_t>(run.back())].box.r1 != messages_[static_cast<std::size_t>(index)].box.r0) {
        if (std::find(run.begin(), run.end(), first) != run.end()) break;
        run.clear();
      }
      run.push_back(index);
    }
    return std::find(run.begin(), run.end(), first) != run.end() ? run : std::vector<std::int32_t>{first};
  }
  SpatialValueId value_of(const Message& m) const {
    return s_.computes[static_cast<std::size_t>(m.producer)].write.value;
  }

  /// Nothing else can happen: of the cores held back, the one whose compute lies highest goes on.
  bool release(Cycles time) {
    const CoreId none = static_cast<CoreId>(cores_.size());
    CoreId best = none;
    for (const CoreId k : held_)
      if (best == none || *cores_[k].ready.begin() < *cores_[best].ready.begin()) best = k;
    if (best == none) return false;
    held_.erase(best);
    act(best, std::max(time, cores_[best].free_at), true);
    return true;
  }
};

}  // namespace

Schedule schedule_rendezvous(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead) {
  return Player(all, std::move(class_core), rows_ahead).run();
}

}  // namespace pimento::pim
