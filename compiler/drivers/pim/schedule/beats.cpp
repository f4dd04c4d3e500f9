// A stream whose images overlap, in beats. A turn takes one image in and has `beats` of them, in which every core first
// computes and then exchanges messages. What is read on another core is read a beat later at the earliest, so nobody
// waits within a beat for what is made in it, and cores meet only when all of them are done with computing. An image
// takes several turns: so many images are under way at once.
//
// Each layer's share of a core does its work evenly over one turn, from the beat on from which its inputs never keep it
// waiting; then every beat has as much to do as any other. Nothing has two places in memory: a row must be used up
// before the next image's takes its place, within a turn. A layer whose first rows would have to stay for longer (since
// something reads all of it) begins later and works faster, with `span` of a turn for all of it.
#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/pace.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class Beats {
 public:
  Beats(const Scheduling& all, const Schedule& one, std::int32_t beats)
      : all_(all), s_(all.spatial), chip_(all.chip), costs_(all.costs), work_(all.work), one_(one), beats_(beats) {}

  std::optional<Schedule> run() {
    make_groups();
    constexpr int most_attempts = 16;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      assign_beats();
      make_messages();
      if (rows_live_within_a_turn()) {
        play();
        return result();
      }
      if (!hurry()) return {};
    }
    return {};
  }

 private:
  static constexpr std::int64_t ticks = 1 << 16;  ///< of a beat

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
  std::int32_t beats_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_;  ///< by compute; -1: when its inputs are there
  std::vector<std::size_t> place_in_group_;
  std::vector<std::int32_t> beat_;  ///< by compute, counted from the begin of its image
  std::vector<Message> messages_;
  std::vector<Cycles> start_;    ///< by compute, within the turn
  std::set<std::int32_t> late_;  ///< groups that must hurry
  std::vector<bool> blamed_;     ///< by compute: it was asked for them

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
    constexpr int most_sweeps = 200;  // layers that feed each other in a circle would go on for ever
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

  /// What a core reads of a compute elsewhere comes in one message, at the end of the beat before its first use.
  void make_messages() {
    std::map<std::pair<std::int32_t, CoreId>, std::size_t> known;
    messages_.clear();
    for (std::size_t i = 0; i < s_.computes.size(); ++i)
      for (const WorkEdge& e : work_.inputs[i]) {
        const auto p = static_cast<std::size_t>(e.other);
        if (core(p) == core(i)) continue;
        const auto [at, is_new] = known.try_emplace({e.other, core(i)}, messages_.size());
        if (is_new)
          messages_.push_back({{e.other}, core(p), core(i), {}, beat_[i] - 1, 0, 0, s_.computes[p].write.value});
        Message& m = messages_[at->second];
        m.box = bounding(m.box, e.box);
        m.beat = std::min(m.beat, beat_[i] - 1);
      }
    join_messages();
    for (Message& m : messages_)
      m.cycles = std::max<Cycles>(1, costs_.message(m.from, m.to, costs_.bytes(s_.values[index_of(m.value)], m.box)));
  }
  /// Rows that follow each other and go at the same time go as one.
  void join_messages() {
    const auto journey = [](const Message& m) {
      return std::tuple(m.from, m.to, m.value, m.beat, m.box.p0, m.box.p1, m.box.c0, m.box.c1, m.box.r0,
                        m.producers.front());
    };
    std::sort(messages_.begin(), messages_.end(),
              [&](const Message& a, const Message& b) { return journey(a) < journey(b); });
    std::vector<Message> joined;
    for (Message& m : messages_) {
      if (!joined.empty()) {
        Message& last = joined.back();
        const auto way = [](const Message& x) {
          return std::tuple(x.from, x.to, x.value, x.beat, x.box.p0, x.box.p1, x.box.c0, x.box.c1);
        };
        if (way(last) == way(m) && last.box.r1 == m.box.r0) {
          last.box.r1 = m.box.r1;
          last.producers.push_back(m.producers.front());
          continue;
        }
      }
      joined.push_back(std::move(m));
    }
    messages_ = std::move(joined);
  }

  /// Half beats: a beat's computes, then its messages.
  struct Touch {
    PBox box;
    std::int32_t half = 0, compute = 0;  ///< that touches it, or whose result is sent
  };
  bool rows_live_within_a_turn() {
    late_.clear();
    blamed_.assign(group_of_.size(), false);
    std::map<std::pair<CoreId, SpatialValueId>, std::vector<Touch>> touches;
    const auto touch = [&](CoreId k, SpatialValueId value, const PBox& box, std::int32_t half, std::size_t compute) {
      if (!box.empty()) touches[{k, value}].push_back({box, half, static_cast<std::int32_t>(compute)});
    };
    for (const Message& m : messages_) {
      touch(m.from, m.value, m.box, 2 * m.beat + 1, static_cast<std::size_t>(m.producers.front()));
      touch(m.to, m.value, m.box, 2 * m.beat + 1, static_cast<std::size_t>(m.producers.front()));
    }
    for (std::size_t i = 0; i < s_.computes.size(); ++i) {
      const Compute& c = s_.computes[i];
      for (const Access& read : c.reads) {
        PBox box = read.box;
        const SpatialValue& value = s_.values[index_of(read.value)];
        if (value.role == ValueRole::input && !box.empty()) {  // a load brings all of a row that the core reads
          box.p0 = std::min(box.p0, 0), box.p1 = std::max(box.p1, value.layout.positions);
          box.c0 = 0, box.c1 = value.layout.channels;
        }
        touch(core(i), read.value, box, 2 * beat_[i], i);
      }
      touch(core(i), c.write.value, c.write.box, 2 * beat_[i], i);
    }
    bool all = true;
    for (const auto& [place, list] : touches) all &= rows_of_one_value(list);
    return all;
  }
  bool rows_of_one_value(const std::vector<Touch>& touches) {
    std::vector<PBox> buffers;  // boxes that meet in positions and channels stand together
    const auto meet = [](const PBox& a, const PBox& b) {
      return a.p0 < b.p1 && b.p0 < a.p1 && a.c0 < b.c1 && b.c0 < a.c1;
    };
    for (const Touch& t : touches) {
      PBox box = t.box;
      for (std::size_t k = 0; k < buffers.size();) {
        if (!meet(box, buffers[k])) {
          ++k;
          continue;
        }
        box = bounding(box, buffers[k]);
        buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(k));
        k = 0;
      }
      buffers.push_back(box);
    }
    bool all = true;
    for (const PBox& buffer : buffers) {
      struct Life {
        std::int32_t first = std::numeric_limits<std::int32_t>::max(), last = -1, maker = -1;
      };
      std::map<std::int32_t, Life> rows;
      for (const Touch& t : touches) {
        if (!meet(t.box, buffer)) continue;
        for (std::int32_t r = t.box.r0; r < t.box.r1; ++r) {
          Life& life = rows[r];
          if (t.half < life.first) life.first = t.half, life.maker = t.compute;
          life.last = std::max(life.last, t.half);
        }
      }
      for (const auto& [row, life] : rows)
        if (life.last - life.first >= 2 * beats_) {
          all = false;
          blame(static_cast<std::size_t>(life.maker));
        }
    }
    return all;
  }
  /// The layers whose pace a compute follows.
  void blame(std::size_t i) {
    if (blamed_[i]) return;
    blamed_[i] = true;
    if (group_of_[i] >= 0) {
      late_.insert(group_of_[i]);
      return;
    }
    for (const WorkEdge& e : work_.inputs[i]) blame(static_cast<std::size_t>(e.other));
  }
  /// What begins too early is given less time.
  bool hurry() {
    constexpr double step = 0.8, least = 0.05;
    if (late_.empty()) return false;
    for (const std::int32_t group : late_) {
      Group& g = groups_[static_cast<std::size_t>(group)];
      if (g.span < least) return false;
      g.span *= step;
    }
    return true;
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
    for (const Message& m : messages_) {
      for (const std::int32_t p : m.producers) {
        schedule.message_start[{ComputeId{p}, m.to}] = m.start;
        schedule.message_stage[{ComputeId{p}, m.to}] = m.beat / beats_;
      }
      schedule.makespan = std::max(schedule.makespan, m.start + m.cycles);
      turn.push_back({m.from, m.to, m.cycles, m.start});
    }
    schedule.interval = pace(turn, chip_.cores);
    return schedule;
  }
};

}  // namespace

std::optional<Schedule> in_beats(const Scheduling& all, const Schedule& one, std::int32_t beats) {
  return Beats(all, one, beats).run();
}

}  // namespace pimento::pim
