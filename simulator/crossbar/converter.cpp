#include "simulator/crossbar/converter.hpp"

#include <algorithm>

#include "isa/support/math.hpp"

namespace pimento::sim {
namespace {

constexpr std::int64_t longest_table = std::int64_t{1} << 16;
std::int64_t largest_code(int bits) { return (std::int64_t{1} << bits) - 1; }
double step_of(int bits, double range) { return std::max(1.0, range / static_cast<double>(largest_code(bits))); }

}  // namespace

Converter::Converter(int bits, std::int64_t full_scale, double range)
    : step_(step_of(bits, range)), largest_(largest_code(bits)) {
  const std::int64_t entries = std::min(full_scale + 1, longest_table);
  table_.reserve(static_cast<std::size_t>(entries));
  for (std::int64_t sum = 0; sum < entries; ++sum)
    table_.push_back(static_cast<std::uint32_t>(compute(static_cast<std::uint64_t>(sum))));
}

std::int64_t Converter::code(double sum) const {
  const double code = math::round_half_even(sum / step_);
  if (code <= 0) return 0;
  return code >= static_cast<double>(largest_) ? largest_ : static_cast<std::int64_t>(code);
}

double Converter::best_range(int bits, const std::vector<std::uint64_t>& counts) {
  std::int64_t peak = 0;
  for (std::size_t v = 0; v < counts.size(); ++v)
    if (counts[v] != 0) peak = static_cast<std::int64_t>(v);
  const auto reached = static_cast<double>(largest_code(bits));
  double best = static_cast<double>(peak), least = -1;
  for (int percent = 100; percent >= 10; percent -= 2) {
    const double range = static_cast<double>(peak) * percent / 100;
    if (percent < 100 && range < reached) break;  // a step is 1 already: less would only saturate
    const Converter c(bits, 0, range);
    double error = 0;
    for (std::size_t v = 0; v < counts.size(); ++v) {
      if (counts[v] == 0) continue;
      const double off = static_cast<double>(v) - c.step() * static_cast<double>(c.compute(v));
      error += static_cast<double>(counts[v]) * off * off;
    }
    if (least < 0 || error < least) least = error, best = range;
  }
  return best;
}

}  // namespace pimento::sim
