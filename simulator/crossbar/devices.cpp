#include "simulator/crossbar/devices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "isa/chip/adc.hpp"
#include "isa/support/math.hpp"

namespace pimento::sim {
namespace {

constexpr double two_to_minus_53 = 0x1p-53;

/// In (0, 1), never an end of it.
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * two_to_minus_53; }

std::uint64_t mixed(std::uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = 0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

/// The lower tail, p below 0.02425.
double tail(double p) {
  constexpr std::array c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                         -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                         1.0};
  const double q = std::sqrt(-2 * math::log(p));
  return polynomial(c, q) / polynomial(d, q);
}

}  // namespace

double normal(std::uint64_t bits) {
  constexpr std::array a{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                         1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array b{-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                         6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr double low = 0.02425;
  const double p = uniform(bits);
  if (p < low) return tail(p);
  if (p > 1 - low) return -tail(1 - p);
  const double q = p - 0.5, r = q * q;
  return q * polynomial(a, r) / polynomial(b, r);
}

std::uint64_t bits_for(std::uint64_t seed, Chance kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h = mixed(seed);
  for (const std::uint64_t each : {static_cast<std::uint64_t>(kind), a, b, c}) h = mixed(h ^ each);
  return h;
}

Devices::Devices(const isa::Chip& chip, std::uint64_t tile)
    : given_(chip.core.crossbar.nonideal),
      seed_(static_cast<std::uint64_t>(given_.seed)),
      tile_(tile),
      largest_((1 << chip.core.crossbar.cell_bits) - 1),
      age_log_(given_.drift_age > 1 ? math::log(given_.drift_age) : 0),
      noise_(given_.read_noise * static_cast<double>(isa::bit_line_full_scale(chip.core.crossbar))),
      wire_(given_.wire_resistance) {}

double Devices::conductance(std::int32_t level, std::int64_t row, std::int64_t column) const {
  const auto r = static_cast<std::uint64_t>(row), c = static_cast<std::uint64_t>(column);
  if (given_.stuck_at_0 > 0 || given_.stuck_at_1 > 0) {
    const double chance = uniform(bits_for(seed_, Chance::stuck, tile_, r, c));
    if (chance < given_.stuck_at_0) return 0;
    if (chance < given_.stuck_at_0 + given_.stuck_at_1) return largest_;
  }
  double g = level;
  if (given_.variation > 0)
    g *= std::max(0.0, 1 + given_.variation * normal(bits_for(seed_, Chance::conductance, tile_, r, c)));
  if (given_.drift_exponent > 0 && age_log_ > 0) {
    double exponent = given_.drift_exponent;
    if (given_.drift_spread > 0)
      exponent *= std::max(0.0, 1 + given_.drift_spread * normal(bits_for(seed_, Chance::drift, tile_, r, c)));
    g *= math::exp(-exponent * age_log_);
  }
  return g;
}

void Devices::wire(std::span<float> cells, int columns, int first, int last, int array_rows) const {
  const auto wide = static_cast<std::size_t>(columns);
  const auto at = [&](int r, std::size_t c) { return static_cast<std::size_t>(r) * wide + c; };
  const double mean_drive = 0.5, share = wire_ * mean_drive / largest_;
  std::vector<double> lost(static_cast<std::size_t>(last) * wide, 0);
  // word lines: the segment before column k carries what columns k and beyond draw
  for (int r = first; r < last; ++r) {
    double beyond = 0, drop = 0;
    for (std::size_t c = 0; c < wide; ++c) beyond += cells[at(r, c)];
    for (std::size_t c = 0; c < wide; ++c) {
      drop += beyond;
      lost[at(r, c)] = drop;
      beyond -= cells[at(r, c)];
    }
  }
  // bit lines: the segment behind row k carries what rows up to k give, down to the last row of the array
  for (std::size_t c = 0; c < wide; ++c) {
    double all = 0;
    for (int r = first; r < last; ++r) all += cells[at(r, c)];
    double drop = all * (array_rows - last), above = all;
    for (int r = last - 1; r >= first; --r) {
      drop += above;
      lost[at(r, c)] += drop;
      above -= cells[at(r, c)];
    }
  }
  for (int r = first; r < last; ++r)
    for (std::size_t c = 0; c < wide; ++c)
      cells[at(r, c)] = static_cast<float>(cells[at(r, c)] / (1 + share * lost[at(r, c)]));
}

double Devices::noise(std::uint64_t inputs, std::uint64_t line, std::uint64_t digit) const {
  return noise_ * normal(bits_for(seed_ ^ inputs, Chance::read, tile_, line, digit));
}

}  // namespace pimento::sim
