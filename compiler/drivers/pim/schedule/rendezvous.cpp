// List scheduling for machines whose sends wait for their receives. The machine is played through: a core is computing,
// in a message together with another core, or idle. Whenever it is between two actions it
//   1. exchanges what is pending with a core that is idle or between actions too, the most urgent first;
//   2. else starts the ready compute whose row lies highest in the image (Work::place), then of highest rank;
//   3. else writes the next piece of a later round's weights, where nobody needs the crossbars any more;
//   4. else is idle until somebody needs it.
// A sender never waits for a busy receiver, and a receiver waits only when it has nothing else to do, so few cycles are
// lost and messages come in bundles. The times found order the contacts of the program.
#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/rewriting.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class Player {
 public:
  Player(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming)
      : s_(all.spatial),
        chip_(all.chip),
        costs_(all.costs),
        work_(all.work),
        run_ahead_(work_, rows_ahead),
        cells_(s_, chip_, costs_, class_core),
        without_cells_(s_.classes.size()),
        roaming_(roaming),
        wide_(s_, chip_) {
    result_.class_core = std::move(class_core);
  }

  Schedule run() {
    const std::size_t n = s_.computes.size();
    result_.placed.resize(n);
    unmade_.resize(n);
    missing_.resize(n);
    class_of_.resize(n);
    first_message_.assign(n, -1);
    messages_.reserve(work_.outputs.edges());
    waiting_.reserve(work_.outputs.edges());
    readers_.reserve(work_.outputs.edges());
    const auto cores = static_cast<std::size_t>(chip_.cores);
    cores_.resize(cores);
    free_at_.assign(cores, 0);
    to_do_.assign(cores, 0);
    Work::find_candidates(origins_, chip_.cores, roaming_, candidates_);
    moving_.assign(candidates_.size(), 0);
    queued_.assign(cores, -1);
    held_.assign(cores, false);
    for (std::size_t i = 0; i < n; ++i) {
      result_.placed[i].compute = ComputeId{static_cast<std::int32_t>(i)};
      unmade_[i] = missing_[i] = static_cast<std::int32_t>(work_.inputs[i].size());
      class_of_[i] = s_.computes[i].cls;
      if (class_of_[i] != no_class) result_.placed[i].core = result_.class_core[index_of(class_of_[i])];
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (unmade_[i] != 0) continue;
      if (class_of_[i] == no_class) choose_core(i, 0);
      make_ready(i, 0);
    }
    for (CoreId k = 0; k < static_cast<CoreId>(chip_.cores); ++k) wake(k, 0);
    Cycles now = 0;
    while (true) {
      if (events_.empty() && !release(now)) break;
      const Event event = events_.top();
      events_.pop();
      const Cycles time = event >> core_bits;
      const auto core = static_cast<CoreId>(event & ((Event{1} << core_bits) - 1));
      if (queued_[core] == time) queued_[core] = -1;
      now = time;
      if (free_at_[core] > time) continue;
      end_action(core, time);
      act(core, time, false);
    }
    tell_starts();
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
    std::int32_t next = -1;  ///< the next message of that producer
    std::int32_t first_reader = -1, last_reader = -1;
    PBox box;
    Cycles start = -1;  ///< -1: it has not been sent
  };
  /// What is asked of a message again and again.
  struct Waiting {
    std::int64_t urgency = 0;  ///< least place in the image of a reader
    CoreId from = 0, to = 0;
    SpatialValueId value{};
    bool done = false;
  };
  struct Reader {
    std::int32_t compute = 0, next = -1;
  };
  struct Pending {
    std::int32_t message = 0;
    CoreId other = 0;
  };
  struct CoreState {
    std::int32_t computing = -1;        ///< what ends when the core is free
    std::vector<std::int32_t> sending;  ///< the messages that end then, on the sender
    std::vector<std::int32_t> ready;    ///< computes by their turn (Work::turn), the first one last
    std::vector<Pending> pending;       ///< messages from or to this core
  };
  /// A time and the core that looks about then: the earliest first, then the lowest core.
  using Event = std::int64_t;
  static constexpr int core_bits = 20;

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
  std::vector<ClassId> class_of_;
  std::vector<std::int32_t> first_message_;  ///< by producer
  std::vector<Message> messages_;
  std::vector<Waiting> waiting_;  ///< as messages_
  std::vector<Reader> readers_;
  std::vector<CoreState> cores_;
  std::vector<Cycles> free_at_;  ///< by core
  std::vector<Cycles> to_do_;    ///< by core: work without a class, assigned and not started
  std::vector<Cycles> queued_;   ///< by core: time of its event that was put in last, if that stands in `events_`
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<bool> held_;  ///< idle cores whose ready computes are all too far ahead
  std::vector<std::int32_t> same_, bundle_;
  // of the compute whose core is chosen: where its inputs are made, where it may run, and what moving them there takes
  std::vector<Work::Origin> origins_, next_origins_;
  std::vector<Work::Candidate> candidates_;
  std::vector<Cycles> moving_;
  Roaming roaming_;
  WideSums wide_;

  Bytes size_of_box(std::int32_t producer, const PBox& box) const {
    return costs_.bytes(s_.values[index_of(s_.computes[static_cast<std::size_t>(producer)].write.value)], box);
  }

  // --- what becomes possible
  void make_ready(std::size_t i, Cycles time) {
    if (class_of_[i] != no_class && !cells_.holds(class_of_[i]))
      return without_cells_[index_of(class_of_[i])].push_back(static_cast<std::int32_t>(i));
    const CoreId core = result_.placed[i].core;
    std::vector<std::int32_t>& ready = cores_[core].ready;
    ready.insert(std::lower_bound(ready.begin(), ready.end(), work_.turn[i], std::greater<>()), work_.turn[i]);
    poke(core, time);
  }
  void wake(CoreId core, Cycles time) {
    if (std::exchange(queued_[core], time) != time) events_.push((time << core_bits) | static_cast<Event>(core));
  }
  void poke(CoreId core, Cycles time) {
    if (free_at_[core] <= time) wake(core, time);
  }
  void arrived(std::size_t i, Cycles time) {
    if (--missing_[i] == 0) make_ready(i, time);
  }
  /// Compute i reads that box of what `producer` has made: it is on its core, comes with a message that is on its way,
  /// or needs a new one.
  void deliver(std::int32_t producer, const PBox& box, std::size_t i, Cycles time) {
    const CoreId from = result_.placed[static_cast<std::size_t>(producer)].core;
    const CoreId to = result_.placed[i].core;
    if (from == to) return arrived(i, time);
    std::int32_t& first = first_message_[static_cast<std::size_t>(producer)];
    std::int32_t index = first;
    while (index >= 0 && waiting_[static_cast<std::size_t>(index)].to != to)
      index = messages_[static_cast<std::size_t>(index)].next;
    const auto reader = static_cast<std::int32_t>(readers_.size());
    if (index >= 0) {
      Waiting& w = waiting_[static_cast<std::size_t>(index)];
      if (w.done) return arrived(i, time);
      Message& m = messages_[static_cast<std::size_t>(index)];
      m.box = bounding(m.box, box);
      readers_[static_cast<std::size_t>(m.last_reader)].next = reader;
      m.last_reader = reader;
      readers_.push_back({static_cast<std::int32_t>(i), -1});
      w.urgency = std::min(w.urgency, work_.place[i]);
      return;
    }
    index = static_cast<std::int32_t>(messages_.size());
    messages_.push_back({producer, first, reader, reader, box, -1});
    readers_.push_back({static_cast<std::int32_t>(i), -1});
    waiting_.push_back({work_.place[i], from, to, s_.computes[static_cast<std::size_t>(producer)].write.value, false});
    first = index;
    cores_[from].pending.push_back({index, to});
    cores_[to].pending.push_back({index, from});
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
      find_ways(i);
      for (std::size_t at = 0; at < candidates_.size(); ++at) {
        const CoreId k = candidates_[at].core;
        const std::tuple<bool, Cycles, CoreId> key{!wide_.may_take(c, k),
                                                   std::max(free_at_[k], time) + to_do_[k] + moving_[at] + c.cycles, k};
        if (first || key < best) best = key;
        first = false;
      }
      p.core = std::get<2>(best);
      wide_.take(c, p.core);
    }
    to_do_[p.core] += c.cycles;
  }

  /// Where compute i may run, and what moving its inputs there takes; mostly that of the compute before.
  void find_ways(std::size_t i) {
    work_.find_origins(i, result_.placed, next_origins_);
    if (std::ranges::equal(next_origins_, origins_, [](const Work::Origin& a, const Work::Origin& b) {
          return a.core == b.core && a.bytes == b.bytes && a.count == b.count;
        }))
      return;
    std::swap(origins_, next_origins_);
    Work::find_candidates(origins_, chip_.cores, roaming_, candidates_);
    moving_.assign(candidates_.size(), 0);
    for (const Work::Origin& o : origins_) {
      const MoveCosts::OfSize costs = costs_.of_size(o.bytes);
      for (std::size_t at = 0; at < candidates_.size(); ++at)  // both ends spend it
        if (const auto [k, times] = candidates_[at]; o.core != k)
          moving_[at] += 2 * times * o.count * costs.message(o.core, k);
    }
  }

  void end_action(CoreId core, Cycles time) {
    CoreState& state = cores_[core];
    for (const std::int32_t m : state.sending)
      for (std::int32_t r = messages_[static_cast<std::size_t>(m)].first_reader; r >= 0;
           r = readers_[static_cast<std::size_t>(r)].next)
        arrived(static_cast<std::size_t>(readers_[static_cast<std::size_t>(r)].compute), time);
    state.sending.clear();
    if (const std::optional<ClassId> written = cells_.end(core))
      for (const std::int32_t i : std::exchange(without_cells_[index_of(*written)], {}))
        make_ready(static_cast<std::size_t>(i), time);
    if (state.computing < 0) return;
    const auto i = static_cast<std::size_t>(state.computing);
    state.computing = -1;
    cells_.finished(s_.computes[i]);
    for (const WorkEdge& e : work_.outputs[i]) {
      const auto reader = static_cast<std::size_t>(e.other);
      if (class_of_[reader] != no_class) {
        deliver(static_cast<std::int32_t>(i), e.box, reader, time);
      } else if (--unmade_[reader] == 0) {
        choose_core(reader, time);
        for (const WorkEdge& all : work_.inputs[reader]) deliver(all.other, all.box, reader, time);
      }
    }
    if (run_ahead_.finished(i)) {
      for (CoreId k = 0; k < static_cast<CoreId>(held_.size()); ++k)
        if (held_[k]) poke(k, time);
      held_.assign(held_.size(), false);
    }
  }

  // --- what a core does next
  void act(CoreId core, Cycles time, bool unlimited) {
    if (exchange(core, time)) return;
    CoreState& state = cores_[core];
    std::size_t chosen = state.ready.size();  // from behind: one past it
    while (chosen > 0 && !unlimited && !run_ahead_.may_start(compute_at(state.ready[chosen - 1]))) --chosen;
    if (chosen == 0) {
      if (const std::optional<Cycles> end = cells_.begin(core, time)) {
        free_at_[core] = *end;
        return wake(core, *end);
      }
      if (!state.ready.empty()) held_[core] = true;
      return;
    }
    const std::size_t i = compute_at(state.ready[chosen - 1]);
    state.ready.erase(state.ready.begin() + static_cast<std::ptrdiff_t>(chosen) - 1);
    const Compute& c = s_.computes[i];
    Placed& p = result_.placed[i];
    p.start = time + costs_.load(core, work_.loads[i]);
    p.end = p.start + std::max<Cycles>(1, c.cycles);
    if (c.cls == no_class) to_do_[core] -= c.cycles;
    state.computing = static_cast<std::int32_t>(i);
    free_at_[core] = p.end + costs_.store(core, work_.stores[i]);
    wake(core, free_at_[core]);
  }
  std::size_t compute_at(std::int32_t turn) const {
    return static_cast<std::size_t>(work_.by_turn[static_cast<std::size_t>(turn)]);
  }

  /// The most urgent message with a core that is free as well.
  bool exchange(CoreId core, Cycles time) {
    std::vector<Pending>& pending = cores_[core].pending;
    std::int32_t best = -1;
    std::int64_t urgency = 0;
    std::size_t kept = 0;
    for (const Pending& p : pending) {
      if (free_at_[p.other] > time) {  // whether it is done is asked when it could go
        pending[kept++] = p;
        continue;
      }
      const Waiting& w = waiting_[static_cast<std::size_t>(p.message)];
      if (w.done) continue;
      pending[kept++] = p;
      if (best < 0 || std::pair(w.urgency, p.message) < std::pair(urgency, best)) best = p.message, urgency = w.urgency;
    }
    pending.resize(kept);
    if (best < 0) return false;
    const CoreId from = waiting_[static_cast<std::size_t>(best)].from;
    const CoreId to = waiting_[static_cast<std::size_t>(best)].to;
    // the other core may stand at the end of an action that has not been looked at yet
    end_action(from == core ? to : from, time);
    find_bundle(best, from);
    PBox all;
    for (const std::int32_t index : bundle_) {
      Message& m = messages_[static_cast<std::size_t>(index)];
      waiting_[static_cast<std::size_t>(index)].done = true;
      all = bounding(all, m.box);
      m.start = time;
    }
    const Cycles size = size_of_box(messages_[static_cast<std::size_t>(best)].producer, all);
    const Cycles end = time + std::max<Cycles>(1, costs_.message(from, to, size));
    cores_[from].sending = bundle_;
    for (const CoreId k : {from, to}) {
      free_at_[k] = end;
      wake(k, end);
    }
    return true;
  }

  /// The message, and those of neighbouring rows with the same columns, or of neighbouring pieces of the same rows,
  /// that wait for the same journey: they go as one.
  void find_bundle(std::int32_t first, CoreId from) {
    const PBox& b = box_of(first);
    find_run(first, from, &PBox::r0, &PBox::r1,
             [&](const PBox& a) { return a.p0 == b.p0 && a.p1 == b.p1 && a.c0 == b.c0 && a.c1 == b.c1; });
    const auto producer = static_cast<std::size_t>(messages_[static_cast<std::size_t>(first)].producer);
    if (bundle_.size() > 1 || !work_.is_in_pieces(producer)) return;
    find_run(first, from, &PBox::p0, &PBox::p1,
             [&](const PBox& a) { return a.r0 == b.r0 && a.r1 == b.r1 && a.c0 == b.c0 && a.c1 == b.c1; });
  }
  /// Of the messages that are like the first, those that touch one another along one extent and hold it.
  template <class IsLike>
  void find_run(std::int32_t first, CoreId from, std::int32_t PBox::*begin, std::int32_t PBox::*end, IsLike&& is_like) {
    const Waiting& leader = waiting_[static_cast<std::size_t>(first)];
    same_.clear();
    for (const Pending& p : cores_[from].pending) {
      if (p.other != leader.to) continue;
      const Waiting& w = waiting_[static_cast<std::size_t>(p.message)];
      if (!w.done && w.from == from && w.value == leader.value && is_like(box_of(p.message)))
        same_.push_back(p.message);
    }
    std::sort(same_.begin(), same_.end(), [&](std::int32_t x, std::int32_t y) {
      return std::tuple(box_of(x).*begin, x) < std::tuple(box_of(y).*begin, y);
    });
    bundle_.clear();
    const auto has_leader = [&] { return std::find(bundle_.begin(), bundle_.end(), first) != bundle_.end(); };
    for (const std::int32_t index : same_) {
      if (!bundle_.empty() && box_of(bundle_.back()).*end != box_of(index).*begin) {
        if (has_leader()) break;
        bundle_.clear();
      }
      bundle_.push_back(index);
    }
    if (!has_leader()) bundle_.assign(1, first);
  }
  const PBox& box_of(std::int32_t message) const { return messages_[static_cast<std::size_t>(message)].box; }

  /// When each result went to each core.
  void tell_starts() {
    std::vector<MessageStarts::Start> starts;
    starts.reserve(messages_.size());
    for (std::size_t i = 0; i < first_message_.size(); ++i) {
      const auto first = static_cast<std::ptrdiff_t>(starts.size());
      for (std::int32_t m = first_message_[i]; m >= 0; m = messages_[static_cast<std::size_t>(m)].next)
        if (const Cycles start = messages_[static_cast<std::size_t>(m)].start; start >= 0)
          starts.push_back({ComputeId{static_cast<std::int32_t>(i)}, waiting_[static_cast<std::size_t>(m)].to, start});
      std::sort(starts.begin() + first, starts.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    }
    result_.message_start = MessageStarts(std::move(starts));
  }

  /// Nothing else can happen: of the cores held back, the one whose compute lies highest goes on.
  bool release(Cycles time) {
    const CoreId none = static_cast<CoreId>(cores_.size());
    CoreId best = none;
    for (CoreId k = 0; k < none; ++k)
      if (held_[k] && !cores_[k].ready.empty() && (best == none || cores_[k].ready.back() < cores_[best].ready.back()))
        best = k;
    if (best == none) return false;
    held_[best] = false;
    act(best, std::max(time, free_at_[best]), true);
    return true;
  }
};

}  // namespace

Schedule schedule_rendezvous(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming) {
  return Player(all, std::move(class_core), rows_ahead, roaming).run();
}

}  // namespace pimento::pim
