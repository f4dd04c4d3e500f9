#include "compiler/ops/reduced.hpp"

#include <fmt/format.h>

namespace pimento::ops {

Reduced::Reduced(Shape view, const std::vector<std::int64_t>& axes)
    : shape(std::move(view)), gone(shape.size(), false) {
  for (const auto axis : axes) gone.at(static_cast<std::size_t>(axis)) = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    kept_shape.push_back(gone[d] ? 1 : shape[d]);
    if (gone[d]) {
      count *= shape[d];
    } else {
      squeezed.push_back(shape[d]);
    }
  }
}

namespace {
std::vector<std::int64_t> checked(const Call& c, std::vector<std::int64_t> axes) {
  if (c.rank(0) == 0 && axes == std::vector<std::int64_t>{0}) return {};  // a scalar counts as one element of one axis
  for (const auto axis : axes)
    if (axis < 0 || axis >= c.rank(0)) c.refuse("axes", fmt::format("axes in [0, {}]", c.rank(0) - 1), to_string(axes));
  return axes;
}
}  // namespace
Reduced::Reduced(const Call& c, const std::vector<std::int64_t>& axes) : Reduced(c.shape(0), checked(c, axes)) {}

Reduced::KernelAxes Reduced::axes(Formula& k) const {
  KernelAxes result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto name = fmt::format("{}{}", gone[d] ? "r" : "d", d);
    result.source.push_back(gone[d] ? k.reduction(name, shape[d]) : k.parallel(name, shape[d]));
    result.target.push_back(gone[d] ? ir::index(0) : result.source.back());
  }
  if (squeezed.size() == shape.size()) k.reduction("once", 1);  // an accumulator wants an axis
  return result;
}

Expr Reduced::reduced_at(const Formula::Operand& t, const Axes& at) const {
  Axes indices;
  for (std::size_t d = 0; d < at.size(); ++d) indices.push_back(gone[d] ? ir::index(0) : at[d]);
  return t.at(std::move(indices));
}

Expr Reduced::position(const Axes& at) const {
  Expr result;
  for (std::size_t d = 0; d < at.size(); ++d)
    if (gone[d]) result = mixed(result, shape[d], at[d]);
  return result ? result : ir::index(0);
}

}  // namespace pimento::ops
