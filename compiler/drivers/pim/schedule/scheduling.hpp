#pragma once
// What all schedules of one spatial program ask, made once: who makes a box, what a message costs, who feeds whom, and
// the graph of the classes.
#include <algorithm>

#include "compiler/drivers/pim/schedule/class_graph.hpp"
#include "compiler/drivers/pim/schedule/work.hpp"

namespace pimento::pim {

struct Scheduling {
  /// Both outlive it.
  Scheduling(const Spatial& all, const isa::Chip& on)
      : spatial(all),
        chip(on),
        producers(all),
        costs(all, on),
        work(all, producers, costs),
        classes(class_graph(all, producers, costs)) {}
  Scheduling(const Scheduling&) = delete;
  Scheduling& operator=(const Scheduling&) = delete;

  /// What compute i takes a core: what it loads, itself, what it stores.
  Cycles cycles(std::size_t i, CoreId core) const {
    return costs.load(core, work.loads[i]) + std::max<Cycles>(1, spatial.computes[i].cycles) +
           costs.store(core, work.stores[i]);
  }

  const Spatial& spatial;
  const isa::Chip& chip;
  Producers producers;
  MoveCosts costs;
  Work work;
  ClassGraph classes;
};

/// Sums of these are least where all are alike, and grow with the largest most of all.
inline double eighth_power(double x) {
  const double square = x * x, fourth = square * square;
  return fourth * fourth;
}

}  // namespace pimento::pim
