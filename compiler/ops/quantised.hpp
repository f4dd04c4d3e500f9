#pragma once
// Parts of quantised formulas: parameters per tensor or per axis, rounding, saturation, requantisation.
#include "compiler/ops/define.hpp"

namespace pimento::ops {

/// A whole number in f32 converted to an integer type, at its limits where it lies beyond them.
Expr saturated(const Expr& value, ElementType type);
Expr round_half_even(const Expr& value);
/// A parameter of one element, or of one element per position on `axis`.
Expr per_axis(const Formula::Operand& t, const Axes& at, std::int64_t axis);
/// Refuses a parameter that has neither one element nor `extent`.
void check_parameter(const Call& c, int input, std::int64_t axis, std::int64_t extent);

}  // namespace pimento::ops
