#pragma once
// The shape of the work: how deep, how wide, and how long the chains are that waiting makes. Laws compare them from
// stage to stage, the record keeps them.
#include <cstdint>
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {

/// By compute: computes on the longest chain that ends with it.
std::vector<std::int64_t> depths(const Spatial& spatial, const Producers& producers);
/// The same, computes on crossbars alone counted; 0 for the others' own step.
std::vector<std::int64_t> matrix_depths(const Spatial& spatial);
/// Computes at one depth, where there are most: none of them waits for another.
std::int64_t schedulable_width(const std::vector<std::int64_t>& depths);
/// Messages on the longest chain under rendezvous: a message is one node, consecutive messages of a core are edges. A
/// global serial order makes it as long as there are messages.
std::int64_t message_chain(const Steps& steps);

}  // namespace pimento::pim
