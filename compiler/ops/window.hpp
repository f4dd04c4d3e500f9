#pragma once
// Windows that slide over the spatial dimensions (2, 3, ...) of a tensor: convolution and pooling.
#include "compiler/ops/define.hpp"

namespace pimento::ops {

/// strides, dilations, pads, one per spatial dimension (pads: all begins, then all ends).
std::vector<AttributeSpec> window_attributes();
/// auto_pad and absent lists become explicit strides, dilations and pads.
void normalise_window(OnnxNode& n, const Shape& kernel);

struct Window {
  Shape kernel, input, output;
  std::vector<std::int64_t> strides, dilations, begins, ends;

  /// The window of a node over input 0. `ceil_mode`: a last window may start inside and reach beyond the padding.
  Window(const Call& c, Shape kernel_shape, bool ceil_mode = false);
  std::size_t rank() const { return kernel.size(); }
  /// Source coordinate of tap `k` of the window at `y`: y * stride + k * dilation - pad.
  Axes source(const Axes& y, const Axes& k) const;
  /// Taps of dimension d that lie inside the input widened by the padding (or not widened), per output position.
  std::vector<std::int64_t> taps(std::size_t d, bool count_padding) const;
};
/// {first..., rest...}
Axes join(Axes first, const Axes& rest);
Shape join(Shape first, const Shape& rest);
/// Dimensions from `first` on.
Shape from_dimension(const Shape& shape, std::size_t first);

}  // namespace pimento::ops
