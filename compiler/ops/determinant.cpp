// The determinant: a library kernel, since elimination with pivots is no loop nest.
#include <fmt/format.h>

#include <cmath>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

/// Elimination with the largest pivot of the column, the first of equals, in f64; rounded to f32 at the end.
double determinant(std::vector<double> m, std::size_t n) {
  double result = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::fabs(m[r * n + c]) > std::fabs(m[pivot * n + c])) pivot = r;
    if (m[pivot * n + c] == 0) return 0;
    if (pivot != c) {
      for (std::size_t i = 0; i < n; ++i) std::swap(m[pivot * n + i], m[c * n + i]);
      result = -result;
    }
    result *= m[c * n + c];
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = m[r * n + c] / m[c * n + c];
      for (std::size_t i = c; i < n; ++i) m[r * n + i] -= factor * m[c * n + i];
    }
  }
  return result;
}

std::vector<ir::Tensor> interpret(const ir::LibraryKernel& k, const std::vector<ir::Tensor>& inputs) {
  const auto n = static_cast<std::size_t>(k.operands[0].type.shape.back());
  const auto all = inputs[0].to_doubles();
  std::vector<double> results;
  for (std::size_t at = 0; results.size() < static_cast<std::size_t>(k.operands[1].type.elements()); at += n * n)
    results.push_back(determinant(
        {all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + n * n)}, n));
  return {ir::Tensor::of(k.operands[1].type, results)};
}

[[maybe_unused]] const bool registered = ir::register_library_kind({
    .name = "det",
    .summary = "determinant of each matrix of the last two dimensions",
    .whole_dimensions =
        [](const ir::LibraryKernel& k, int) {
          const auto rank = static_cast<int>(k.operands[0].type.shape.size());
          return std::vector<int>{rank - 2, rank - 1};
        },
    .check = [](const ir::LibraryKernel& k) -> std::string {
      if (k.operands.size() != 2)
        return fmt::format("expected matrices and determinants, got {} operands", k.operands.size());
      auto shape = k.operands[0].type.shape;
      if (shape.size() < 2 || shape[shape.size() - 1] != shape[shape.size() - 2])
        return "expected square matrices, got " + to_string(shape);
      shape.resize(shape.size() - 2);
      return k.operands[1].type.shape == shape ? ""
                                               : fmt::format("expected {} determinants, got {}", to_string(shape),
                                                             to_string(k.operands[1].type.shape));
    },
    .interpret = interpret,
});

OP({
    .name = "det",
    .summary = "determinant of each matrix of the last two dimensions",
    .onnx = {{"Det", 11}},
    .inputs = {in("X", Types::real)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank_at_least(0, 2);
      auto shape = c.shape();
      if (shape[shape.size() - 1] != shape[shape.size() - 2]) c.refuse(0, "square matrices", to_string(shape));
      shape.resize(shape.size() - 2);
      return {{c.element(), shape}};
    },
    .kernels =
        [](const Call&, Sequence& s) {
          const auto X = s.input(0), Y = s.output();
          s.call_library({.name = "det",
                          .attributes = {},
                          .operands = {{"X", X.type, ir::OperandRole::input}, {"Y", Y.type, ir::OperandRole::output}}},
                         {X.slot, Y.slot});
        },
});

}  // namespace
}  // namespace pimento::ops
