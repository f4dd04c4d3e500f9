#pragma once
// For tests: a drawn spatial program through schedule, materialise and communicate.
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/scheduling.hpp"
#include "compiler/drivers/pim/spatial/drawing.hpp"

namespace pimento::pim {

struct Scheduled {
  Schedule schedule;
  Materialised materialised;
  Steps steps;
};
inline Scheduled scheduled(const Spatial& s, const isa::Chip& chip, std::vector<CoreId> class_core) {
  Scheduled made;
  made.schedule = schedule_computes(Scheduling(s, chip), std::move(class_core), 6);
  made.materialised = materialise(s, made.schedule, chip);
  made.steps = communicate(s, made.schedule, made.materialised, chip);
  return made;
}
/// A program that a test draws, on a chip of two cores.
struct DrawnAndScheduled : Scheduled {
  Drawing d;
  isa::Chip chip = row_of(2);
  void schedule_on(std::vector<CoreId> class_core) {
    static_cast<Scheduled&>(*this) = scheduled(d.s, chip, std::move(class_core));
  }
};

}  // namespace pimento::pim
