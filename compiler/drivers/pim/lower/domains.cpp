#include <algorithm>

#include "compiler/drivers/pim/lower/lowering.hpp"
#include "compiler/drivers/pim/lower/refusals.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// Axes of one dimension of an output map, outermost first, with the constant offset.
struct Digits {
  std::vector<std::size_t> axes;
  ir::Shape extents;
  std::int64_t offset = 0, unit = 1;  ///< index = offset + unit * (mixed radix of the axes)
  bool reversed = false;              ///< index = offset - the one axis
};

Digits digits_of(const ir::Kernel& kernel, const ir::Expr& index) {
  const auto affine = ir::as_affine(index, static_cast<int>(kernel.axes.size()));
  if (!affine)
    throw NoSequence("kernel '" + kernel.name + "': an output map that is not affine has no instruction sequence");
  Digits digits;
  digits.offset = affine->constant;
  for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
    if (affine->coefficients[a] != 0 && kernel.axes[a].extent > 1) digits.axes.push_back(a);
  }
  std::sort(digits.axes.begin(), digits.axes.end(),
            [&](std::size_t a, std::size_t b) { return affine->coefficients[a] > affine->coefficients[b]; });
  for (const std::size_t a : digits.axes) digits.extents.push_back(kernel.axes[a].extent);
  if (!digits.axes.empty()) digits.unit = affine->coefficients[digits.axes.back()];
  if (digits.axes.size() == 1 && digits.unit == -1) {
    digits.reversed = true;
    digits.unit = 1;
    return digits;
  }
  std::int64_t expected = digits.unit;
  for (std::size_t i = digits.axes.size(); i-- > 0;) {
    if (digits.unit <= 0 || affine->coefficients[digits.axes[i]] != expected) {
      throw NoSequence("kernel '" + kernel.name +
                       "': an output map that is no mixed radix has no instruction sequence");
    }
    expected *= digits.extents[i];
  }
  return digits;
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
}  // namespace

std::vector<Domain> domains_for(const ir::Kernel& kernel, int output, const ir::Box& box) {
  const ir::Output& out = kernel.outputs[static_cast<std::size_t>(output)];
  std::vector<Domain> result{Domain{}};
  for (const ir::KernelAxis& axis : kernel.axes) {
    result[0].push_back(
        {0, axis.kind == ir::AxisKind::parallel ? std::min<std::int64_t>(axis.extent, 1) : axis.extent});
  }
  for (std::size_t d = 0; d < out.map.size(); ++d) {
    const Digits digits = digits_of(kernel, out.map[d]);
    std::int64_t total = 1;
    for (const std::int64_t extent : digits.extents) total *= extent;
    std::int64_t begin = std::max<std::int64_t>(0, ceil_div(box[d].begin - digits.offset, digits.unit));
    std::int64_t end = std::min(total, ceil_div(box[d].end - digits.offset, digits.unit));
    if (digits.reversed) {
      begin = std::max<std::int64_t>(0, digits.offset - box[d].end + 1);
      end = std::min(total, digits.offset - box[d].begin + 1);
    }
    std::vector<Domain> refined;
    for (const ir::Box& part : mixed_radix_boxes(begin, end, digits.extents)) {
      for (Domain domain : result) {
        for (std::size_t i = 0; i < digits.axes.size(); ++i) domain[digits.axes[i]] = part[i];
        refined.push_back(std::move(domain));
      }
    }
    result = std::move(refined);
  }
  return result;
}

}  // namespace pimento::pim
