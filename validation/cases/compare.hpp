#pragma once
// How far an output is from what it should be.
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tensor.hpp"

namespace pimento::validation {

struct Comparison {
  std::string output;
  ir::TensorType type;
  double max_absolute = 0;      ///< largest |got - expected|
  double absolute_maximum = 0;  ///< largest |expected|
  double max_relative = 0;      ///< max_absolute / absolute_maximum; infinite when only the latter is 0
  /// 10 log10 (sum expected^2 / sum (got - expected)^2); nothing when both sums are 0 or there is no difference.
  std::optional<double> sqnr_db;
  std::int64_t differing = 0;  ///< elements beyond the tolerance
  struct Element {
    std::int64_t position = 0;  ///< row-major
    std::vector<std::int64_t> index;
    double expected = 0, got = 0;
  };
  std::optional<Element> first;  ///< the first beyond the tolerance
  bool accepted = true;          ///< by the check that it belongs to
  std::string writer;            ///< "core 22 at 1408: vadd ... (node 'layer3.0.add')", when it was tracked
};

/// `tolerance` is relative to the largest |expected|. A NaN meets only a NaN. Types and shapes must agree
/// (InternalError).
Comparison compare(const std::string& output, const ir::Tensor& expected, const ir::Tensor& got, double tolerance);
/// "[0, 17, 4, 9]"
std::string to_string(const std::vector<std::int64_t>& index);

}  // namespace pimento::validation
