// A stream whose images overlap, in beats. A turn takes one image in and has `beats` of them, in which every core first
// computes and then exchanges messages. What is read on another core is read a beat later at the earliest, so nobody
// waits within a beat for what is made in it, and cores meet only when all of them are done with computing. An image
// takes several turns: so many images are under way at once.
//
// Each layer's share of a core does its work evenly over one turn, from the beat on from which its inputs never keep it
// waiting, or as much later as its readers allow. Nothing has two places in memory: a row must be used up before the
// next image's takes its place, within a turn. A layer whose first rows would have to stay for longer (since something
// reads all of it) begins later and works faster, with `span` of a turn for all of it. Then single computes move
// between the beats that their inputs and readers allow, until every core has about as much to do in one beat as in any
// other.
#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/journeys.hpp"
#include "compiler/drivers/pim/schedule/pace.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class Beats {
 public:
  Beats(const Scheduling& all, const Schedule& one)
      : all_(all),
        s_(all.spatial),
        chip_(all.chip),
        costs_(all.costs),
        work_(all.work),
        one_(one),
        journeys_(journeys_of(all, one)),
        lives_(all, one, journeys_) {
    make_groups();
  }

  /// Nothing when something would have to live for longer than a turn.
  std::optional<Schedule> run(std::int32_t beats) {
    beats_ = beats;
    for (Group& g : groups_) g.span = 1;
    constexpr int most_attempts = 16;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      assign_beats();
      wait_for_readers();
      send_in_time();
      const std::vector<std::int32_t> early = lives_.made_too_early(beat_, beat_of_journey_, beats_);
      if (early.empty()) {
        smooth();
        make_messages();
        play();
        return result();
      }
      if (!hurry(early)) return {};
    }
    return {};
  }

 private:
  static constexpr std::int64_t ticks = 1 << 16;  ///< of a beat
  static constexpr int most_sweeps = 200;         ///< layers that feed each other in a circle would go on for ever
  static constexpr double worth_it = 1e-9;

  /// A layer's share of a core: computes of one batch in their order.
  struct Group {
    std::vector<std::int32_t> computes;
    std::vector<std::int64_t> done;  ///< by compute: work of the group before it
    std::int64_t all = 0;
    std::int64_t offset = 0;  ///< ticks; when it begins
    double span = 1;          ///< of a turn
  };
  struct Message {
    std::vector<std::int32_t> producers;
    CoreId from = 0, to = 0;
    PBox box;
    std::int32_t beat = 0;  ///< at whose end it goes
    Cycles cycles = 0, start = 0;
    SpatialValueId value{};
  };

  const Scheduling& all_;
  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  const Work& work_;
  const Schedule& one_;
  std::vector<Journey> journeys_;
  RowLives lives_;
  std::int32_t beats_ = 0;
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_;  ///< by compute; -1: when its inputs are there
  std::vector<std::size_t> place_in_group_;
  std::vector<std::int32_t> beat_;  ///< by compute, counted from the begin of its image
  std::vector<std::int32_t> beat_of_journey_;
  std::vector<Message> messages_;
  std::vector<Cycles> start_;  ///< by compute, within the turn

  CoreId core(std::size_t i) const { return one_.placed[i].core; }
  Cycles cycles(std::size_t i) const { return all_.cycles(i, core(i)); }

  void make_groups() {
    const std::size_t n = s_.computes.size();
    std::map<std::tuple<ClassId, BatchId>, std::int32_t> known;
    group_of_.assign(n, -1);
    place_in_group_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const Compute& c = s_.computes[i];
      if (c.cls == no_class) continue;
      const auto [at, is_new] = known.try_emplace({c.cls, c.batch}, static_cast<std::int32_t>(groups_.size()));
      if (is_new) groups_.emplace_back();
      Group& g = groups_[static_cast<std::size_t>(at->second)];
      group_of_[i] = at->second;
      place_in_group_[i] = g.computes.size();
      g.computes.push_back(static_cast<std::int32_t>(i));
      g.done.push_back(g.all);
      g.all += cycles(i);
    }
  }

  /// The first beat in which all inputs of a compute stand on its core.
  std::int32_t inputs_there(std::size_t i) const {
    std::int32_t beat = 0;
    for (const WorkEdge& e : work_.inputs[i]) {
      const auto p = static_cast<std::size_t>(e.other);
      beat = std::max(beat, beat_[p] + (core(p) == core(i) ? 0 : 1));
    }
    return beat;
  }
  /// Ticks from a group's begin until a compute is due.
  std::int64_t due(const Group& g, std::size_t place) const {
    return static_cast<std::int64_t>(static_cast<double>(g.done[place]) / static_cast<double>(g.all) * g.span *
                                     static_cast<double>(beats_) * static_cast<double>(ticks));
  }
  void assign_beats() {
    const std::size_t n = s_.computes.size();
    beat_.assign(n, 0);
    for (Group& g : groups_) g.offset = 0;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      bool moved = false;
      for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t there = inputs_there(i);
        beat_[i] = there;
        if (group_of_[i] < 0) continue;
        Group& g = groups_[static_cast<std::size_t>(group_of_[i])];
        const std::int64_t since = due(g, place_in_group_[i]);
        beat_[i] = std::max(there, static_cast<std::int32_t>((g.offset + since) / ticks));
        if (there * ticks > g.offset + since) g.offset = there * ticks - since, moved = true;
      }
      if (!moved) break;
    }
  }

  /// The last beat in which a compute keeps no reader waiting; `beat`: that of each reader.
  std::int32_t wanted(std::size_t i, const std::vector<std::int32_t>& beat) const {
    if (work_.outputs[i].empty()) return beat_[i];
    std::int32_t last = std::numeric_limits<std::int32_t>::max();
    for (const WorkEdge& e : work_.outputs[i]) {
      const auto reader = static_cast<std::size_t>(e.other);
      last = std::min(last, beat[reader] - (core(reader) == core(i) ? 0 : 1));
    }
    return last;
  }
  /// By how many beats each group may begin later without keeping anything waiting that is read in the end.
  std::vector<std::int32_t> slack_of_groups() const {
    std::vector<std::int32_t> slack(groups_.size(), std::numeric_limits<std::int32_t>::max());
    std::vector<std::int32_t> latest = beat_;  // of what has no group and could wait as well
    for (std::size_t i = s_.computes.size(); i-- > 0;) {
      const std::int32_t last = wanted(i, latest);
      if (group_of_[i] < 0) {
        latest[i] = last;
      } else {
        std::int32_t& of_group = slack[static_cast<std::size_t>(group_of_[i])];
        of_group = std::min(of_group, last - beat_[i]);
      }
    }
    return slack;
  }
  /// No group begins earlier than its readers ask for, so that rows wait no longer than they must. What has no group
  /// stays with its inputs, which are mostly more than it makes of them.
  void wait_for_readers() {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const std::vector<std::int32_t> slack = slack_of_groups();
      bool moved = false;
      for (std::size_t i = 0; i < s_.computes.size(); ++i) {
        if (group_of_[i] < 0) {
          beat_[i] = inputs_there(i);
          continue;
        }
        const std::int32_t later = std::max(0, slack[static_cast<std::size_t>(group_of_[i])]);
        beat_[i] += later;
        moved |= later > 0;
      }
      if (!moved) break;
    }
  }

  /// What a core reads of a compute elsewhere comes at the end of the beat before its first use.
  std::int32_t sent_in(const Journey& j) const {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t reader : j.readers) first = std::min(first, beat_[static_cast<std::size_t>(reader)]);
    return first - 1;
  }
  void send_in_time() {
    beat_of_journey_.clear();
    for (const Journey& j : journeys_) beat_of_journey_.push_back(sent_in(j));
  }
  /// Rows that follow each other and go at the same time go as one.
  void make_messages() {
    messages_.clear();
    for (std::size_t i = 0; i < journeys_.size(); ++i) {
      const Journey& j = journeys_[i];
      if (!messages_.empty()) {
        Message& last = messages_.back();
        const auto way = [](const auto& x) {
          return std::tuple(x.from, x.to, x.value, x.box.p0, x.box.p1, x.box.c0, x.box.c1);
        };
        if (way(last) == way(j) && last.beat == beat_of_journey_[i] && last.box.r1 == j.box.r0) {
          last.box.r1 = j.box.r1;
          last.producers.push_back(j.producer);
          continue;
        }
      }
      messages_.push_back({{j.producer}, j.from, j.to, j.box, beat_of_journey_[i], 0, 0, j.value});
    }
    for (Message& m : messages_)
      m.cycles = std::max<Cycles>(1, costs_.message(m.from, m.to, costs_.bytes(s_.values[index_of(m.value)], m.box)));
  }

  /// The groups whose pace a compute follows.
  void follow(std::int32_t compute, std::set<std::int32_t>& groups, std::vector<bool>& asked) const {
    const auto i = static_cast<std::size_t>(compute);
    if (asked[i]) return;
    asked[i] = true;
    if (group_of_[i] >= 0) {
      groups.insert(group_of_[i]);
      return;
    }
    for (const WorkEdge& e : work_.inputs[i]) follow(e.other, groups, asked);
  }
  /// What begins too early is given less time.
  bool hurry(const std::vector<std::int32_t>& early) {
    constexpr double step = 0.8, least = 0.05;
    std::set<std::int32_t> groups;
    std::vector<bool> asked(group_of_.size(), false);
    for (const std::int32_t compute : early) follow(compute, groups, asked);
    for (const std::int32_t group : groups) {
      Group& g = groups_[static_cast<std::size_t>(group)];
      if (g.span < least) return false;
      g.span *= step;
    }
    return !groups.empty();
  }

  /// What every core has to do in every beat of a turn, messages included.
  class Loads {
   public:
    Loads(std::int32_t beats, std::int32_t cores)
        : beats_(static_cast<std::size_t>(beats)), load_(static_cast<std::size_t>(cores) * beats_, 0) {}
    double& of(CoreId core, std::int32_t beat) {
      return load_[static_cast<std::size_t>(core) * beats_ + static_cast<std::size_t>(beat) % beats_];
    }
    double most() const { return *std::max_element(load_.begin(), load_.end()); }

   private:
    std::size_t beats_;
    std::vector<double> load_;
  };
  Loads loads() {
    make_messages();
    Loads all(beats_, chip_.cores);
    for (std::size_t i = 0; i < s_.computes.size(); ++i) all.of(core(i), beat_[i]) += static_cast<double>(cycles(i));
    for (const Message& m : messages_)
      for (const CoreId k : {m.from, m.to}) all.of(k, m.beat) += static_cast<double>(m.cycles);
    return all;
  }
  /// The beats in which a compute may stand: its inputs there, its readers not kept waiting, and nothing between them
  /// for longer than a turn, a little away from where it stands.
  std::pair<std::int32_t, std::int32_t> window(std::size_t i) const {
    constexpr std::int32_t far = 3;
    std::int32_t first = std::max(inputs_there(i), beat_[i] - far), last = std::min(wanted(i, beat_), beat_[i] + far);
    const auto beat_of = [&](const WorkEdge& e) { return beat_[static_cast<std::size_t>(e.other)]; };
    const std::int32_t life = beats_ - 2;
    for (const WorkEdge& e : work_.inputs[i]) last = std::min(last, std::max(beat_[i], beat_of(e) + life));
    for (const WorkEdge& e : work_.outputs[i]) first = std::max(first, std::min(beat_[i], beat_of(e) - life));
    return {first, last};
  }
  /// Computes move to beats in which their core has less to do: eighth powers make the busiest beats count.
  void smooth() {
    constexpr int most_smoothings = 12;
    for (int sweep = 0; sweep < most_smoothings; ++sweep) {
      const std::vector<std::int32_t> before = beat_;
      Loads load = loads();
      const double most = std::max(1.0, load.most());
      const auto weight = [&](double cycles) { return eighth_power(cycles / most); };
      for (std::size_t i = 0; i < s_.computes.size(); ++i) {
        const auto own = static_cast<double>(cycles(i));
        const auto [first, last] = window(i);
        double& here = load.of(core(i), beat_[i]);
        double least = weight(here) - weight(here - own) - worth_it;
        std::int32_t best = beat_[i];
        for (std::int32_t b = first; b <= last; ++b) {
          const double there = load.of(core(i), b);
          if ((b - beat_[i]) % beats_ == 0 || weight(there + own) - weight(there) >= least) continue;
          least = weight(there + own) - weight(there);
          best = b;
        }
        if (best == beat_[i]) continue;
        here -= own;
        load.of(core(i), best) += own;
        beat_[i] = best;
      }
      if (beat_ == before) return;
      send_in_time();
      if (lives_.made_too_early(beat_, beat_of_journey_, beats_).empty()) continue;
      beat_ = before;  // as it was, it was right
      send_in_time();
      return;
    }
  }

  void play() {
    std::vector<std::vector<std::int32_t>> computes(static_cast<std::size_t>(beats_));
    std::vector<std::vector<std::size_t>> messages(static_cast<std::size_t>(beats_));
    for (std::size_t i = 0; i < s_.computes.size(); ++i)
      computes[static_cast<std::size_t>(beat_[i] % beats_)].push_back(static_cast<std::int32_t>(i));
    for (std::size_t m = 0; m < messages_.size(); ++m)
      messages[static_cast<std::size_t>(messages_[m].beat % beats_)].push_back(m);
    std::vector<Cycles> now(static_cast<std::size_t>(chip_.cores), 0);
    start_.assign(s_.computes.size(), 0);
    for (std::size_t b = 0; b < computes.size(); ++b) {
      // of earlier images first: what they have done with gives its place to the next
      std::stable_sort(computes[b].begin(), computes[b].end(), [&](std::int32_t x, std::int32_t y) {
        return beat_[static_cast<std::size_t>(x)] > beat_[static_cast<std::size_t>(y)];
      });
      for (const std::int32_t i : computes[b]) {
        const auto c = static_cast<std::size_t>(i);
        start_[c] = now[core(c)];
        now[core(c)] += cycles(c);
      }
      exchange(messages[b], now);
    }
  }
  /// Always the message that can go first; of several, that of the core with most left to exchange.
  void exchange(const std::vector<std::size_t>& list, std::vector<Cycles>& now) {
    std::vector<Cycles> left(now.size(), 0);
    for (const std::size_t m : list) {
      left[messages_[m].from] += messages_[m].cycles;
      left[messages_[m].to] += messages_[m].cycles;
    }
    const auto earliest = [&](const Message& m) { return std::max(now[m.from], now[m.to]); };
    const auto behind = [&](const Message& m) { return std::max(left[m.from], left[m.to]); };
    using Key = std::tuple<Cycles, Cycles, std::size_t>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> waiting;
    for (const std::size_t m : list) waiting.emplace(earliest(messages_[m]), -behind(messages_[m]), m);
    while (!waiting.empty()) {
      const auto [time, rest, index] = waiting.top();
      waiting.pop();
      Message& m = messages_[index];
      const Key key{earliest(m), -behind(m), index};
      if (key != Key{time, rest, index}) {
        waiting.push(key);
        continue;
      }
      m.start = time;
      now[m.from] = now[m.to] = time + m.cycles;
      left[m.from] -= m.cycles, left[m.to] -= m.cycles;
    }
  }

  Schedule result() const {
    Schedule schedule;
    schedule.class_core = one_.class_core;
    schedule.placed = one_.placed;
    std::vector<Action> turn;
    for (std::size_t i = 0; i < s_.computes.size(); ++i) {
      const Cycles end = start_[i] + cycles(i);
      schedule.stage.push_back(beat_[i] / beats_);
      Placed& p = schedule.placed[i];
      p.start = start_[i] + costs_.load(p.core, work_.loads[i]);
      p.end = end - costs_.store(p.core, work_.stores[i]);
      schedule.makespan = std::max(schedule.makespan, end);
      turn.push_back({p.core, p.core, cycles(i), start_[i]});
    }
    std::vector<MessageStarts::Start> starts;
    for (const Message& m : messages_) {
      for (const std::int32_t p : m.producers) {
        starts.push_back({ComputeId{p}, m.to, m.start});
        schedule.message_stage[{ComputeId{p}, m.to}] = m.beat / beats_;
      }
      schedule.makespan = std::max(schedule.makespan, m.start + m.cycles);
      turn.push_back({m.from, m.to, m.cycles, m.start});
    }
    schedule.message_start = MessageStarts(std::move(starts));
    schedule.interval = pace(turn, chip_.cores);
    return schedule;
  }
};

}  // namespace

std::optional<Schedule> in_beats(const Scheduling& all, const Schedule& one, std::span<const std::int32_t> beats) {
  Beats of_one(all, one);
  std::optional<Schedule> best;
  for (const std::int32_t each : beats)
    if (std::optional<Schedule> made = of_one.run(each); made && (!best || made->interval < best->interval))
      best = std::move(made);
  return best;
}

}  // namespace pimento::pim
