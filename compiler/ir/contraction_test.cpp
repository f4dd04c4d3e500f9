#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "compiler/ir/kernel_builder.hpp"
#include "compiler/ir/kernel_run.hpp"
#include "compiler/ir/panel_product.hpp"
#include "compiler/ir/path_check.hpp"
#include "compiler/ir/text.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

/// Values that do not add up exactly in f32, so that any other order of a sum shows.
Tensor noise(const TensorType& type, std::uint64_t seed) {
  Tensor t = Tensor::zeros(type);
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto v = static_cast<std::int32_t>(seed >> 33) - (1 << 30);
    t.set(i, is_float(type.type) ? Scalar::of_real(type.type, v * 0x1p-29) : Scalar::of(type.type, v));
  }
  return t;
}

/// All paths agree bit for bit, and the fast path was really taken.
void agrees(const std::string& text, bool fast = true) {
  const Kernel k = parse_kernel(text);
  CAPTURE(text);
  require_valid(k, "the test's kernel");
  std::vector<Tensor> inputs;
  for (const Operand& o : k.operands) {
    if (o.role == OperandRole::input) inputs.push_back(noise(o.type, 17 + inputs.size()));
  }
  on_all_paths(k, inputs);
  KernelRun run = bind_tensors(k, inputs);
  CHECK(run_contraction(run) == fast);
}

}  // namespace

TEST_CASE("contraction: does every shape of convolution give the bits of the plain path?") {
  agrees(R"(kernel conv (n: 2, m: 7, y: 5, x: 9 | c: 3, ky: 3, kx: 2) {
    acc : f32 += X[n, c, 2 * y + ky - 1, x + 2 * kx - 1] outside 0.0 * W[m, c, ky, kx]
    Y[n, m, y, x] = relu(acc + B[m]) } where X : f32[2,3,9,9], W : f32[7,3,3,2], B : f32[7], Y : out f32[2,7,5,9])");
  agrees(R"(kernel grouped (g: 2, m: 3, y: 4, x: 4 | c: 2, ky: 3, kx: 3) {
    acc : f32 += X[2 * g + c, y + ky - 1, x + kx - 1] outside 0.5 * W[3 * g + m, c, ky, kx]
    Y[3 * g + m, y, x] = acc } where X : f32[4,4,4], W : f32[6,2,3,3], Y : out f32[6,4,4])");
  agrees(R"(kernel depthwise (c: 5, y: 6, x: 6 | ky: 3, kx: 3) {
    acc : f32 += X[c, y + ky - 1, x + kx - 1] outside 0.0 * W[c, ky, kx]
    Y[c, y, x] = acc } where X : f32[5,6,6], W : f32[5,3,3], Y : out f32[5,6,6])");
}
TEST_CASE("contraction: do depths beyond one block keep their order?") {
  agrees(R"(kernel matmul (i: 13, j: 35 | k: 600) { acc : f32 += A[i, k] * B[k, j]
    Y[i, j] = acc } where A : f32[13,600], B : f32[600,35], Y : out f32[13,35])");
  agrees(R"(kernel fully_connected (j: 40 | k: 700) { acc : f32 += W[j, k] * X[k]
    Y[j] = acc } where X : f32[700], W : f32[40,700], Y : out f32[40])");
}
TEST_CASE("contraction: are integers with zero points exact and wrapping?") {
  agrees(R"(kernel q (n: 3, y: 9, m: 4 | c: 5, k: 3) {
    acc : i32 += (cast<i32>(X[n, c, y + k - 1] outside 7) - cast<i32>(Z[])) * cast<i32>(W[m, c, k])
    Y[n, m, y] = cast<i8>(round(cast<f32>(acc) * 0.01)) } where X : u8[3,5,9], W : i8[4,5,3], Z : u8[], Y : out i8[3,4,9])");
  agrees(R"(kernel wrap (i: 8, j: 9 | k: 30) { acc : i32 += A[i, k] * B[k, j]
    Y[i, j] = acc } where A : i32[8,30], B : i32[30,9], Y : out i32[8,9])");
}
TEST_CASE("contraction: do axes of both, of neither, and mixed maps agree?") {
  agrees(R"(kernel batched (b: 3, r: 2, i: 10, j: 11 | k: 6) { acc : f32 += A[b, i, k] * B[b, k, j]
    Y[r, b, i, j] = acc } where A : f32[3,10,6], B : f32[3,6,11], Y : out f32[2,3,10,11])");
  agrees(R"(kernel transposed_output (i: 10, j: 11 | k: 6) { acc : f32 += A[k, i] * B[j, k] init 1.5
    Y[j, i] = acc * 2.0
    Z[i] = acc if j == 3 } where A : f32[6,10], B : f32[11,6], Y : out f32[11,10], Z : out f32[10])");
}
TEST_CASE("contraction: is infinity times padding a NaN on every path?") {
  const Kernel k = parse_kernel(R"(kernel conv (x: 9 | k: 3) { acc : f32 += X[x + k - 1] outside 0.0 * W[k]
    Y[x] = acc } where X : f32[9], W : f32[3], Y : out f32[9])");
  Tensor w = Tensor::filled({ElementType::f32, {3}}, Scalar::of(ElementType::f32, 1));
  w.set(0, Scalar::of_real(ElementType::f32, std::numeric_limits<double>::infinity()));
  const auto y = on_all_paths(k, {noise({ElementType::f32, {9}}, 3), w})[0].to_doubles();
  CHECK(std::isnan(y[0]));  // the first window begins with padding: 0 * inf
  CHECK(std::isinf(y[1]));
}
TEST_CASE("contraction: what does the fast path leave to the blocked one?") {
  agrees(R"(kernel half (i: 9 | k: 4) { acc : f16 += A[i, k] * B[k]
    Y[i] = acc } where A : f16[9,4], B : f16[4], Y : out f16[9])",
         false);
  agrees(R"(kernel guarded (i: 9 | k: 4) { acc : f32 += A[i, k] * B[k] if k <= i
    Y[i] = acc } where A : f32[9,4], B : f32[4], Y : out f32[9])",
         false);
  agrees(R"(kernel dot (i: 2 | k: 900) { acc : f32 += A[i, k] * B[i, k]
    Y[i] = acc } where A : f32[2,900], B : f32[2,900], Y : out f32[2])",
         false);
}
TEST_CASE("panel product: does every instruction set variant give the same bits?") {
  const Tensor lanes = noise({ElementType::f32, {37 * panel_lanes}}, 5);
  const Tensor whole = noise({ElementType::u32, {37 * panel_lanes}}, 6);
  for (int rows = 1; rows <= panel_rows; ++rows) {
    const Tensor factors = noise({ElementType::f32, {37 * rows}}, 7),
                 whole_factors = noise({ElementType::u32, {37 * rows}}, 8);
    std::vector<Tensor> sums, whole_sums;
    for (const PanelVariant& v : panel_variants()) {
      if (!v.available()) continue;
      Tensor tile = noise({ElementType::f32, {rows, panel_lanes + 3}}, 9),
             whole_tile = noise({ElementType::u32, {rows, panel_lanes + 3}}, 9);
      v.f32(lanes.data<float>(), factors.data<float>(), 37, rows, tile.mutable_data<float>(), panel_lanes + 3);
      v.i32(whole.data<std::uint32_t>(), whole_factors.data<std::uint32_t>(), 37, rows,
            whole_tile.mutable_data<std::uint32_t>(), panel_lanes + 3);
      sums.push_back(tile);
      whole_sums.push_back(whole_tile);
    }
    for (const Tensor& t : sums) CHECK(t == sums[0]);
    for (const Tensor& t : whole_sums) CHECK(t == whole_sums[0]);
  }
}
