// PEFT's placement made better by moving one class at a time, as long as the cores' loads come nearer to each other.
//
//   F = sum over cores k of  load(k)^2 + filled(k)^2 + sum over layers l of layer_load(l, k)^2
//
// load(k): what its classes compute and all of its messages take, both ends counted; layer_load: what they compute of
// one layer, since its rows are due at the same time; filled: its crossbars, as the work of an even share. A sum of
// squares falls with the whole (messages go to near cores) and with the differences. PEFT's own choice is greedy by the
// slope of F; here classes that were placed before their neighbours are placed again, now that those are known.
#include <algorithm>
#include <map>

#include "compiler/drivers/pim/schedule/flow_costs.hpp"
#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

class Balancer {
 public:
  Balancer(const Scheduling& scheduling, std::vector<CoreId> core_of)
      : graph_(scheduling.classes),
        spatial_(scheduling.spatial),
        capacity_(scheduling.chip.core.crossbars),
        flow_costs_(scheduling.costs),
        core_of_(std::move(core_of)),
        load_(static_cast<std::size_t>(scheduling.chip.cores), 0),
        room_(scheduling.spatial, scheduling.chip),
        added_(load_.size(), 0) {
    flows_.resize(graph_.cost.size());
    for (std::size_t c = 0; c < graph_.cost.size(); ++c)
      for (const ClassGraph::Edge& e : graph_.sources[c]) {
        const auto bytes = static_cast<double>(e.bytes), messages = static_cast<double>(e.messages);
        flows_[c].push_back({e.from, messages, bytes, true});
        flows_[e.from].push_back({c, messages, bytes, false});
      }
    double all = 0;
    for (std::size_t c = 0; c < graph_.cost.size(); ++c) {
      const std::size_t k = core_of_[c];
      load_[k] += cost(c);
      room_.take(c, k);
      in_layer(c)[k] += cost(c);
      all += cost(c);
      for (const Flow& f : flows_[c]) load_[k] += between(f, k);
    }
    work_per_crossbar_ = all / static_cast<double>(load_.size()) / capacity_;
  }

  std::vector<CoreId> run() {
    constexpr int most_sweeps = 6;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      bool moved = false;
      for (std::size_t c = 0; c < core_of_.size(); ++c) moved |= place_again(c);
      if (!moved) break;
    }
    return std::move(core_of_);
  }

 private:
  struct Flow {
    std::size_t other;  ///< class
    double messages, bytes;
    bool comes_in;
  };
  const ClassGraph& graph_;
  const Spatial& spatial_;
  double capacity_;
  FlowCosts flow_costs_;
  std::vector<CoreId> core_of_;
  std::vector<std::vector<Flow>> flows_;  ///< by class
  std::vector<double> load_;              ///< by core, in cycles
  Room room_;
  std::vector<double> added_;                           ///< by core: what a trial would add
  std::map<std::int32_t, std::vector<double>> layers_;  ///< by graph node, then by core
  double work_per_crossbar_ = 0;

  double used(std::size_t c, std::size_t k) const { return capacity_ - static_cast<double>(room_.left(c, k)); }
  double cost(std::size_t c) const { return static_cast<double>(graph_.cost[c]); }
  std::vector<double>& in_layer(std::size_t c) {
    return layers_.try_emplace(graph_.layer[c], load_.size(), 0.0).first->second;
  }
  /// Of a class's flow when it stands on core k.
  double between(const Flow& f, std::size_t k) const {
    const std::size_t other = core_of_[f.other];
    return f.comes_in ? flow_costs_(other, k, f.messages, f.bytes) : flow_costs_(k, other, f.messages, f.bytes);
  }
  void put(std::size_t c, std::size_t k, double sign) {
    load_[k] += sign * cost(c);
    in_layer(c)[k] += sign * cost(c);
    sign > 0 ? room_.take(c, k) : room_.give_back(c, k);
    for (const Flow& f : flows_[c]) {
      const double cycles = sign * between(f, k);
      load_[k] += cycles;
      load_[core_of_[f.other]] += cycles;
    }
  }
  /// What F grows by when class c, which stands nowhere, comes to core k.
  double growth(std::size_t c, std::size_t k) {
    const double crossbars = spatial_.classes[c].crossbars;
    double all = cost(c);
    for (const Flow& f : flows_[c]) {
      const double cycles = between(f, k);
      all += cycles;
      added_[core_of_[f.other]] += cycles;
    }
    added_[k] += all;
    double grown = added_[k] * (2 * load_[k] + added_[k]);
    added_[k] = 0;
    for (const Flow& f : flows_[c]) {
      const std::size_t other = core_of_[f.other];
      grown += added_[other] * (2 * load_[other] + added_[other]);
      added_[other] = 0;
    }
    return grown + cost(c) * (2 * in_layer(c)[k] + cost(c)) +
           work_per_crossbar_ * work_per_crossbar_ * crossbars * (2 * used(c, k) + crossbars);
  }
  bool place_again(std::size_t c) {
    const std::size_t before = core_of_[c];
    put(c, before, -1);
    std::size_t best = before;
    double least = growth(c, before);
    for (std::size_t k = 0; k < load_.size(); ++k) {
      if (k == before || !room_.has(c, k)) continue;
      const double grown = growth(c, k);
      constexpr double worth_it = 1 - 1e-9;  // sums of doubles in another order are no gain
      if (grown < worth_it * least) {
        least = grown;
        best = k;
      }
    }
    core_of_[c] = static_cast<CoreId>(best);
    put(c, best, 1);
    return best != before;
  }
};

std::vector<CoreId> place_balanced(const Scheduling& all) { return Balancer(all, place_classes(all)).run(); }

const bool registered = register_scheduler(
    {"balanced", "peft, then one class at a time to where the cores' loads come nearer to each other", place_balanced});

}  // namespace
}  // namespace pimento::pim
