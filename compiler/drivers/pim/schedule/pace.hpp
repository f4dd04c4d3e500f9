#pragma once
// At what pace cores go through an order again and again where a message takes both of its cores at once.
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"

namespace pimento::pim {

/// What one core does, or two cores together.
struct Action {
  CoreId core = 0, other = 0;  ///< a message: source and destination
  Cycles cycles = 0;
  Cycles start = 0;  ///< puts the actions of a core in order, and among equal ones their place in the list
};
/// Cycles from turn to turn once the cores have found their distances from each other.
Cycles pace(const std::vector<Action>& turn, int cores);

}  // namespace pimento::pim
