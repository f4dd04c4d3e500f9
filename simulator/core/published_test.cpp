#include <doctest/doctest.h>

#include <cmath>

#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;

namespace {
/// What stands at address 0 of global memory after `line` has run on local memory that begins with `bytes`.
std::vector<int> after(const char* line, std::vector<std::uint8_t> bytes, std::int64_t count,
                       ElementType type = ElementType::i8) {
  const std::string store = "store [0], [64], len " + std::to_string(count * size_of(type));
  isa::Program p = bench::program({{line, store.c_str()}});
  bench::put(p, 0, 0, std::move(bytes));
  bench::watch(p, count * size_of(type), type);
  const Result r = simulate(p, bench::plain_chip());
  std::vector<int> values;
  for (std::int64_t n = 0; n < count; ++n) {
    const auto* at = r.outputs[0].bytes.data() + n * size_of(type);
    values.push_back(type == ElementType::i8 ? static_cast<std::int8_t>(*at)
                                             : static_cast<std::int16_t>(at[0] | at[1] << 8));
  }
  return values;
}
}  // namespace

TEST_CASE("executor: does a dot product of segments add products in wide integers?") {
  // 100 * 100 + 100 * -2 = 9800; 3 * 4 + 5 * 6 = 42
  CHECK(after("vdot [64]:i16, [0]:i8 stride 4, [2]:i8 stride 4, x2 len 2", {100, 100, 100, 254, 3, 5, 4, 6}, 2,
              ElementType::i16) == std::vector<int>{9800, 42});
}

TEST_CASE("executor: is a mean of integers rounded half to even?") {
  CHECK(after("vravg [64]:i8, [0]:i8 stride 2, x4 len 2", {1, 2, 3, 4, 255, 0, 253, 254}, 4) ==
        std::vector<int>{2, 4, 0, -2});  // 1.5, 3.5, -0.5, -2.5
}

TEST_CASE("executor: do fixed-point functions keep their format?") {
  // 64 / 128 = 0.5: tanh 0.46212 * 128 = 59.15, and of -0.5 the negative; sigmoid(0.5) = 0.62246 * 128 = 79.67
  CHECK(after("vtanh [64]:i8, [0]:i8, len 3", {64, 192, 0}, 3) == std::vector<int>{59, -59, 0});
  CHECK(after("vsigm [64]:i8, [0]:i8, len 2", {64, 0}, 2) == std::vector<int>{80, 64});
}

TEST_CASE("executor: does fill write bytes, and a narrow MVM only its own?") {
  CHECK(after("fill [64], len 3, byte -7", {}, 4) == std::vector<int>{-7, -7, -7, 0});
  // weights 1 .. 16 row by row; inputs 1, 0, 0, 2: columns 1 + 26, 2 + 28, 3 + 30, 4 + 32
  CHECK(after("mvm [64]:i8, [0]:i8, len 4, group 0", {1, 0, 0, 2}, 5) == std::vector<int>{27, 30, 33, 36, 0});
  // 127 * (1 + 5 + 9 + 13) = 3556 = 13 * 256 + 228
  CHECK(after("mvm [64]:i8, [0]:i8, len 4, group 0", {127, 127, 127, 127}, 1) == std::vector<int>{228 - 256});
}
