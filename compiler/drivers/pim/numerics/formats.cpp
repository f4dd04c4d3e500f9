#include "compiler/drivers/pim/numerics/formats.hpp"

#include <algorithm>
#include <cmath>

#include "isa/support/math.hpp"

namespace pimento::pim {
namespace {

ElementType code_type(bool negative, int bits) {
  if (negative) return bits > 8 ? ElementType::i16 : ElementType::i8;
  return bits > 8 ? ElementType::u16 : ElementType::u8;
}

ValueFormat full_range(double low, double high, int bits, double code_limit) {
  const ElementType type = code_type(low < 0, bits);
  const double magnitude = std::max(std::abs(low), std::abs(high));
  return {type, magnitude > 0 ? magnitude / std::min(largest_code(type, bits), code_limit) : 1.0};
}

/// The scale of least error, from `full` down to a quarter of it: every twentieth, then every hundredth about the best.
/// The wider one wins among equals.
template <class Error>
double least_error_scale(double full, Error&& error) {
  double best = full;
  double least = error(full);
  int at = 100;
  const auto attempt = [&](int percent) {
    const double scale = full * percent / 100;
    const double here = error(scale);
    if (here < least) least = here, best = scale, at = percent;
  };
  for (int percent = 95; percent >= 25; percent -= 5) attempt(percent);
  const int middle = at;
  for (int percent = std::min(99, middle + 4); percent >= middle - 4; --percent) attempt(percent);
  return best;
}

/// A value that is barely negative may become unsigned.
ValueFormat least_error(const Observed& seen, int bits) {
  const auto best_of = [&](bool negative) {
    const ElementType type = code_type(negative, bits);
    const double codes = largest_code(type, bits);
    const double magnitude = negative ? std::max(std::abs(seen.low()), std::abs(seen.high())) : seen.high();
    const auto error = [&](double scale) { return seen.squared_error(scale, negative ? -codes : 0, codes); };
    const double scale = least_error_scale(magnitude / codes, error);
    return std::pair{ValueFormat{type, scale}, error(scale)};
  };
  if (seen.low() >= 0) return best_of(false).first;
  const auto with_sign = best_of(true);
  if (seen.high() <= 0) return with_sign.first;
  const auto without = best_of(false);
  return without.second < with_sign.second ? without.first : with_sign.first;
}

}  // namespace

std::pair<double, double> code_range(ElementType type) {
  const int bits = 8 * size_of(type);
  if (is_signed(type)) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0.0, std::ldexp(1.0, bits) - 1};
}

double largest_code(ElementType type, int bits) { return std::ldexp(1.0, is_signed(type) ? bits - 1 : bits) - 1; }

ValueFormat choose_format(const Observed& seen, int bits, double code_limit, const CalibrationMethod& method) {
  // Values saturate where their type ends and nowhere else.
  const bool saturates =
      8 * size_of(code_type(true, bits)) == bits && largest_code(ElementType::u16, bits) <= code_limit;
  const bool measured = seen.has_counts() && std::max(std::abs(seen.low()), std::abs(seen.high())) > 0;
  if (method.kind == Calibration::min_max || !measured || !saturates)
    return full_range(seen.low(), seen.high(), bits, code_limit);
  if (method.kind != Calibration::percentile) return least_error(seen, bits);
  const auto [low, high] = seen.middle(method.share);
  return full_range(low, high, bits, code_limit);
}

double column_scale(const std::vector<double>& column, double codes, bool least_error) {
  double largest = 0, squares = 0;
  for (const double w : column) largest = std::max(largest, std::abs(w)), squares += w * w;
  if (!(largest > 0)) return 1.0;
  const double full = largest / codes;
  // Only long tails make saturating worth while: a largest weight of four times the root mean square or more.
  if (!least_error || largest * largest * static_cast<double>(column.size()) < 16 * squares) return full;
  return least_error_scale(full, [&](double scale) {
    double sum = 0;
    for (const double w : column) {
      const double error = w - scale * std::clamp(math::round_half_even(w / scale), -codes, codes);
      sum += error * error;
    }
    return sum;
  });
}

}  // namespace pimento::pim
