#pragma once
// Lists of points that a chip was given for times and energies (supply.hpp reads them).
#include "isa/chip/chip.hpp"

namespace pimento::isa {

/// What a list of points is over.
enum class Over : std::uint8_t { voltage, mean_output };
/// Whether the chip was given any such list.
bool has_table_over(const Chip& chip, Over what);
/// Whether every list over the mean code of the outputs has points on both sides of this one, or at it.
bool tables_reach(const Chip& chip, double mean_output);

}  // namespace pimento::isa
