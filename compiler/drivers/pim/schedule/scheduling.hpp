#pragma once
// What all schedules of one spatial program ask, made once: who makes a box, what a message costs, who feeds whom, and
// the graph of the classes.
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

  const Spatial& spatial;
  const isa::Chip& chip;
  Producers producers;
  MoveCosts costs;
  Work work;
  ClassGraph classes;
};

}  // namespace pimento::pim
