// Sums of products: convolutions as matrix products of unrolled windows, transposed convolutions, matrix products.
#include <Eigen/Core>
#include <algorithm>

#include "validation/reference/window.hpp"

namespace pimento::reference {

Window::Window(const Call& c, const ir::Shape& kernel_shape, const ir::Shape& output_shape)
    : kernel(kernel_shape),
      input(c.shape().begin() + 2, c.shape().end()),
      output(output_shape.begin() + 2, output_shape.end()) {
  strides = c.integers("strides", ir::Shape(rank(), 1));
  dilations = c.integers("dilations", ir::Shape(rank(), 1));
  const ir::Shape pads = c.integers("pads", ir::Shape(2 * rank(), 0));
  begins.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank()));
  ends.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank()), pads.end());
}

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix>;
using ConstView = Eigen::Map<const Matrix>;

/// Elements of an unrolled block: bounds the memory of large images.
constexpr std::int64_t block_elements = std::int64_t{1} << 22;

double* at(Value& v, std::int64_t position) { return v.data.data() + position; }
const double* at(const Value& v, std::int64_t position) { return v.data.data() + position; }

/// Rows: (channel, taps); columns: the output positions of `rows` consecutive rows along the last dimension.
void unroll(const double* image, const Window& w, std::int64_t channels, std::int64_t first_row, std::int64_t rows,
            Matrix& columns) {
  const std::size_t last = w.rank() - 1;
  const ir::Shape outer(w.output.begin(), w.output.end() - 1);
  const std::int64_t width = w.output[last];
  const std::vector<std::int64_t> image_strides = strides(w.input);
  const std::int64_t plane = count(w.input);
  const std::vector<std::int64_t> outer_strides = strides(outer);
  columns.setZero(channels * count(w.kernel), rows * width);
  for (std::int64_t c = 0, row = 0; c < channels; ++c) {
    std::vector<std::int64_t> tap(w.rank(), 0);
    do {
      for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t base = c * plane;
        bool inside = true;
        for (std::size_t d = 0; d < last; ++d) {
          const std::int64_t y = (first_row + r) / outer_strides[d] % outer[d];
          const std::int64_t source = w.source(d, y, tap[d]);
          inside &= source >= 0 && source < w.input[d];
          base += source * image_strides[d];
        }
        if (!inside) continue;
        double* to = columns.data() + (row * rows + r) * width;
        for (std::int64_t x = 0; x < width; ++x) {
          const std::int64_t source = w.source(last, x, tap[last]);
          if (source >= 0 && source < w.input[last]) to[x] = image[base + source];
        }
      }
      ++row;
    } while (advance(tap, w.kernel));
  }
}

void add_bias(const Call& c, Value& y) {
  if (!c.has(2)) return;
  const std::int64_t channels = y.shape[1];
  const std::int64_t plane = count(y.shape) / (y.shape[0] * channels);
  for (std::int64_t n = 0; n < y.shape[0] * channels; ++n)
    for (std::int64_t i = 0; i < plane; ++i)
      y.data[static_cast<std::size_t>(n * plane + i)] += c.in(2).data[static_cast<std::size_t>(n % channels)];
}

std::vector<Value> conv(const Call& c) {
  Value y = c.output();
  if (y.data.empty()) return {y};
  const Value& x = c.in(0);
  const Value& weight = c.in(1);
  const std::int64_t groups = c.integer("group", 1);
  const std::int64_t in_channels = weight.shape[1];
  const std::int64_t out_channels = weight.shape[0] / groups;
  const Window w(c, {weight.shape.begin() + 2, weight.shape.end()}, y.shape);
  const std::int64_t reduction = in_channels * count(w.kernel);
  const std::int64_t positions = count(w.output);
  const std::int64_t width = w.output.back();
  const std::int64_t all_rows = positions / width;
  const std::int64_t rows_at_once = std::clamp<std::int64_t>(block_elements / (reduction * width), 1, all_rows);
  Matrix columns;
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    for (std::int64_t g = 0; g < groups; ++g) {
      const double* image = at(x, (n * groups + g) * in_channels * count(w.input));
      const ConstView filters(at(weight, g * out_channels * reduction), out_channels, reduction);
      for (std::int64_t row = 0; row < all_rows; row += rows_at_once) {
        const std::int64_t rows = std::min(rows_at_once, all_rows - row);
        unroll(image, w, in_channels, row, rows, columns);
        View result(at(y, (n * groups + g) * out_channels * positions), out_channels, positions);
        result.middleCols(row * width, rows * width).noalias() = filters * columns;
      }
    }
  }
  add_bias(c, y);
  return {y};
}

/// Every input element spreads the filter over the output.
std::vector<Value> conv_transpose(const Call& c) {
  Value y = c.output();
  const Value& x = c.in(0);
  const Value& weight = c.in(1);
  const std::int64_t groups = c.integer("group", 1);
  const std::int64_t in_channels = x.shape[1] / groups;
  const std::int64_t out_channels = weight.shape[1];
  const Window w(c, {weight.shape.begin() + 2, weight.shape.end()}, y.shape);
  const std::vector<std::int64_t> out_strides = strides(w.output);
  const std::int64_t taps = count(w.kernel);
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    for (std::int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const double* image = at(x, (n * x.shape[1] + channel) * count(w.input));
      const std::int64_t g = channel / in_channels;
      for (std::int64_t m = 0; m < out_channels; ++m) {
        const double* filter = at(weight, (channel * out_channels + m) * taps);
        double* plane = at(y, (n * y.shape[1] + g * out_channels + m) * count(w.output));
        std::vector<std::int64_t> i(w.rank(), 0);
        for (std::int64_t element = 0; element < count(w.input); ++element, advance(i, w.input)) {
          std::vector<std::int64_t> tap(w.rank(), 0);
          for (std::int64_t t = 0; t < taps; ++t, advance(tap, w.kernel)) {
            std::int64_t to = 0;
            bool inside = true;
            for (std::size_t d = 0; d < w.rank(); ++d) {
              const std::int64_t o = w.source(d, i[d], tap[d]);
              inside &= o >= 0 && o < w.output[d];
              to += o * out_strides[d];
            }
            if (inside) plane[to] += image[element] * filter[t];
          }
        }
      }
    }
  }
  add_bias(c, y);
  return {y};
}

std::vector<Value> gemm(const Call& c) {
  Value y = c.output();
  const Value& a = c.in(0);
  const Value& b = c.in(1);
  const ConstView A(a.data.data(), a.shape[0], a.shape[1]);
  const ConstView B(b.data.data(), b.shape[0], b.shape[1]);
  View Y(y.data.data(), y.shape[0], y.shape[1]);
  const bool ta = c.integer("trans_a") != 0;
  const bool tb = c.integer("trans_b") != 0;
  if (ta && tb) Y.noalias() = A.transpose() * B.transpose();
  if (ta && !tb) Y.noalias() = A.transpose() * B;
  if (!ta && tb) Y.noalias() = A * B.transpose();
  if (!ta && !tb) Y.noalias() = A * B;
  Y *= c.real("alpha", 1);
  if (c.has(2)) {
    const std::vector<std::int64_t> by = broadcast_strides(c.shape(2), y.shape);
    for (std::int64_t m = 0; m < y.shape[0]; ++m)
      for (std::int64_t n = 0; n < y.shape[1]; ++n)
        Y(m, n) += c.real("beta", 1) * c.in(2).data[static_cast<std::size_t>(m * by[0] + n * by[1])];
  }
  return {y};
}

std::vector<Value> matmul(const Call& c) {
  Value y = c.output();
  ir::Shape a = c.shape(0);
  ir::Shape b = c.shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::int64_t rows = a[a.size() - 2];
  const std::int64_t inner = a.back();
  const std::int64_t columns = b.back();
  const ir::Shape batch_a(a.begin(), a.end() - 2);
  const ir::Shape batch_b(b.begin(), b.end() - 2);
  ir::Shape batch(std::max(batch_a.size(), batch_b.size()), 1);
  for (const ir::Shape& s : {batch_a, batch_b})
    for (std::size_t d = 0; d < s.size(); ++d)
      if (s[d] != 1) batch[batch.size() - s.size() + d] = s[d];
  const std::vector<std::int64_t> by_a = broadcast_strides(batch_a, batch);
  const std::vector<std::int64_t> by_b = broadcast_strides(batch_b, batch);
  std::vector<std::int64_t> place(batch.size(), 0);
  for (std::int64_t i = 0; i < count(batch); ++i, advance(place, batch)) {
    const ConstView A(at(c.in(0), flat(place, by_a) * rows * inner), rows, inner);
    const ConstView B(at(c.in(1), flat(place, by_b) * inner * columns), inner, columns);
    View(at(y, i * rows * columns), rows, columns).noalias() = A * B;
  }
  for (double& x : y.data) x = fit(y.type, x);
  return {y};
}

REFERENCE("conv", conv);
REFERENCE("conv_transpose", conv_transpose);
REFERENCE("gemm", gemm);
REFERENCE("matmul", matmul);

}  // namespace
}  // namespace pimento::reference
