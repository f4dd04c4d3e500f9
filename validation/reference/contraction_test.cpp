// The reference against plain nested loops.
#include <doctest/doctest.h>

#include "validation/reference/graph_for_tests.hpp"
#include "validation/reference/reference.hpp"

using namespace pimento;
using namespace pimento::reference;

namespace {

struct Case {
  std::int64_t images, channels, height, width, filters, kernel_y, kernel_x;
  std::int64_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  std::int64_t top = 0, left = 0, bottom = 0, right = 0, group = 1;
  bool bias = false;
};
/// One element, primes, a stride beyond the kernel, only padding in a window, groups, depth-wise, dilation.
const std::vector<Case> awkward{
    {1, 1, 1, 1, 1, 1, 1},
    {2, 3, 7, 5, 5, 3, 2, 1, 1, 1, 1, 1, 0, 2, 1, 1, true},
    {1, 2, 9, 8, 3, 2, 2, 4, 3},
    {1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2},
    {1, 4, 5, 5, 6, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 2, true},
    {1, 5, 6, 4, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 5},
    {1, 2, 9, 9, 2, 3, 3, 1, 2, 3, 2, 2, 1, 0, 3},
};

ir::Tensor plain(const Case& c, const ir::Tensor& x, const ir::Tensor& w, const ir::Tensor& b, std::int64_t out_y,
                 std::int64_t out_x) {
  const std::int64_t in_group = c.channels / c.group;
  const std::int64_t out_group = c.filters / c.group;
  std::vector<double> y;
  for (std::int64_t n = 0; n < c.images; ++n)
    for (std::int64_t m = 0; m < c.filters; ++m)
      for (std::int64_t oy = 0; oy < out_y; ++oy)
        for (std::int64_t ox = 0; ox < out_x; ++ox) {
          double sum = c.bias ? b.at(m).as_double() : 0;
          for (std::int64_t k = 0; k < in_group; ++k)
            for (std::int64_t ky = 0; ky < c.kernel_y; ++ky)
              for (std::int64_t kx = 0; kx < c.kernel_x; ++kx) {
                const std::int64_t iy = oy * c.stride_y + ky * c.dilation_y - c.top;
                const std::int64_t ix = ox * c.stride_x + kx * c.dilation_x - c.left;
                if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
                const std::int64_t channel = m / out_group * in_group + k;
                sum += x.at(((n * c.channels + channel) * c.height + iy) * c.width + ix).as_double() *
                       w.at(((m * in_group + k) * c.kernel_y + ky) * c.kernel_x + kx).as_double();
              }
          y.push_back(sum);
        }
  return ir::Tensor::of({ElementType::f32, {c.images, c.filters, out_y, out_x}}, y);
}

}  // namespace

TEST_CASE("reference: is a convolution the seven loops of its definition, on awkward shapes?") {
  Random random(1);
  for (const Case& c : awkward) {
    CAPTURE(&c - awkward.data());
    const ir::Tensor x = random_tensor(random, {c.images, c.channels, c.height, c.width});
    const ir::Tensor w = random_tensor(random, {c.filters, c.channels / c.group, c.kernel_y, c.kernel_x});
    const ir::Tensor b = random_tensor(random, {c.filters});
    ir::Graph g;
    std::vector<ir::ValueId> inputs{g.add_input("x", x.type()), g.add_constant("w", w)};
    if (c.bias) inputs.push_back(g.add_constant("b", b));
    g.outputs = {add(g, "conv", inputs,
                     {{"strides", ir::Shape{c.stride_y, c.stride_x}},
                      {"dilations", ir::Shape{c.dilation_y, c.dilation_x}},
                      {"pads", ir::Shape{c.top, c.left, c.bottom, c.right}},
                      {"group", c.group}})};
    // The output extent, from the definition of ONNX's Conv.
    const std::int64_t out_y = (c.height + c.top + c.bottom - ((c.kernel_y - 1) * c.dilation_y + 1)) / c.stride_y + 1;
    const std::int64_t out_x = (c.width + c.left + c.right - ((c.kernel_x - 1) * c.dilation_x + 1)) / c.stride_x + 1;
    CHECK(run(g, {x})[0] == plain(c, x, w, b, out_y, out_x));
  }
}
TEST_CASE("reference: is a matrix product the three loops of its definition, for every transposition?") {
  Random random(2);
  for (const std::int64_t ta : {0, 1})
    for (const std::int64_t tb : {0, 1}) {
      CAPTURE(ta);
      CAPTURE(tb);
      constexpr std::int64_t rows = 3, inner = 5, columns = 7;
      const ir::Tensor a = random_tensor(random, ta != 0 ? ir::Shape{inner, rows} : ir::Shape{rows, inner});
      const ir::Tensor b = random_tensor(random, tb != 0 ? ir::Shape{columns, inner} : ir::Shape{inner, columns});
      const ir::Tensor c = random_tensor(random, {1, columns});
      ir::Graph g;
      g.outputs = {add(g, "gemm", {g.add_input("a", a.type()), g.add_constant("b", b), g.add_constant("c", c)},
                       {{"alpha", 0.5}, {"beta", 2.0}, {"trans_a", ta}, {"trans_b", tb}})};
      std::vector<double> y;
      for (std::int64_t m = 0; m < rows; ++m)
        for (std::int64_t n = 0; n < columns; ++n) {
          double sum = 0;
          for (std::int64_t k = 0; k < inner; ++k)
            sum += a.at(ta != 0 ? k * rows + m : m * inner + k).as_double() *
                   b.at(tb != 0 ? n * inner + k : k * columns + n).as_double();
          y.push_back(0.5 * sum + 2.0 * c.at(n).as_double());
        }
      CHECK(run(g, {a})[0] == ir::Tensor::of({ElementType::f32, {rows, columns}}, y));
    }
}
