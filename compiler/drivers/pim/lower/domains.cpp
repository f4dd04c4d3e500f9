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
  const ir::AffineForm* const affine = ir::affine_form(index, kernel.axes.size());
  if (affine == nullptr)
    throw NoSequence("kernel '" + kernel.name + "': an output map that is not affine has no instruction sequence");
  Digits digits;
  digits.offset = affine->constant;
  std::vector<ir::AffineForm::Term> terms;
  terms.reserve(affine->terms.size());
  for (const ir::AffineForm::Term& term : affine->terms)
    if (kernel.axes[static_cast<std::size_t>(term.axis)].extent > 1) terms.push_back(term);
  std::ranges::sort(terms, std::ranges::greater(), &ir::AffineForm::Term::coefficient);
  for (const ir::AffineForm::Term& term : terms) {
    digits.axes.push_back(static_cast<std::size_t>(term.axis));
    digits.extents.push_back(kernel.axes[digits.axes.back()].extent);
  }
  if (!terms.empty()) digits.unit = terms.back().coefficient;
  if (digits.axes.size() == 1 && digits.unit == -1) {
    digits.reversed = true;
    digits.unit = 1;
    return digits;
  }
  std::int64_t expected = digits.unit;
  for (std::size_t i = digits.axes.size(); i-- > 0;) {
    if (digits.unit <= 0 || terms[i].coefficient != expected) {
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
    const std::vector<ir::Box> parts = mixed_radix_boxes(begin, end, digits.extents);
    if (parts.size() == 1) {
      for (Domain& domain : result)
        for (std::size_t i = 0; i < digits.axes.size(); ++i) domain[digits.axes[i]] = parts[0][i];
      continue;
    }
    for (const ir::Box& part : parts) {
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
