#pragma once
// Kendall's tau-b: how alike two figures order the same things, from -1 (reversed) to 1 (alike); pairs that one of the
// figures calls equal count for neither.
#include <optional>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::validation {

/// Nothing where one of the figures calls all equal.
std::optional<double> kendall_tau_b(const std::vector<Cycles>& a, const std::vector<Cycles>& b);

}  // namespace pimento::validation
