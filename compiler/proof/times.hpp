#pragma once
// Where the time of a compile went.
#include <string>

#include "compiler/proof/record.hpp"

namespace pimento::proof {

/// Stages and passes, the dearest first: processor time, its share of the whole compile, wall time; those of one name
/// together, and last what lies between the stages.
std::string time_table(const Record& record);

}  // namespace pimento::proof
