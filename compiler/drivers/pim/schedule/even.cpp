// For a stream only what a core does per image counts, of whatever layer: here the cores' loads, messages included,
// come as near to each other as moving one thing at a time, or two against each other, brings them. What moves is a
// class, or the computes without a class that make the same columns of a value; everything is weighed with what it
// sends and receives from where its partners stand. First they move by chance, and what makes loads more uneven is
// taken too, by ever less of it (threshold accepting: Dueck and Scheuer, J. Comput. Phys. 90, 1990, a simulated
// annealing without exponentials); then what helps the busiest core most.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/instruction/samples.hpp"

namespace pimento::pim {
namespace {

class Evener {
 public:
  Evener(const Scheduling& all, Schedule one, bool classes_may_move)
      : all_(all),
        s_(all.spatial),
        chip_(all.chip),
        costs_(all.costs),
        work_(all.work),
        one_(std::move(one)),
        classes_may_move_(classes_may_move),
        load_(static_cast<std::size_t>(chip_.cores), 0),
        change_(load_.size(), 0),
        slot_(load_.size(), -1),
        room_(s_, chip_) {
    make_parts();
    make_flows();
    for (std::size_t k = 0; k < parts_.size(); ++k) load_[parts_[k].core] += parts_[k].cycles;
    for (const Flow& f : flows_) add(f, 1, load_);
    mean_ = std::max(1.0, std::accumulate(load_.begin(), load_.end(), 0.0) / static_cast<double>(load_.size()));
  }

  Schedule run() {
    anneal();
    constexpr int most_trades = 400;
    for (int trade = 0; trade < most_trades && looked_at_ < most_looked_at; ++trade)
      if (!relieve_busiest()) break;
    for (std::size_t i = 0; i < part_of_.size(); ++i) one_.placed[i].core = parts_[part_of_[i]].core;
    for (const Part& p : parts_)
      if (p.cls != no_class) one_.class_core[index_of(p.cls)] = p.core;
    return std::move(one_);
  }

 private:
  struct Part {
    ClassId cls = no_class;
    CoreId core = 0;
    double cycles = 0;
    bool may_move = true;
    std::vector<std::size_t> flows;
  };
  /// Results of one part that others read alike, so many times.
  struct Flow {
    std::size_t producer = 0;
    const SpatialValue* value = nullptr;
    std::vector<std::pair<std::size_t, PBox>> readers;
    std::int64_t count = 0;
  };

  const Scheduling& all_;
  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  const Work& work_;
  Schedule one_;
  bool classes_may_move_;
  std::vector<Part> parts_;
  std::vector<std::size_t> part_of_;  ///< by compute
  std::vector<Flow> flows_;
  std::vector<double> load_, change_;  ///< by core, in cycles
  /// Readers of flows that were looked at: so many take about half a second, and what is even by then is taken.
  static constexpr std::int64_t most_annealed = 20'000'000, most_looked_at = 30'000'000;
  std::int64_t looked_at_ = 0;
  std::vector<std::int32_t> slot_;  ///< by core: its place in read_there_, or -1
  std::vector<std::pair<CoreId, PBox>> read_there_;
  std::vector<CoreId> changed_;
  Room room_;
  isa::Random random_{1};
  double mean_ = 1;

  void make_parts() {
    using Columns = std::tuple<std::size_t, std::int32_t, std::int32_t, CoreId>;
    std::map<std::pair<ClassId, Columns>, std::size_t> known;
    for (std::size_t i = 0; i < s_.computes.size(); ++i) {
      const Compute& c = s_.computes[i];
      const CoreId core = one_.placed[i].core;
      const Columns columns =
          c.cls != no_class ? Columns{} : Columns{index_of(c.batch), c.write.box.p0, c.write.box.c0, core};
      const auto [at, is_new] = known.try_emplace({c.cls, columns}, parts_.size());
      if (is_new) {
        parts_.push_back({c.cls, core, 0, c.cls == no_class || classes_may_move_, {}});
        if (c.cls != no_class) room_.take(index_of(c.cls), core);
      }
      Part& part = parts_[at->second];
      part.cycles += static_cast<double>(all_.cycles(i, core));
      if (WideSums::is_wide(c)) part.may_move = false;
      part_of_.push_back(at->second);
    }
  }
  void make_flows() {
    using Readers = std::vector<std::pair<std::size_t, std::array<std::int32_t, 6>>>;
    std::map<std::tuple<std::size_t, SpatialValueId, Readers>, std::size_t> known;
    for (std::size_t i = 0; i < s_.computes.size(); ++i) {
      std::map<std::size_t, PBox> boxes;
      for (const WorkEdge& e : work_.outputs[i]) {
        const std::size_t reader = part_of_[static_cast<std::size_t>(e.other)];
        if (reader == part_of_[i]) continue;
        PBox& box = boxes[reader];
        box = bounding(box, e.box);
      }
      if (boxes.empty()) continue;
      const Access& write = s_.computes[i].write;
      Readers readers;
      for (const auto& [reader, b] : boxes)
        readers.push_back({reader, {b.r0 - write.box.r0, b.r1 - write.box.r0, b.p0, b.p1, b.c0, b.c1}});
      const auto [at, is_new] = known.try_emplace({part_of_[i], write.value, std::move(readers)}, flows_.size());
      if (is_new) {
        flows_.push_back({part_of_[i], &s_.values[index_of(write.value)], {boxes.begin(), boxes.end()}, 0});
        parts_[part_of_[i]].flows.push_back(at->second);
        for (const auto& [reader, b] : boxes) parts_[reader].flows.push_back(at->second);
      }
      ++flows_[at->second].count;
    }
  }

  /// What a flow costs the cores at both ends: one message to each core that reads some of it.
  void add(const Flow& f, double sign, std::vector<double>& to) {
    const CoreId from = parts_[f.producer].core;
    looked_at_ += static_cast<std::int64_t>(f.readers.size());
    read_there_.clear();  // by core, in the order of its first reader
    for (const auto& [reader, box] : f.readers) {
      const CoreId core = parts_[reader].core;
      if (core == from) continue;
      std::int32_t& slot = slot_[core];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(read_there_.size());
        read_there_.push_back({core, box});
      } else {
        PBox& all = read_there_[static_cast<std::size_t>(slot)].second;
        all = bounding(all, box);
      }
    }
    for (const auto& [core, box] : read_there_) {
      slot_[core] = -1;
      const auto each = std::max<Cycles>(1, costs_.message(from, core, costs_.bytes(*f.value, box)));
      const double cycles = sign * static_cast<double>(each * f.count);
      to[from] += cycles, to[core] += cycles;
      if (&to == &change_) changed_.push_back(from), changed_.push_back(core);
    }
  }
  std::size_t drawn(std::size_t n) { return static_cast<std::size_t>(random_.next() % n); }
  /// How far the cores are from an even load: the eighth powers make the busiest count.
  double weight(double load) const { return eighth_power(load / mean_); }
  void shift(std::size_t p, CoreId to) {
    Part& part = parts_[p];
    for (const std::size_t f : part.flows) add(flows_[f], -1, change_);
    change_[part.core] -= part.cycles, change_[to] += part.cycles;
    changed_.push_back(part.core), changed_.push_back(to);
    part.core = to;
    for (const std::size_t f : part.flows) add(flows_[f], 1, change_);
  }
  /// Takes the change over, or forgets it; what the sum of weights grows by.
  double settle(bool keep) {
    double grown = 0;
    for (const CoreId k : changed_) {
      if (change_[k] == 0) continue;
      grown += weight(load_[k] + change_[k]) - weight(load_[k]);
      if (keep) load_[k] += change_[k];
      change_[k] = 0;
    }
    changed_.clear();
    return grown;
  }
  bool has_room(std::size_t p, CoreId k) const {
    return parts_[p].cls == no_class || room_.has(index_of(parts_[p].cls), k);
  }
  double if_moved(std::size_t p, CoreId to) {
    const CoreId before = parts_[p].core;
    shift(p, to);
    parts_[p].core = before;
    return settle(false);
  }
  void move(std::size_t p, CoreId to) {
    const Part& part = parts_[p];
    if (part.cls != no_class) room_.give_back(index_of(part.cls), part.core), room_.take(index_of(part.cls), to);
    shift(p, to);
    settle(true);
  }
  /// Whether two parts may change places.
  bool may_trade(std::size_t a, std::size_t b) const {
    const auto needs = [&](std::size_t p) {
      return parts_[p].cls == no_class ? 0 : std::int64_t{s_.classes[index_of(parts_[p].cls)].crossbars};
    };
    const auto fits = [&](std::size_t comes, std::size_t goes) {
      const std::int64_t left =
          parts_[comes].cls == no_class ? 0 : room_.left(index_of(parts_[comes].cls), parts_[goes].core);
      return needs(comes) == 0 || left + needs(goes) >= needs(comes);
    };
    return fits(a, b) && fits(b, a);
  }
  double if_traded(std::size_t a, std::size_t b) {
    const CoreId of_a = parts_[a].core, of_b = parts_[b].core;
    shift(a, of_b);
    shift(b, of_a);
    parts_[a].core = of_a, parts_[b].core = of_b;
    return settle(false);
  }
  void trade(std::size_t a, std::size_t b) {
    const CoreId of_a = parts_[a].core, of_b = parts_[b].core;
    for (const std::size_t p : {a, b})
      if (parts_[p].cls != no_class) room_.give_back(index_of(parts_[p].cls), parts_[p].core);
    shift(a, of_b);
    shift(b, of_a);
    for (const std::size_t p : {a, b})
      if (parts_[p].cls != no_class) room_.take(index_of(parts_[p].cls), parts_[p].core);
    settle(true);
  }
  /// A core to move a part to: any, or one where something stands that it exchanges data with.
  CoreId drawn_core(std::size_t p) {
    const std::vector<std::size_t>& flows = parts_[p].flows;
    if (drawn(2) == 0 || flows.empty()) return static_cast<CoreId>(drawn(load_.size()));
    const Flow& f = flows_[flows[drawn(flows.size())]];
    return parts_[f.producer == p ? f.readers[drawn(f.readers.size())].first : f.producer].core;
  }
  void move_by_chance(double threshold) {
    const std::size_t p = drawn(parts_.size());
    if (!parts_[p].may_move) return;
    if (drawn(2) == 0) {
      const CoreId k = drawn_core(p);
      if (k != parts_[p].core && has_room(p, k) && if_moved(p, k) < threshold) move(p, k);
      return;
    }
    const std::size_t q = drawn(parts_.size());
    const bool may = parts_[q].may_move && parts_[q].core != parts_[p].core && may_trade(p, q);
    if (may && if_traded(p, q) < threshold) trade(p, q);
  }
  /// From a threshold as high as the weight of one even load downwards, halved so many times.
  void anneal() {
    constexpr int halvings = 10;
    constexpr std::int64_t tries_of_part = 2000;  // a few parts have few places to be tried
    const std::int64_t most_tries = tries_of_part * static_cast<std::int64_t>(parts_.size());
    double threshold = 1;
    std::int64_t tries = 0;
    for (int step = 1; step <= halvings; ++step, threshold /= 2)
      for (; looked_at_ < step * most_annealed / halvings && tries < step * most_tries / halvings; ++tries)
        move_by_chance(threshold);
  }

  /// The best move or trade of anything on the busiest core.
  bool relieve_busiest() {
    constexpr double worth_it = -1e-6;
    const auto busiest = static_cast<CoreId>(std::max_element(load_.begin(), load_.end()) - load_.begin());
    double least = worth_it;
    std::size_t best = 0, partner = parts_.size();
    CoreId target = busiest;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].core != busiest || !parts_[p].may_move) continue;
      if (looked_at_ > most_looked_at) break;
      for (CoreId k = 0; k < static_cast<CoreId>(load_.size()); ++k) {
        if (k == busiest || !has_room(p, k)) continue;
        const double grown = if_moved(p, k);
        if (grown < least) least = grown, best = p, target = k, partner = parts_.size();
      }
      for (std::size_t q = 0; q < parts_.size(); ++q) {
        if (parts_[q].core == busiest || !parts_[q].may_move || !may_trade(p, q)) continue;
        const double grown = if_traded(p, q);
        if (grown < least) least = grown, best = p, partner = q;
      }
    }
    if (partner < parts_.size())
      trade(best, partner);
    else if (target != busiest)
      move(best, target);
    else
      return false;
    return true;
  }
};

}  // namespace

Schedule evened(const Scheduling& all, Schedule one, bool classes_may_move) {
  return Evener(all, std::move(one), classes_may_move).run();
}

}  // namespace pimento::pim
