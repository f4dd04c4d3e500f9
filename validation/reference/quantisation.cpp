// Conversion between floats and integers with a scale and a zero point.
#include <algorithm>
#include <cmath>

#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

/// The parameter (scale or zero point) that belongs to an element: one for all, or one per coordinate on the axis.
double parameter(const Call& c, std::size_t input, std::size_t element) {
  if (!c.has(input)) return 0;
  const std::vector<double>& values = c.in(input).data;
  if (values.size() == 1) return values[0];
  const auto axis = static_cast<std::size_t>(c.integer("axis"));
  const auto stride = static_cast<std::size_t>(strides(c.shape())[axis]);
  return values[element / stride % values.size()];
}
double saturated(ElementType type, double x) {
  const int bits = 8 * size_of(type);
  const double low = is_signed(type) ? -std::ldexp(1, bits - 1) : 0;
  return std::clamp(x, low, low + std::ldexp(1, bits) - 1);
}

REFERENCE("quantize_linear", [](const Call& c) {
  Value y = c.output();
  for (std::size_t i = 0; i < y.data.size(); ++i) {
    // The quotient of two f32 numbers is an f32: a tie there is a tie.
    const auto quotient = static_cast<float>(c.in(0).data[i]) / static_cast<float>(parameter(c, 1, i));
    y.data[i] = saturated(y.type, std::nearbyint(static_cast<double>(quotient)) + parameter(c, 2, i));
  }
  return std::vector<Value>{y};
});
REFERENCE("dequantize_linear", [](const Call& c) {
  Value y = c.output();
  for (std::size_t i = 0; i < y.data.size(); ++i)
    y.data[i] = (c.in(0).data[i] - parameter(c, 2, i)) * parameter(c, 1, i);
  return std::vector<Value>{y};
});

}  // namespace
}  // namespace pimento::reference
