// Windows reduced to one number. What lies outside the input takes part in none of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/reference/window.hpp"

namespace pimento::reference {
namespace {

struct Tap {
  double value;
  std::int64_t position;  ///< in the plane, row-major
};

/// Calls f(result position, taps inside the input, taps inside the padded input) for every window.
template <class F>
void each_window(const Call& c, F&& f) {
  const ir::Shape shape = c.graph.type(c.node.outputs[0] == ir::no_value ? c.node.outputs[1] : c.node.outputs[0]).shape;
  const Window w(c, c.integers("kernel_shape"), shape);
  const std::int64_t plane = count(w.input);
  const std::vector<std::int64_t> by = strides(w.input);
  std::size_t result = 0;
  std::vector<Tap> taps;
  for (std::int64_t p = 0; p < shape[0] * shape[1]; ++p) {
    std::vector<std::int64_t> y(w.rank(), 0);
    do {
      taps.clear();
      std::int64_t padded = 0;
      std::vector<std::int64_t> k(w.rank(), 0);
      do {
        bool inside = true;
        bool in_padding = true;
        std::int64_t position = 0;
        for (std::size_t d = 0; d < w.rank(); ++d) {
          const std::int64_t source = w.source(d, y[d], k[d]);
          inside &= source >= 0 && source < w.input[d];
          in_padding &= source < w.input[d] + w.ends[d];
          position += source * by[d];
        }
        padded += in_padding ? 1 : 0;
        if (inside) taps.push_back({c.in(0).data[static_cast<std::size_t>(p * plane + position)], position});
      } while (advance(k, w.kernel));
      f(result++, p, taps, padded);
    } while (advance(y, w.output));
  }
}

std::vector<Value> max_pool(const Call& c) {
  const std::size_t wanted = c.wants(0) ? 0 : 1;
  Value best = c.output(wanted);
  Value where = best;
  const ir::Shape input(c.shape().begin() + 2, c.shape().end());
  const std::int64_t plane = count(input);
  const bool column_major = c.integer("storage_order") != 0;
  each_window(c, [&](std::size_t result, std::int64_t p, const std::vector<Tap>& taps, std::int64_t) {
    Tap top{-std::numeric_limits<double>::infinity(), 0};
    for (const Tap& tap : taps)
      if (tap.value > top.value || (std::isnan(tap.value) && !std::isnan(top.value))) top = tap;
    best.data[result] = top.value;
    std::int64_t position = top.position;
    if (column_major) {  // the first spatial dimension runs fastest
      std::int64_t rest = top.position;
      std::int64_t stride = plane;
      position = 0;
      for (std::size_t d = input.size(); d-- > 0; rest /= input[d]) {
        stride /= input[d];
        position += rest % input[d] * stride;
      }
    }
    where.data[result] = static_cast<double>(p * plane + position);
  });
  return {best, where};
}

std::vector<Value> average_pool(const Call& c) {
  Value y = c.output();
  const bool with_padding = c.integer("count_include_pad") != 0;
  each_window(c, [&](std::size_t result, std::int64_t, const std::vector<Tap>& taps, std::int64_t padded) {
    double sum = 0;
    for (const Tap& tap : taps) sum += tap.value;
    y.data[result] = sum / static_cast<double>(with_padding ? padded : static_cast<std::int64_t>(taps.size()));
  });
  return {y};
}

std::vector<Value> lp_pool(const Call& c) {
  Value y = c.output();
  const auto p = static_cast<double>(c.integer("p", 2));
  each_window(c, [&](std::size_t result, std::int64_t, const std::vector<Tap>& taps, std::int64_t) {
    double sum = 0;
    for (const Tap& tap : taps) sum += std::pow(std::fabs(tap.value), p);
    y.data[result] = std::pow(sum, 1 / p);
  });
  return {y};
}

REFERENCE("max_pool", max_pool);
REFERENCE("average_pool", average_pool);
REFERENCE("lp_pool", lp_pool);

}  // namespace
}  // namespace pimento::reference
