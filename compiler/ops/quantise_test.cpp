#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
Tensor u8(Shape shape, const Reals& values) { return Tensor::of({ElementType::u8, std::move(shape)}, values); }
Tensor i8(Shape shape, const Reals& values) { return Tensor::of({ElementType::i8, std::move(shape)}, values); }
}  // namespace

TEST_CASE("quantize_linear: are halves rounded to even, limits kept, and axes told apart?") {
  const auto X = real({6}, {0, 2, 3, 1000, -254, -1000});
  check_equal(run("QuantizeLinear", 13, {}, {X, real({}, {2}), u8({}, {128})}), {6},
              {128, 129, 130, 255, 1, 0});                                                    // 3 / 2 = 1.5 to 2
  check_equal(run("QuantizeLinear", 13, {}, {X, real({}, {4})}), {6}, {0, 0, 1, 250, 0, 0});  // 2 / 4 = 0.5 to 0
  check_equal(run("QuantizeLinear", 13, {{"axis", std::int64_t{0}}},
                  {real({2, 1}, {10, 10}), real({2}, {1, 5}), i8({2}, {0, -1})}),
              {2, 1}, {10, 1});
  CHECK(refusal("QuantizeLinear", 13, {}, {sample({2, 3}), real({2}, {1, 2}), u8({2}, {0, 0})}) ==
        "node 'n' (quantize_linear), input 'scale' f32[2]: expected one element, or shape [3], the extent of dimension "
        "1, got [2]");
}

TEST_CASE("dequantize_linear: is the difference taken before it can wrap?") {
  check_equal(run("DequantizeLinear", 13, {}, {u8({3}, {0, 128, 255}), real({}, {0.5}), u8({}, {128})}), {3},
              {-64, 0, 63.5});
  check_equal(run("DequantizeLinear", 13, {}, {i8({1, 2}, {-128, 127}), real({2}, {1, 2}), i8({2}, {127, -128})}),
              {1, 2}, {-255, 510});
}

TEST_CASE("dynamic_quantize_linear: does the range always hold 0?") {
  const auto got = run_all("DynamicQuantizeLinear", 11, {}, {real({3}, {255, 510, 1})}, 3);
  check_equal(got[1], {}, {2});
  check_equal(got[2], {}, {0});
  check_equal(got[0], {3}, {128, 255, 0});  // 127.5 to 128, 0.5 to 0
  check_equal(run("DynamicQuantizeLinear", 11, {}, {real({2}, {0, 0})}), {2}, {0, 0});
}

TEST_CASE("conv_integer and matmul_integer: are zero points subtracted, in the padding too?") {
  const auto X = u8({1, 1, 2}, {5, 7}), W = u8({2, 1, 2}, {1, 2, 3, 4});
  const ir::Attributes padded{{"pads", Ints{1, 0}}};
  // x - 5 = 0 2, and 0 in the padding; w - 1 = 0 1, 2 3
  check_equal(run("ConvInteger", 10, padded, {X, W, u8({}, {5}), u8({}, {1})}), {1, 2, 2}, {0, 2, 0, 6});
  check_equal(run("ConvInteger", 10, {}, {X, W, Tensor{}, u8({2}, {1, 2})}), {1, 2, 1}, {7, 19});
  check_equal(
      run("MatMulInteger", 10, {}, {u8({1, 2}, {3, 4}), i8({2, 2}, {1, -1, 2, 5}), u8({}, {3}), i8({2}, {0, 1})}),
      {1, 2}, {2, 4});
  CHECK(ir::is_contraction(kernel(import("ConvInteger", 10, padded, {X, W, u8({}, {5}), u8({}, {1})}))));
}

TEST_CASE("qlinear_conv and qlinear_matmul: is the sum requantised once, to the result's type?") {
  const auto scale = [](double v) { return real({}, {v}); };
  // sum = (6 - 2) * (3 - 1) + 10 = 18; 18 * 0.5 * 0.25 / 0.5 = 4.5 to 4, + 100
  check_equal(run("QLinearConv", 10, {},
                  {u8({1, 1, 1}, {6}), scale(0.5), u8({}, {2}), u8({1, 1, 1}, {3}), scale(0.25), u8({}, {1}),
                   scale(0.5), u8({}, {100}), Tensor::of({ElementType::i32, {1}}, {10})}),
              {1, 1, 1}, {104});
  check_equal(run("QLinearMatMul", 10, {},
                  {i8({1, 1}, {-100}), scale(1), i8({}, {0}), i8({1, 2}, {100, 1}), scale(1), i8({}, {0}), scale(1),
                   i8({}, {0})}),
              {1, 2}, {-128, -100});
}
