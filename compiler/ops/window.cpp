#include "compiler/ops/window.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::ops {

Axes join(Axes first, const Axes& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}
Shape join(Shape first, const Shape& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}
Shape from_dimension(const Shape& shape, std::size_t first) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(std::min(first, shape.size())), shape.end()};
}

std::vector<AttributeSpec> window_attributes() {
  return {integers("strides").at_least(1), integers("dilations").at_least(1), integers("pads").at_least(0)};
}

void normalise_window(OnnxNode& n, const Shape& kernel) {
  n.require_rank_at_least(0, 3);
  const auto rank = kernel.size();
  const auto input = from_dimension(n.shape(0), 2);
  if (input.size() != rank)
    n.refuse(0, fmt::format("{} spatial dimensions, as the kernel has", rank), std::to_string(input.size()));
  const Shape ones(rank, 1);
  const auto strides = n.take_integers("strides").value_or(ones);
  const auto dilations = n.take_integers("dilations").value_or(ones);
  auto pads = n.take_integers("pads").value_or(Shape(2 * rank, 0));
  const auto automatic = n.take_text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    if (strides.size() != rank || dilations.size() != rank)
      n.refuse("strides", fmt::format("{} values", rank), to_string(strides));
    pads.assign(2 * rank, 0);
    for (std::size_t d = 0; d < rank; ++d) {
      const auto steps = (input[d] + strides[d] - 1) / strides[d];
      const auto total =
          std::max<std::int64_t>(0, (steps - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1 - input[d]);
      const auto less = total / 2;
      pads[d] = automatic == "SAME_UPPER" ? less : total - less;
      pads[rank + d] = total - pads[d];
    }
  } else if (automatic == "VALID") {
    pads.assign(2 * rank, 0);
  } else if (automatic != "NOTSET" && !automatic.empty()) {
    n.refuse("auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", "'" + automatic + "'");
  }
  n.put("strides", strides);
  n.put("dilations", dilations);
  n.put("pads", pads);
}

Window::Window(const Call& c, Shape kernel_shape, bool ceil_mode) : kernel(std::move(kernel_shape)) {
  c.require_rank_at_least(0, 3);
  input = from_dimension(c.shape(0), 2);
  strides = c.integers("strides");
  dilations = c.integers("dilations");
  const auto& pads = c.integers("pads");
  if (input.size() != rank())
    c.refuse(0, fmt::format("{} spatial dimensions, as the kernel has", rank()), std::to_string(input.size()));
  if (strides.size() != rank()) c.refuse("strides", fmt::format("{} values", rank()), to_string(strides));
  if (dilations.size() != rank()) c.refuse("dilations", fmt::format("{} values", rank()), to_string(dilations));
  if (pads.size() != 2 * rank()) c.refuse("pads", fmt::format("{} values", 2 * rank()), to_string(pads));
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank());
  begins.assign(pads.begin(), half);
  ends.assign(half, pads.end());
  for (std::size_t d = 0; d < rank(); ++d) {
    const auto reach = (kernel[d] - 1) * dilations[d] + 1;
    const auto room = input[d] + begins[d] + ends[d] - reach;
    if (room < 0)
      c.refuse(0, fmt::format("extent {} or more with padding on spatial dimension {}", reach, d),
               std::to_string(input[d] + begins[d] + ends[d]));
    auto steps = (ceil_mode ? (room + strides[d] - 1) / strides[d] : room / strides[d]) + 1;
    if (ceil_mode && (steps - 1) * strides[d] >= input[d] + begins[d]) --steps;  // it would start beyond the input
    output.push_back(steps);
  }
}

Axes Window::source(const Axes& y, const Axes& k) const {
  Axes result;
  for (std::size_t d = 0; d < rank(); ++d)
    result.push_back(shifted(scaled(y[d], strides[d]) + scaled(k[d], dilations[d]), -begins[d]));
  return result;
}

std::vector<std::int64_t> Window::taps(std::size_t d, bool count_padding) const {
  const auto low = count_padding ? -begins[d] : 0;
  const auto high = count_padding ? input[d] + ends[d] : input[d];
  std::vector<std::int64_t> result;
  for (std::int64_t y = 0; y < output[d]; ++y) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel[d]; ++k) {
      const auto at = y * strides[d] + k * dilations[d] - begins[d];
      if (at >= low && at < high) ++count;
    }
    result.push_back(count);
  }
  return result;
}

}  // namespace pimento::ops
