#pragma once
// Outputs against expected ones, within a tolerance that says what it is. For the frontend's tests.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "compiler/ir/tensor.hpp"

namespace pimento::frontend {

struct Tolerance {
  double relative = 1e-3;  ///< ONNX's own
  double absolute = 1e-6;
};

/// Empty when `got` is `expected`: integers exactly, floats within the tolerance, NaN where NaN is expected.
inline std::string difference(const ir::Tensor& got, const ir::Tensor& expected, const Tolerance& tolerance = {}) {
  if (got.type() != expected.type())
    return fmt::format("expected {}, got {}", to_string(expected.type()), to_string(got.type()));
  const bool coarse = got.element_type() == ElementType::f16 || got.element_type() == ElementType::bf16;
  const double relative = coarse ? 1e-2 : tolerance.relative, absolute = coarse ? 1e-3 : tolerance.absolute;
  for (std::int64_t i = 0; i < got.elements(); ++i) {
    const double a = got.at(i).as_double(), b = expected.at(i).as_double();
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (is_float(got.element_type()) && std::abs(a - b) <= absolute + relative * std::abs(b)) continue;
    return fmt::format("element {} of {}: expected {}, got {}", i, to_string(got.type()), b, a);
  }
  return "";
}

}  // namespace pimento::frontend
