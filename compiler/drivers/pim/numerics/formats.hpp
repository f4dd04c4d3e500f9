#pragma once
// How what calibration saw becomes a scale: of a value, and of a weight column.
#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento::pim {

/// Largest code of activations of some bits in an element type.
double largest_code(ElementType type, int bits);
/// The format of a value whose codes may not exceed `code_limit`.
ValueFormat choose_format(const Observed& seen, int bits, double code_limit, const CalibrationMethod& method);
/// Its largest magnitude takes the largest code; or less, with `least_error`, where saturating costs less than it
/// saves.
double column_scale(const std::vector<double>& column, double codes, bool least_error);

}  // namespace pimento::pim
