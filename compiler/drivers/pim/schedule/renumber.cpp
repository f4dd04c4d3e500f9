// Cores are alike but for the ways between them: whatever rule placed the classes, their cores may change numbers, so
// that much data goes short ways. That is the quadratic assignment problem (Koopmans and Beckmann, Econometrica 25,
// 1957); here two cores change numbers as long as the sum of
//
//   F = sum over cores of (work of its classes + its messages, both ends counted)^p
//
// falls: with p = 1 the sum of all ways, with more rather those of the busiest cores.
//
// Loads and stores of global memory are left out, though they too have ways. With them in F, of the predicted ends of
// four networks (lenet5, resnet20, squeezenet, resnet18) on three chips (pimsim-nn-64, pimsim-nn-64-wide, pimcomp-144)
// two came later, by 9.3 and 0.7 %, and three earlier, by 0.4 to 1.4 %.
#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/drivers/pim/schedule/flow_costs.hpp"
#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {
namespace {

/// A bound on time, not on quality: those networks need 10 at most, lenet5 on 32 x 32 cores 13.
constexpr int most_sweeps = 20;
/// F in units of the mean load, each core's part about 1: far above what rounding makes of a change between equals, so
/// that none is made and taken back for ever, and far below any that a schedule could show.
constexpr double worth_it = -1e-9;

class Renumbering {
 public:
  Renumbering(const Scheduling& all, const std::vector<CoreId>& core_of, int power)
      : power_(power),
        cores_(static_cast<std::size_t>(all.chip.cores)),
        flow_costs_(all.costs),
        partners_(cores_),
        load_(cores_, 0),
        change_(cores_, 0),
        weight_(cores_, 0),
        number_(cores_) {
    std::iota(number_.begin(), number_.end(), 0);
    std::vector<Between> flows;
    const ClassGraph& g = all.classes;
    for (std::size_t c = 0; c < g.cost.size(); ++c) {
      load_[core_of[c]] += static_cast<double>(g.cost[c]);
      for (const ClassGraph::Edge& e : g.sources[c]) {
        if (core_of[e.from] == core_of[c]) continue;
        flows.push_back({core_of[e.from], core_of[c], static_cast<double>(e.messages), static_cast<double>(e.bytes)});
      }
    }
    const auto ends = [](const Between& f) { return std::pair(f.from, f.to); };
    std::sort(flows.begin(), flows.end(), [&](const Between& x, const Between& y) { return ends(x) < ends(y); });
    for (auto first = flows.begin(); first != flows.end();) {
      Between f = *first++;
      for (; first != flows.end() && ends(*first) == ends(f); ++first)
        f.messages += first->messages, f.bytes += first->bytes;
      if (f.messages == 0) continue;
      partners_[f.from].push_back({f.to, f.messages, f.bytes, false});
      partners_[f.to].push_back({f.from, f.messages, f.bytes, true});
      const double cycles = flow_costs_(f.from, f.to, f.messages, f.bytes);
      load_[f.from] += cycles, load_[f.to] += cycles;
    }
    mean_ = std::max(1.0, std::accumulate(load_.begin(), load_.end(), 0.0) / static_cast<double>(cores_));
    for (std::size_t k = 0; k < cores_; ++k) weight_[k] = weight(load_[k]);
  }

  /// The numbers of the cores after as many changes as help. After the first round of tries, two cores are tried again
  /// where one of them has changed its number since.
  const std::vector<std::size_t>& run() {
    std::vector<std::size_t> with_partners;
    for (std::size_t k = 0; k < cores_; ++k)
      if (!partners_[k].empty()) with_partners.push_back(k);
    std::vector<bool> changed(cores_, true), changes(cores_, false);
    const auto attempt = [&](std::size_t a, std::size_t b) {
      if (!(changed[a] || changed[b] || changes[a] || changes[b])) return;
      if (swapped(a, b)) changes[a] = changes[b] = true;
    };
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      auto next = with_partners.begin();  // the first behind a
      for (std::size_t a = 0; a < cores_; ++a) {
        next = std::find_if(next, with_partners.end(), [&](std::size_t k) { return k > a; });
        if (partners_[a].empty())
          for (auto b = next; b != with_partners.end(); ++b) attempt(a, *b);
        else
          for (std::size_t b = a + 1; b < cores_; ++b) attempt(a, b);
      }
      if (std::find(changes.begin(), changes.end(), true) == changes.end()) break;
      changed = std::exchange(changes, std::vector<bool>(cores_, false));
    }
    return number_;
  }

 private:
  struct Between {
    std::size_t from = 0, to = 0;
    double messages = 0, bytes = 0;
  };
  struct Flow {
    std::size_t other = 0;
    double messages = 0, bytes = 0;
    bool comes_in = false;
  };
  int power_;
  std::size_t cores_;
  FlowCosts flow_costs_;
  std::vector<std::vector<Flow>> partners_;  ///< by core
  std::vector<double> load_, change_;        ///< by core as it was numbered first, in cycles
  std::vector<double> weight_;               ///< by the same: of its load
  std::vector<std::size_t> number_;          ///< by the same
  std::vector<std::size_t> touched_;         ///< whose load a try changes
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
  /// In the order of the cores, whatever order the flows have: a sum of doubles is to be the same.
  void touch(std::size_t a, std::size_t b) {
    touched_ = {a, b};
    for (const std::size_t end : {a, b})
      for (const Flow& f : partners_[end]) touched_.push_back(f.other);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }
  /// Changes the numbers of two cores if that helps. It asks their partners alone.
  bool swapped(std::size_t a, std::size_t b) {
    touch(a, b);
    add(a, b, -1);
    std::swap(number_[a], number_[b]);
    add(a, b, 1);
    double grown = 0;
    for (const std::size_t k : touched_)
      if (change_[k] != 0) grown += weight(load_[k] + change_[k]) - weight_[k];
    const bool helps = grown < worth_it;
    if (!helps) std::swap(number_[a], number_[b]);
    for (const std::size_t k : touched_) {
      if (helps) load_[k] += change_[k], weight_[k] = weight(load_[k]);
      change_[k] = 0;
    }
    return helps;
  }
  double weight(double load) const {
    const double share = load / mean_;
    double product = 1;
    for (int i = 0; i < power_; ++i) product *= share;
    return product;
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
