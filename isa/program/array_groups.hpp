#pragma once
// What one array group takes of its core; where groups lie is program.hpp's.
#include "isa/program/program.hpp"

namespace pimento::isa {

constexpr std::int64_t crossbars_of(const Group& group) {
  return std::int64_t{group.crossbar_rows} * group.crossbar_cols;
}

}  // namespace pimento::isa
