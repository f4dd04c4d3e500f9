// Cores are alike but for the ways between them: whatever rule placed the classes, their cores may change numbers, so
// that much data goes short ways. That is the quadratic assignment problem (Koopmans and Beckmann, Econometrica 25,
// 1957); here two cores change numbers as long as the sum of
//
//   F = sum over cores of (work of its classes + its messages, both ends counted)^p
//
// falls: with p = 1 the sum of all ways, with more rather those of the busiest cores.
#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/drivers/pim/schedule/flow_costs.hpp"
#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

class Renumbering {
 public:
  Renumbering(const Scheduling& all, const std::vector<CoreId>& core_of, int power)
      : power_(power),
        cores_(static_cast<std::size_t>(all.chip.cores)),
        flow_costs_(all.costs, cores_),
        partners_(cores_),
        load_(cores_, 0),
        change_(cores_, 0),
        number_(cores_) {
    std::iota(number_.begin(), number_.end(), 0);
    std::vector<Flow> flows(cores_ * cores_);
    const ClassGraph& g = all.classes;
    for (std::size_t c = 0; c < g.cost.size(); ++c) {
      load_[core_of[c]] += static_cast<double>(g.cost[c]);
      for (const ClassGraph::Edge& e : g.sources[c]) {
        if (core_of[e.from] == core_of[c]) continue;
        Flow& flow = flows[core_of[e.from] * cores_ + core_of[c]];
        flow.bytes += static_cast<double>(e.bytes), flow.messages += static_cast<double>(e.messages);
      }
    }
    for (std::size_t a = 0; a < cores_; ++a)
      for (std::size_t b = 0; b < cores_; ++b) {
        Flow flow = flows[a * cores_ + b];
        if (flow.messages == 0) continue;
        flow.other = b, flow.comes_in = false;
        partners_[a].push_back(flow);
        flow.other = a, flow.comes_in = true;
        partners_[b].push_back(flow);
        const double cycles = flow_costs_(a, b, flow.messages, flow.bytes);
        load_[a] += cycles, load_[b] += cycles;
      }
    mean_ = std::max(1.0, std::accumulate(load_.begin(), load_.end(), 0.0) / static_cast<double>(cores_));
  }

  /// The numbers of the cores after as many changes as help. After the first round of tries, two cores are tried again
  /// where one of them has changed its number since.
  const std::vector<std::size_t>& run() {
    constexpr int most_sweeps = 20;
    constexpr double worth_it = -1e-9;
    std::vector<bool> changed(cores_, true), changes(cores_, false);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      for (std::size_t a = 0; a < cores_; ++a)
        for (std::size_t b = a + 1; b < cores_; ++b) {
          const bool alone = partners_[a].empty() && partners_[b].empty();
          if (alone || !(changed[a] || changed[b] || changes[a] || changes[b])) continue;
          swap(a, b);
          if (growth() < worth_it) {
            for (std::size_t k = 0; k < cores_; ++k) load_[k] += change_[k];
            changes[a] = changes[b] = true;
          } else {
            std::swap(number_[a], number_[b]);
          }
          std::fill(change_.begin(), change_.end(), 0.0);
        }
      if (std::find(changes.begin(), changes.end(), true) == changes.end()) break;
      changed = std::exchange(changes, std::vector<bool>(cores_, false));
    }
    return number_;
  }

 private:
  struct Flow {
    std::size_t other = 0;
    double bytes = 0, messages = 0;
    bool comes_in = false;
  };
  int power_;
  std::size_t cores_;
  FlowCosts flow_costs_;
  std::vector<std::vector<Flow>> partners_;  ///< by core
  std::vector<double> load_, change_;        ///< by core as it was numbered first, in cycles
  std::vector<std::size_t> number_;          ///< by the same
  double mean_ = 1;

  double between(std::size_t a, const Flow& f) const {
    const std::size_t here = number_[a], there = number_[f.other];
    return f.comes_in ? flow_costs_(there, here, f.messages, f.bytes) : flow_costs_(here, there, f.messages, f.bytes);
  }
  void add(std::size_t a, std::size_t b, double sign) {
    for (const Flow& f : partners_[a]) {
      const double cycles = sign * between(a, f);
      change_[a] += cycles, change_[f.other] += cycles;
    }
    for (const Flow& f : partners_[b]) {
      if (f.other == a) continue;
      const double cycles = sign * between(b, f);
      change_[b] += cycles, change_[f.other] += cycles;
    }
  }
  void swap(std::size_t a, std::size_t b) {
    add(a, b, -1);
    std::swap(number_[a], number_[b]);
    add(a, b, 1);
  }
  double weight(double load) const {
    double product = 1;
    for (int i = 0; i < power_; ++i) product *= load / mean_;
    return product;
  }
  double growth() const {
    double grown = 0;
    for (std::size_t k = 0; k < cores_; ++k)
      if (change_[k] != 0) grown += weight(load_[k] + change_[k]) - weight(load_[k]);
    return grown;
  }
};

}  // namespace

std::vector<CoreId> renumbered(const Scheduling& all, std::vector<CoreId> core_of, int power) {
  Renumbering renumbering(all, core_of, power);
  const std::vector<std::size_t>& number = renumbering.run();
  for (CoreId& core : core_of) core = static_cast<CoreId>(number[core]);
  return core_of;
}

}  // namespace pimento::pim
