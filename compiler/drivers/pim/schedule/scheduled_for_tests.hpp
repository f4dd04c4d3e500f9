#pragma once
// For tests: a drawn spatial program through schedule, materialise and communicate.
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/scheduling.hpp"

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

}  // namespace pimento::pim
