// List scheduling of computes with their classes pinned, driven by time: whenever a core is free it takes the ready
// compute of highest rank (the longest way to the end, mean messages included); a compute without a class joins the
// core where it would finish first when its last input is made. Moving data occupies the cores on both ends where the
// core overlaps nothing (window 1).
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "compiler/drivers/pim/schedule/stages.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

struct Edge {
  std::int32_t other;  ///< compute
  Bytes bytes;
};

class ListScheduler {
 public:
  ListScheduler(const Spatial& s, const Producers& producers, const isa::Chip& chip, const MoveCosts& costs,
                std::vector<CoreId> class_core)
      : s_(s), chip_(chip), costs_(costs), n_(s.computes.size()), serial_(chip.core.window == 1) {
    result_.class_core = std::move(class_core);
    result_.placed.resize(n_);
    build_edges(producers);
    build_ranks();
  }

  Schedule run() {
    missing_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      missing_[i] = static_cast<std::int32_t>(inputs_[i].size());
      result_.placed[i].compute = ComputeId{static_cast<std::int32_t>(i)};
    }
    const auto cores = static_cast<std::size_t>(chip_.cores);
    available_.assign(cores, 0);
    queued_.assign(cores, 0);
    owed_.assign(cores, 0);
    ready_.resize(cores);
    waiting_.resize(cores);
    running_.assign(cores, -1);
    build_layers();
    for (std::size_t i = 0; i < n_; ++i)
      if (missing_[i] == 0) assign(i);
    for (std::size_t k = 0; k < cores; ++k) wake(0, k);
    while (!events_.empty()) {
      const auto [time, core] = *events_.begin();
      events_.erase(events_.begin());
      finish_on(core, time);
      start_on(core, time, false);
      if (events_.empty()) release(time);
    }
    for (const Placed& p : result_.placed) {
      PIMENTO_CHECK(p.end > p.start, "a compute was never scheduled");
      result_.makespan = std::max(result_.makespan, p.end);
    }
    return std::move(result_);
  }

 private:
  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  std::size_t n_;
  bool serial_;
  Schedule result_;
  std::vector<std::vector<Edge>> inputs_, outputs_;
  std::vector<Bytes> loads_, stores_;  ///< global memory traffic of each compute
  std::vector<Cycles> rank_;
  std::vector<std::int32_t> missing_;
  std::vector<Cycles> available_;
  std::vector<Cycles> queued_;  ///< work assigned to a core and not started
  std::vector<Cycles> owed_;    ///< sends that a core has yet to spend time on
  using Key = std::tuple<std::int64_t, Cycles, std::size_t>;
  std::vector<std::set<Key>> ready_;    ///< by core: (place in the image, -rank, compute), data there
  std::vector<std::set<Key>> waiting_;  ///< by core: (time the data is there, 0, compute)
  std::set<std::pair<Cycles, std::size_t>> events_;

  void build_edges(const Producers& producers) {
    inputs_.resize(n_);
    outputs_.resize(n_);
    loads_.assign(n_, 0);
    stores_.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      const Compute& c = s_.computes[i];
      std::vector<Edge> from;
      for (const Access& read : c.reads) {
        const SpatialValue& value = s_.values[index_of(read.value)];
        if (value.role == ValueRole::input) loads_[i] += costs_.bytes(value, intersect(read.box, value.whole()));
        producers.of(read.value, read.box, [&](ComputeId p, const PBox& part) {
          from.push_back({static_cast<std::int32_t>(p), costs_.bytes(value, part)});
        });
      }
      std::sort(from.begin(), from.end(), [](const Edge& a, const Edge& b) { return a.other < b.other; });
      for (const Edge& e : from) {
        if (!inputs_[i].empty() && inputs_[i].back().other == e.other)
          inputs_[i].back().bytes += e.bytes;
        else
          inputs_[i].push_back(e);
      }
      for (const Edge& e : inputs_[i])
        outputs_[static_cast<std::size_t>(e.other)].push_back({static_cast<std::int32_t>(i), e.bytes});
      const SpatialValue& made = s_.values[index_of(c.write.value)];
      if (made.role == ValueRole::output) stores_[i] = costs_.bytes(made, c.write.box);
    }
  }

  void build_ranks() {
    // a class does its computes one after the other, so the next of them is a successor too
    std::vector<std::int32_t> next(n_, -1);
    for (const TileClass& c : s_.classes)
      for (std::size_t k = 0; k + 1 < c.computes.size(); ++k)
        next[index_of(c.computes[k])] = static_cast<std::int32_t>(c.computes[k + 1]);
    rank_.assign(n_, 0);
    for (std::size_t i = n_; i-- > 0;) {
      Cycles after = next[i] >= 0 ? rank_[static_cast<std::size_t>(next[i])] : 0;
      for (const Edge& e : outputs_[i])
        after = std::max(after, rank_[static_cast<std::size_t>(e.other)] + costs_.mean_message(e.bytes));
      rank_[i] = s_.computes[i].cycles + after;
    }
  }

  /// How far down the image a compute's row lies, from 0 to 2^20. The same core takes the row that lies highest,
  /// whatever its layer: later layers follow at once, so that little stands between them and little is left after the
  /// last row. Computes without a class free the memory of what they read and come first.
  std::int64_t place_in_image(std::size_t i) const {
    const Compute& c = s_.computes[i];
    if (c.cls == no_class) return -1;
    return (std::int64_t{c.write.box.r0} << 20) / std::max(1, s_.values[index_of(c.write.value)].layout.rows);
  }

  void wake(Cycles time, std::size_t core) { events_.insert({time, core}); }

  Cycles data_ready(std::size_t i, CoreId core) const {
    Cycles ready = 0;
    for (const Edge& e : inputs_[i]) {
      const Placed& p = result_.placed[static_cast<std::size_t>(e.other)];
      ready = std::max(ready, p.end + (p.core == core ? 0 : costs_.message(p.core, core, e.bytes)));
    }
    return ready;
  }
  /// Time that the core itself spends on receiving, loading and storing for compute i.
  Cycles moving_time(std::size_t i, CoreId core) const {
    Cycles busy = 0;
    if (loads_[i] > 0) busy += costs_.load(core, loads_[i]);
    if (stores_[i] > 0) busy += costs_.store(core, stores_[i]);
    if (serial_)
      for (const Edge& e : inputs_[i]) {
        const Placed& p = result_.placed[static_cast<std::size_t>(e.other)];
        if (p.core != core) busy += costs_.message(p.core, core, e.bytes);
      }
    return busy;
  }

  /// Where a compute without a class may run: where some of its inputs are made (any core when it reads only global
  /// memory), so that a core holds few stripes of few values.
  std::vector<CoreId> candidates(std::size_t i) const {
    std::vector<CoreId> cores;
    for (const Edge& e : inputs_[i]) cores.push_back(result_.placed[static_cast<std::size_t>(e.other)].core);
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    for (CoreId k = 0; cores.empty() || (inputs_[i].empty() && k < static_cast<CoreId>(chip_.cores)); ++k)
      cores.push_back(k);
    return cores;
  }
  Cycles sending_time(std::size_t i, CoreId core) const {
    Cycles busy = 0;
    for (const Edge& e : inputs_[i]) {
      const Placed& p = result_.placed[static_cast<std::size_t>(e.other)];
      if (p.core != core) busy += costs_.message(p.core, core, e.bytes);
    }
    return busy;
  }

  /// A sum of many partial sums keeps its core from row to row: its buffers are as many as its strips.
  static constexpr std::size_t wide_sum = 8;
  using HomeKey = std::tuple<std::size_t, std::int32_t, std::int32_t>;
  std::map<HomeKey, CoreId> homes_;
  HomeKey home_key(std::size_t i) const {
    const Compute& c = s_.computes[i];
    return {index_of(c.batch), c.write.box.p0, c.write.box.c0};
  }

  /// All inputs are made: the compute gets its core and waits there for its data.
  void assign(std::size_t i) {
    const Compute& c = s_.computes[i];
    CoreId core = 0;
    const auto home = homes_.find(home_key(i));
    if (c.cls != no_class) {
      core = result_.class_core[index_of(c.cls)];
    } else if (home != homes_.end()) {
      core = home->second;
    } else {
      std::tuple<Cycles, CoreId> best{};
      bool first = true;
      for (const CoreId k : candidates(i)) {
        const Cycles start = std::max(data_ready(i, k), available_[k] + queued_[k]);
        // what the senders spend on it delays them as much as it delays this core
        const std::tuple<Cycles, CoreId> key{start + moving_time(i, k) + sending_time(i, k) + c.cycles, k};
        if (first || key < best) {
          best = key;
          core = k;
          first = false;
        }
      }
    }
    if (c.cls == no_class && c.reads.size() > wide_sum) homes_[home_key(i)] = core;
    Placed& p = result_.placed[i];
    p.core = core;
    const Cycles ready = data_ready(i, core);
    queued_[core] += c.cycles + moving_time(i, core);
    if (serial_)
      for (const Edge& e : inputs_[i]) {
        const Placed& from = result_.placed[static_cast<std::size_t>(e.other)];
        if (from.core != core) owed_[from.core] += costs_.message(from.core, core, e.bytes);
      }
    waiting_[core].insert({ready, 0, i});
    wake(std::max(ready, available_[core]), core);
  }

  // --- how far a layer may run ahead
  struct Layer {
    std::vector<std::int32_t> unfinished;  ///< computes by first row
    std::size_t row = 0;                   ///< first row with an unfinished one
    std::vector<std::int32_t> readers;     ///< layers that read this one
    std::int64_t step = 0;                 ///< place of one row
    std::int64_t place() const {
      return row == unfinished.size() ? std::numeric_limits<std::int64_t>::max() / 2
                                      : static_cast<std::int64_t>(row) * step;
    }
  };
  std::vector<Layer> layers_;
  std::vector<std::int32_t> running_;  ///< by core: compute, or -1
  std::set<std::size_t> parked_;       ///< cores whose ready computes are all too far ahead

  std::size_t layer_of(std::size_t i) const {
    return static_cast<std::size_t>(s_.batches[index_of(s_.computes[i].batch)].body.node);
  }
  void build_layers() {
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t l = layer_of(i);
      if (layers_.size() <= l) layers_.resize(l + 1);
      const std::int32_t rows = std::max(1, s_.values[index_of(s_.computes[i].write.value)].layout.rows);
      Layer& layer = layers_[l];
      layer.step = (std::int64_t{1} << 20) / rows;
      layer.unfinished.resize(static_cast<std::size_t>(rows), 0);
      ++layer.unfinished[static_cast<std::size_t>(s_.computes[i].write.box.r0)];
      for (const Edge& e : inputs_[i]) {
        const std::size_t from = layer_of(static_cast<std::size_t>(e.other));
        std::vector<std::int32_t>& readers = layers_[from].readers;
        if (from != l && std::find(readers.begin(), readers.end(), static_cast<std::int32_t>(l)) == readers.end())
          readers.push_back(static_cast<std::int32_t>(l));
      }
    }
    for (Layer& layer : layers_) advance(layer);
  }
  static bool advance(Layer& layer) {
    const std::size_t before = layer.row;
    while (layer.row < layer.unfinished.size() && layer.unfinished[layer.row] == 0) ++layer.row;
    return layer.row != before;
  }
  /// A layer stays within some rows of its slowest stripe and of its readers: what runs further ahead only fills
  /// memory.
  bool may_start(std::size_t i) const {
    if (s_.computes[i].cls == no_class) return true;
    const Layer& own = layers_[layer_of(i)];
    const std::int64_t at = std::int64_t{s_.computes[i].write.box.r0} * own.step;
    const std::int64_t eighth = std::int64_t{1} << 17;
    if (at > own.place() + std::max(eighth, run_ahead_rows * own.step)) return false;
    for (const std::int32_t r : own.readers) {
      const Layer& reader = layers_[static_cast<std::size_t>(r)];
      if (at > reader.place() + std::max(eighth, run_ahead_rows * std::max(own.step, reader.step))) return false;
    }
    return true;
  }
  static constexpr std::int64_t run_ahead_rows = 6;

  void finish_on(std::size_t core, Cycles time) {
    if (running_[core] < 0 || available_[core] > time) return;
    const auto i = static_cast<std::size_t>(running_[core]);
    running_[core] = -1;
    Layer& layer = layers_[layer_of(i)];
    --layer.unfinished[static_cast<std::size_t>(s_.computes[i].write.box.r0)];
    if (!advance(layer)) return;
    for (const std::size_t k : parked_) wake(std::max(time, available_[k]), k);
    parked_.clear();
  }
  /// Nothing else can happen: the parked core whose compute lies highest goes on.
  void release(Cycles time) {
    std::size_t best = ready_.size();
    for (const std::size_t k : parked_)
      if (best == ready_.size() || *ready_[k].begin() < *ready_[best].begin()) best = k;
    if (best == ready_.size()) return;
    parked_.erase(best);
    start_on(best, std::max(time, available_[best]), true);
  }

  void start_on(std::size_t core, Cycles time, bool unlimited) {
    if (available_[core] > time) return wake(available_[core], core);
    auto& waiting = waiting_[core];
    while (!waiting.empty() && std::get<0>(*waiting.begin()) <= time) {
      const std::size_t i = std::get<2>(*waiting.begin());
      waiting.erase(waiting.begin());
      ready_[core].insert({place_in_image(i), -rank_[i], i});
    }
    auto chosen = ready_[core].begin();
    while (!unlimited && chosen != ready_[core].end() && !may_start(std::get<2>(*chosen))) ++chosen;
    if (chosen == ready_[core].end()) {
      if (!ready_[core].empty()) parked_.insert(core);
      if (!waiting.empty()) wake(std::get<0>(*waiting.begin()), core);
      return;
    }
    const std::size_t i = std::get<2>(*chosen);
    ready_[core].erase(chosen);
    running_[core] = static_cast<std::int32_t>(i);
    parked_.erase(core);
    Placed& p = result_.placed[i];
    const Cycles moving = moving_time(i, p.core);
    p.start = time + moving + owed_[core];
    owed_[core] = 0;
    p.end = p.start + std::max<Cycles>(1, s_.computes[i].cycles);
    queued_[core] -= s_.computes[i].cycles + moving;
    available_[core] = p.end;
    for (const Edge& e : outputs_[i])
      if (--missing_[static_cast<std::size_t>(e.other)] == 0) assign(static_cast<std::size_t>(e.other));
    wake(p.end, core);
  }
};

}  // namespace

Schedule schedule_computes(const Spatial& spatial, const Producers& producers, const isa::Chip& chip,
                           const MoveCosts& costs, std::vector<CoreId> class_core) {
  return ListScheduler(spatial, producers, chip, costs, std::move(class_core)).run();
}

Schedule make_schedule(const Spatial& spatial, const isa::Chip& chip) {
  const Producers producers(spatial);
  const MoveCosts costs(spatial, chip);
  return schedule_computes(spatial, producers, chip, costs, place_classes(spatial, producers, chip, costs));
}

}  // namespace pimento::pim
