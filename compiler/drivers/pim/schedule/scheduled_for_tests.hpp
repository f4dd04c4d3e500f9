#pragma once
// For tests: a drawn spatial program through schedule, materialise and communicate.
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

struct Scheduled {
  Schedule schedule;
  Materialised materialised;
  Steps steps;
};
inline Scheduled scheduled(const Spatial& s, const isa::Chip& chip, std::vector<CoreId> class_core) {
  Scheduled made;
  const Producers producers(s);
  const MoveCosts costs(s, chip);
  made.schedule = schedule_computes(s, producers, chip, costs, std::move(class_core), 6);
  made.materialised = materialise(s, made.schedule, chip);
  made.steps = communicate(s, made.schedule, made.materialised, chip);
  return made;
}

}  // namespace pimento::pim
