#pragma once
// Windows over the spatial dimensions 2, 3, ...: tap k of output position y meets y * stride + k * dilation - pad.
#include "validation/reference/operator.hpp"

namespace pimento::reference {

struct Window {
  ir::Shape kernel, input, output;
  ir::Shape strides, dilations, begins, ends;
  Window(const Call& c, const ir::Shape& kernel_shape, const ir::Shape& output_shape);
  std::size_t rank() const { return kernel.size(); }
  std::int64_t source(std::size_t d, std::int64_t y, std::int64_t k) const {
    return y * strides[d] + k * dilations[d] - begins[d];
  }
};

}  // namespace pimento::reference
