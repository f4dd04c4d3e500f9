#pragma once
// The converter at the end of a bit line: an analog sum becomes a code. A sum of v gives the code nearest to v / step
// (half to even), at most 2^bits - 1; what lies beyond saturates.
#include <cstdint>
#include <vector>

namespace pimento::sim {

class Converter {
 public:
  /// `full_scale`: the largest sum that a bit line can have; `range`: the largest that the converter tells from others
  /// (its reference). Where the codes reach it, a step is 1 and nothing is rounded.
  Converter(int bits, std::int64_t full_scale, double range);

  std::int64_t code(std::uint64_t sum) const { return sum < table_.size() ? table_[sum] : compute(sum); }
  /// Of a sum that is no whole number; below 0 it is 0.
  std::int64_t code(double sum) const;
  double step() const { return step_; }
  /// The reference for which sums that came so often give the least squared error.
  static double best_range(int bits, const std::vector<std::uint64_t>& counts);

 private:
  std::int64_t compute(std::uint64_t sum) const { return code(static_cast<double>(sum)); }
  double step_ = 1;
  std::int64_t largest_ = 0;
  std::vector<std::uint32_t> table_;  ///< by sum, as long as the full scale is not out of all measure
};

}  // namespace pimento::sim
