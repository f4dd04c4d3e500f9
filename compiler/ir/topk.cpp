// Library kernel "topk": the k largest (or smallest) elements along one dimension, sorted, with their indices. Ties go
// to the lower index; a NaN counts as larger than every number. Attributes: axis, k, largest (default 1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/ir/library.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

std::int64_t integer(const LibraryKernel& k, const char* name, std::int64_t fallback) {
  const auto found = k.attributes.find(name);
  if (found == k.attributes.end()) return fallback;
  const auto* v = std::get_if<std::int64_t>(&found->second);
  PIMENTO_CHECK(v != nullptr, fmt::format("library kernel 'topk': attribute '{}' is no integer", name));
  return *v;
}

std::string check(const LibraryKernel& k) {
  if (k.operands.size() != 3) return fmt::format("expected input, values, indices; got {} operands", k.operands.size());
  const TensorType& in = k.operands[0].type;
  const auto axis = integer(k, "axis", -1), count = integer(k, "k", -1);
  if (axis < 0 || axis >= static_cast<std::int64_t>(in.shape.size())) {
    return fmt::format("axis is {}, the input has rank {}", axis, in.shape.size());
  }
  const auto extent = in.shape[static_cast<std::size_t>(axis)];
  if (count < 0 || count > extent) return fmt::format("k is {}, dimension {} has extent {}", count, axis, extent);
  TensorType values = in, indices{ElementType::i64, in.shape};
  values.shape[static_cast<std::size_t>(axis)] = indices.shape[static_cast<std::size_t>(axis)] = count;
  if (k.operands[1].type != values)
    return fmt::format("values are {}, expected {}", to_string(k.operands[1].type), to_string(values));
  if (k.operands[2].type != indices)
    return fmt::format("indices are {}, expected {}", to_string(k.operands[2].type), to_string(indices));
  return "";
}

/// Whether a goes before b in descending order, ties aside.
bool above(const Scalar& a, const Scalar& b) {
  if (!is_float(a.type)) return a.integer > b.integer;
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && !std::isnan(b.real);
  return a.real > b.real;
}

std::vector<Tensor> interpret_topk(const LibraryKernel& k, const std::vector<Tensor>& inputs) {
  const Tensor& in = inputs.at(0);
  const auto axis = static_cast<std::size_t>(integer(k, "axis", 0));
  const bool largest = integer(k, "largest", 1) != 0;
  const Shape& shape = k.operands[0].type.shape;
  const std::int64_t extent = shape[axis], count = integer(k, "k", 0), stride = row_major_strides(shape)[axis];
  Tensor values = Tensor::zeros(k.operands[1].type), indices = Tensor::zeros(k.operands[2].type);
  const std::int64_t outer = in.elements() == 0 ? 0 : in.elements() / (extent * stride);
  std::vector<std::int64_t> order(static_cast<std::size_t>(extent));
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < stride; ++i) {
      const auto at = [&](std::int64_t n) { return in.at((o * extent + n) * stride + i); };
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return largest ? above(at(a), at(b)) : above(at(b), at(a));
      });
      for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t to = (o * count + n) * stride + i;
        values.set(to, at(order[static_cast<std::size_t>(n)]));
        indices.set(to, Scalar::of(ElementType::i64, order[static_cast<std::size_t>(n)]));
      }
    }
  }
  return {values, indices};
}

[[maybe_unused]] const bool registered = register_library_kind(
    {"topk", "the k largest or smallest elements along one dimension, sorted, with their indices",
     [](const LibraryKernel& k, int) { return std::vector<int>{static_cast<int>(integer(k, "axis", 0))}; }, check,
     interpret_topk});

}  // namespace
}  // namespace pimento::ir
