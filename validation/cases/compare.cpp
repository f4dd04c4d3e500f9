#include "validation/cases/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "isa/support/error.hpp"

namespace pimento::validation {
namespace {

std::vector<std::int64_t> index_of(std::int64_t position, const ir::Shape& shape) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0; position /= shape[d]) index[d] = position % shape[d];
  return index;
}

double distance(double expected, double got) {
  if (std::isnan(expected) && std::isnan(got)) return 0;
  if (expected == got) return 0;  // infinities of one sign
  const double d = std::fabs(got - expected);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

}  // namespace

std::string to_string(const std::vector<std::int64_t>& index) { return fmt::format("[{}]", fmt::join(index, ", ")); }

Comparison compare(const std::string& output, const ir::Tensor& expected, const ir::Tensor& got, double tolerance) {
  PIMENTO_CHECK(expected.type() == got.type(), fmt::format("output '{}': {} is compared with {}", output,
                                                           ir::to_string(expected.type()), ir::to_string(got.type())));
  Comparison result;
  result.output = output;
  result.type = expected.type();
  const std::vector<double> want = expected.to_doubles();
  const std::vector<double> have = got.to_doubles();
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double d = distance(want[i], have[i]);
    result.max_absolute = std::max(result.max_absolute, d);
    if (std::isfinite(want[i])) {
      result.absolute_maximum = std::max(result.absolute_maximum, std::fabs(want[i]));
      signal += want[i] * want[i];
    }
    noise += d * d;
  }
  const double bound = tolerance * result.absolute_maximum;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (distance(want[i], have[i]) <= bound) continue;
    ++result.differing;
    const auto position = static_cast<std::int64_t>(i);
    if (!result.first)
      result.first = Comparison::Element{position, index_of(position, expected.shape()), want[i], have[i]};
  }
  result.max_relative = result.absolute_maximum > 0 ? result.max_absolute / result.absolute_maximum
                        : result.max_absolute > 0   ? std::numeric_limits<double>::infinity()
                                                    : 0;
  if (noise > 0)
    result.sqnr_db = signal > 0 ? 10 * std::log10(signal / noise) : -std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace pimento::validation
