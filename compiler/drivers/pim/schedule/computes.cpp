// List scheduling of computes with their classes pinned, driven by time: whenever a core is free it takes the ready
// compute of highest rank (the longest way to the end, mean messages included); a compute without a class joins the
// core where it would finish first when its last input is made. Moving data occupies the cores on both ends where the
// core overlaps nothing (window 1).
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/drivers/pim/schedule/rewriting.hpp"
#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class ListScheduler {
 public:
  ListScheduler(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming)
      : s_(all.spatial),
        chip_(all.chip),
        costs_(all.costs),
        n_(s_.computes.size()),
        serial_(chip_.core.window == 1),
        work_(all.work),
        run_ahead_(work_, rows_ahead),
        cells_(s_, chip_, costs_, class_core),
        without_cells_(s_.classes.size()),
        roaming_(roaming),
        wide_(s_, chip_) {
    result_.class_core = std::move(class_core);
    result_.placed.resize(n_);
  }

  Schedule run() {
    missing_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      missing_[i] = static_cast<std::int32_t>(work_.inputs[i].size());
      result_.placed[i].compute = ComputeId{static_cast<std::int32_t>(i)};
    }
    const auto cores = static_cast<std::size_t>(chip_.cores);
    available_.assign(cores, 0);
    queued_.assign(cores, 0);
    owed_.assign(cores, 0);
    ready_.resize(cores);
    waiting_.resize(cores);
    running_.assign(cores, -1);
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
    result_.writes = cells_.take();
    return std::move(result_);
  }

 private:
  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  std::size_t n_;
  bool serial_;
  Schedule result_;
  const Work& work_;
  RunAhead run_ahead_;
  Rewriting cells_;
  std::vector<std::vector<std::size_t>> without_cells_;  ///< by class: computes that wait for its weights
  std::vector<std::int32_t> missing_;
  std::vector<Cycles> available_;
  std::vector<Cycles> queued_;  ///< work assigned to a core and not started
  std::vector<Cycles> owed_;    ///< sends that a core has yet to spend time on
  using Key = std::tuple<std::int64_t, Cycles, std::size_t>;
  std::vector<std::set<Key>> ready_;    ///< by core: (place in the image, -rank, compute), data there
  std::vector<std::set<Key>> waiting_;  ///< by core: (time the data is there, 0, compute)
  std::set<std::pair<Cycles, std::size_t>> events_;

  void wake(Cycles time, std::size_t core) { events_.insert({time, core}); }

  Cycles data_ready(const std::vector<Work::Origin>& origins, CoreId core) const {
    Cycles ready = 0;
    for (const Work::Origin& o : origins)
      ready = std::max(ready, o.made + (o.core == core ? 0 : costs_.message(o.core, core, o.bytes)));
    return ready;
  }
  /// What the senders spend on the inputs of a compute on that core.
  Cycles sending_time(const std::vector<Work::Origin>& origins, CoreId core) const {
    Cycles busy = 0;
    for (const Work::Origin& o : origins)
      if (o.core != core) busy += o.count * costs_.message(o.core, core, o.bytes);
    return busy;
  }
  /// Time that the core itself spends on receiving, loading and storing for compute i.
  Cycles moving_time(std::size_t i, const std::vector<Work::Origin>& origins, CoreId core) const {
    Cycles busy = serial_ ? sending_time(origins, core) : 0;
    return busy + costs_.load(core, work_.loads[i]) + costs_.store(core, work_.stores[i]);
  }

  Roaming roaming_;
  WideSums wide_;
  std::vector<Work::Origin> origins_;  ///< of the compute in hand
  std::vector<Work::Candidate> candidates_;

  /// All inputs are made: the compute gets its core and waits there for its data.
  void assign(std::size_t i) {
    const Compute& c = s_.computes[i];
    work_.find_origins(i, result_.placed, origins_);
    const std::vector<Work::Origin>& origins = origins_;
    CoreId core = 0;
    const std::optional<CoreId> home = wide_.home(c);
    if (c.cls != no_class) {
      core = result_.class_core[index_of(c.cls)];
    } else if (home) {
      core = *home;
    } else {
      std::tuple<bool, Cycles, CoreId> best{};
      bool first = true;
      Work::find_candidates(origins, chip_.cores, roaming_, candidates_);
      for (const auto [k, times] : candidates_) {
        const Cycles start = std::max(data_ready(origins, k), available_[k] + queued_[k]);
        // what the senders spend on it delays them as much as it delays this core
        const Cycles end = start + moving_time(i, origins, k) + times * sending_time(origins, k) + c.cycles;
        const std::tuple<bool, Cycles, CoreId> key{!wide_.may_take(c, k), end, k};
        if (first || key < best) {
          best = key;
          core = k;
          first = false;
        }
      }
    }
    if (c.cls == no_class && !home) wide_.take(c, core);
    Placed& p = result_.placed[i];
    p.core = core;
    const Cycles ready = data_ready(origins, core);
    queued_[core] += c.cycles + moving_time(i, origins, core);
    if (serial_)
      for (const Work::Origin& o : origins)
        if (o.core != core) owed_[o.core] += o.count * costs_.message(o.core, core, o.bytes);
    waiting_[core].insert({ready, 0, i});
    wake(std::max(ready, available_[core]), core);
  }

  std::vector<std::int32_t> running_;  ///< by core: compute, or -1
  std::set<std::size_t> parked_;       ///< cores whose ready computes are all too far ahead

  void make_ready(std::size_t core, std::size_t i) { ready_[core].insert({work_.place[i], -work_.rank[i], i}); }
  void finish_on(std::size_t core, Cycles time) {
    if (available_[core] > time) return;
    if (const std::optional<ClassId> written = cells_.end(static_cast<CoreId>(core)))
      for (const std::size_t i : std::exchange(without_cells_[index_of(*written)], {})) make_ready(core, i);
    if (running_[core] < 0) return;
    const auto i = static_cast<std::size_t>(running_[core]);
    running_[core] = -1;
    cells_.finished(s_.computes[i]);
    if (!run_ahead_.finished(i)) return;
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
      if (cells_.holds(s_.computes[i]))
        make_ready(core, i);
      else
        without_cells_[index_of(s_.computes[i].cls)].push_back(i);
    }
    auto chosen = ready_[core].begin();
    while (!unlimited && chosen != ready_[core].end() && !run_ahead_.may_start(std::get<2>(*chosen))) ++chosen;
    if (chosen == ready_[core].end()) {
      if (const std::optional<Cycles> end = cells_.begin(static_cast<CoreId>(core), time)) {
        available_[core] = *end;
        return wake(*end, core);
      }
      if (!ready_[core].empty()) parked_.insert(core);
      if (!waiting.empty()) wake(std::get<0>(*waiting.begin()), core);
      return;
    }
    const std::size_t i = std::get<2>(*chosen);
    ready_[core].erase(chosen);
    running_[core] = static_cast<std::int32_t>(i);
    parked_.erase(core);
    Placed& p = result_.placed[i];
    work_.find_origins(i, result_.placed, origins_);
    const Cycles moving = moving_time(i, origins_, p.core);
    p.start = time + moving + owed_[core];
    owed_[core] = 0;
    p.end = p.start + std::max<Cycles>(1, s_.computes[i].cycles);
    queued_[core] -= s_.computes[i].cycles + moving;
    available_[core] = p.end;
    for (const WorkEdge& e : work_.outputs[i])
      if (--missing_[static_cast<std::size_t>(e.other)] == 0) assign(static_cast<std::size_t>(e.other));
    wake(p.end, core);
  }
};

}  // namespace

Schedule schedule_computes(const Scheduling& all, std::vector<CoreId> class_core, int rows_ahead, Roaming roaming) {
  // where a send waits for its receive, when both come to it decides everything: the machine is played through
  if (all.chip.network.receive_buffer_messages == 0)
    return schedule_rendezvous(all, std::move(class_core), rows_ahead, roaming);
  return ListScheduler(all, std::move(class_core), rows_ahead, roaming).run();
}

Schedule make_schedule(const Scheduling& all, int rows_ahead, std::string_view scheduler, Roaming roaming,
                       int short_ways) {
  std::vector<CoreId> core_of = find_scheduler(scheduler).place(all);
  if (short_ways > 0) core_of = renumbered(all, std::move(core_of), short_ways);
  return schedule_computes(all, std::move(core_of), rows_ahead, roaming);
}

Schedule make_schedule(const Spatial& spatial, const isa::Chip& chip, int rows_ahead) {
  return make_schedule(Scheduling(spatial, chip), rows_ahead);
}

}  // namespace pimento::pim
