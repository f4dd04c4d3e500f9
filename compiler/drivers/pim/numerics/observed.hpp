#pragma once
// What calibration runs saw of one value: its range, and how often each magnitude came (bins whose width is a power of
// two, so that two histograms add up exactly). Every figure is a sum in a written order: the same on every machine.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/tensor.hpp"

namespace pimento::pim {

class Observed {
 public:
  Observed() = default;
  /// A range alone, as a model records it.
  Observed(double low, double high) : low_(low), high_(high), seen_(true) {}

  void take(const ir::Tensor& tensor);
  void join(const Observed& other);

  double low() const { return low_; }
  double high() const { return high_; }
  bool finite() const;
  /// False for a range alone.
  bool has_counts() const { return !below_.empty() || !above_.empty(); }
  /// The least and the largest value once the outermost 1 - share of the elements are left out, half at either end.
  std::pair<double, double> middle(double share) const;
  /// Sum of (x - scale * code)^2 over the elements, codes clamped to [lowest, highest].
  double squared_error(double scale, double lowest, double highest) const;

 private:
  static constexpr std::size_t bins = 8192;  ///< of one sign
  void cover(double magnitude);
  double width() const;
  template <class Visit>
  void each_bin(Visit&& visit) const;  ///< visit(centre, count), in ascending order

  double low_ = 0, high_ = 0;
  bool seen_ = false;
  int exponent_ = -1074;  ///< all magnitudes are below 2^exponent
  std::int64_t zeros_ = 0;
  std::vector<std::uint32_t> below_, above_;  ///< by magnitude: of negative values, of positive values
};

/// By value name: the model's own record, or what calibration runs saw.
using Ranges = std::map<std::string, Observed>;

}  // namespace pimento::pim
