#include "compiler/drivers/pim/numerics/observed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/support/math.hpp"

namespace pimento::pim {
namespace {

/// The least e with |x| < 2^e.
int exponent_above(double magnitude) {
  int e = 0;
  std::frexp(magnitude, &e);
  return e;
}

void halve(std::vector<std::uint32_t>& counts) {
  const std::size_t n = counts.size();
  for (std::size_t i = 0; i < n / 2; ++i) counts[i] = counts[2 * i] + counts[2 * i + 1];
  std::fill(counts.begin() + static_cast<std::ptrdiff_t>(n / 2), counts.end(), 0U);
}

}  // namespace

double Observed::width() const { return std::ldexp(1.0, exponent_) / static_cast<double>(bins); }
bool Observed::finite() const { return std::isfinite(low_) && std::isfinite(high_); }

void Observed::cover(double magnitude) {
  const int needed = std::max(exponent_above(magnitude), -900);
  if (below_.empty()) {
    below_.assign(bins, 0);
    above_.assign(bins, 0);
    exponent_ = std::max(exponent_, needed);
  }
  for (; exponent_ < needed; ++exponent_) halve(below_), halve(above_);
}

void Observed::take(const ir::Tensor& tensor) {
  if (tensor.elements() == 0) return;
  std::vector<double> converted;
  const float* data = nullptr;
  if (tensor.element_type() == ElementType::f32)
    data = tensor.data<float>();
  else
    converted = tensor.to_doubles();
  const auto at = [&](std::int64_t i) {
    return data != nullptr ? static_cast<double>(data[i]) : converted[static_cast<std::size_t>(i)];
  };
  double low = at(0), high = at(0);
  bool finite = true;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double x = at(i);
    finite = finite && std::isfinite(x);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!finite) low = -infinite, high = infinite;
  low_ = seen_ ? std::min(low_, low) : low;
  high_ = seen_ ? std::max(high_, high) : high;
  seen_ = true;
  if (!this->finite()) return;
  cover(std::max(std::abs(low), std::abs(high)));
  const double per_bin = 1.0 / width();
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double x = at(i);
    if (x == 0) {
      ++zeros_;
      continue;
    }
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(std::abs(x) * per_bin));
    ++(x < 0 ? below_ : above_)[bin];
  }
}

void Observed::join(const Observed& other) {
  if (!other.seen_) return;
  low_ = seen_ ? std::min(low_, other.low_) : other.low_;
  high_ = seen_ ? std::max(high_, other.high_) : other.high_;
  seen_ = true;
  if (!other.has_counts()) return;
  cover(std::ldexp(0.5, other.exponent_));
  Observed same = other;
  same.cover(std::ldexp(0.5, exponent_));
  for (std::size_t i = 0; i < bins; ++i) {
    below_[i] += same.below_[i];
    above_[i] += same.above_[i];
  }
  zeros_ += same.zeros_;
}

template <class Visit>
void Observed::each_bin(Visit&& visit) const {
  const double w = width();
  for (std::size_t i = below_.size(); i-- > 0;)
    if (below_[i] != 0) visit(-(static_cast<double>(i) + 0.5) * w, static_cast<double>(below_[i]));
  if (zeros_ != 0) visit(0.0, static_cast<double>(zeros_));
  for (std::size_t i = 0; i < above_.size(); ++i)
    if (above_[i] != 0) visit((static_cast<double>(i) + 0.5) * w, static_cast<double>(above_[i]));
}

std::pair<double, double> Observed::middle(double share) const {
  if (!has_counts()) return {low_, high_};
  double total = 0;
  each_bin([&](double, double count) { total += count; });
  const double outside = total * (1 - share) / 2;
  double seen = 0, low = low_, high = high_;
  bool has_low = false;
  each_bin([&](double centre, double count) {
    if (!has_low && seen + count > outside) low = std::max(low_, centre), has_low = true;
    if (seen < total - outside) high = std::min(high_, centre);
    seen += count;
  });
  // A bin is as good as its outer edge: what the range alone says is never exceeded.
  const double half = width() / 2;
  return {low > 0 ? low_ : std::max(low_, low == 0 ? 0.0 : low - half),
          high < 0 ? high_ : std::min(high_, high + half)};
}

double Observed::squared_error(double scale, double lowest, double highest) const {
  double sum = 0;
  each_bin([&](double centre, double count) {
    const double error = centre - scale * std::clamp(math::round_half_even(centre / scale), lowest, highest);
    sum += count * error * error;
  });
  return sum;
}

}  // namespace pimento::pim
