#include "simulator/crossbar/mvm.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "isa/instruction/samples.hpp"

using namespace pimento;
using namespace pimento::sim;

namespace {

isa::Tile random_tile(isa::Random& random, int rows, int cols) {
  isa::Tile tile;
  tile.rows = rows;
  tile.cols = cols;
  std::vector<std::uint8_t> weights;
  std::vector<float> real;
  for (int k = 0; k < rows * cols; ++k) {
    weights.push_back(static_cast<std::uint8_t>(random.between(0, 255)));
    real.push_back(static_cast<float>(random.between(-1000, 1000)) / 333.0F);
  }
  tile.weights = isa::Blob<std::uint8_t>::own(std::move(weights));
  tile.real = isa::Blob<float>::own(std::move(real));
  return tile;
}

}  // namespace

TEST_CASE("mvm: do fast, portable and plain products agree bit for bit?") {
  isa::Random random(7);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {2, 63}, {5, 64}, {128, 65}, {37, 200}}) {
    const isa::Tile tile = random_tile(random, rows, cols);
    const PackedTile packed = pack(tile, true, false);
    std::vector<std::int16_t> x(static_cast<std::size_t>(rows + rows % 2), 0);
    std::vector<std::uint16_t> u(static_cast<std::size_t>(rows));
    std::vector<float> f(static_cast<std::size_t>(rows));
    for (std::size_t r = 0; r < f.size(); ++r) {
      x[r] = static_cast<std::int16_t>(random.between(-32768, 32767));
      u[r] = static_cast<std::uint16_t>(random.between(0, 65535));
      f[r] = static_cast<float>(x[r]) / 17.0F;
    }
    const auto n = static_cast<std::size_t>(cols);
    std::vector<std::int32_t> fast(n), portable(n), wide(n);
    std::vector<float> fast_f(n), portable_f(n);
    multiply(packed, std::span<const std::int16_t>(x), fast);
    multiply_portably(packed, std::span<const std::int16_t>(x), portable);
    multiply(packed, std::span<const std::uint16_t>(u), wide);
    multiply(packed, std::span<const float>(f), fast_f);
    multiply_portably(packed, std::span<const float>(f), portable_f);
    CHECK(fast == portable);
    CHECK(std::memcmp(fast_f.data(), portable_f.data(), n * sizeof(float)) == 0);
    for (std::size_t c = 0; c < n; ++c) {
      std::int64_t sum = 0, wide_sum = 0;
      float sum_f = 0;
      for (std::size_t r = 0; r < f.size(); ++r) {
        const auto w = static_cast<std::int8_t>(tile.weights.data[r * n + c]);
        sum += w * x[r];
        wide_sum += w * u[r];
        sum_f = sum_f + tile.real.data[r * n + c] * f[r];
      }
      CHECK(fast[c] == static_cast<std::int32_t>(sum));
      CHECK(wide[c] == static_cast<std::int32_t>(wide_sum));
      CHECK(fast_f[c] == sum_f);
    }
  }
}

TEST_CASE("mvm: are products of bytes those of pairs, for inputs of every type and range?") {
  if (!has_byte_products()) {
    MESSAGE("skipped: this processor has no AVX-512 VNNI");
    return;
  }
  isa::Random random(8);
  struct Range {
    std::int64_t low, high;
  };
  for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 15}, {4, 16}, {7, 64}, {8, 79}, {128, 65}, {37, 200}})
    for (const Range& range :
         {Range{0, 0}, {0, 255}, {-128, 127}, {-1, 0}, {-1, 128}, {0, 256}, {-129, 5}, {-32768, 32767}}) {
      const isa::Tile tile = random_tile(random, rows, cols);
      const PackedTile pairs = pack(tile, false, false), quads = pack(tile, false, true);
      REQUIRE(quads.integers.empty());
      std::vector<std::int16_t> x(static_cast<std::size_t>(rows + rows % 2), 0);
      std::vector<std::uint16_t> u(static_cast<std::size_t>(rows));
      for (std::size_t r = 0; r < u.size(); ++r) {
        x[r] = static_cast<std::int16_t>(r == 0   ? range.low
                                         : r == 1 ? range.high
                                                  : random.between(range.low, range.high));
        u[r] = static_cast<std::uint16_t>(random.between(0, 2 * range.high));
      }
      const auto n = static_cast<std::size_t>(cols);
      std::vector<std::int32_t> expected(n), got(n);
      CAPTURE(tile.rows);
      CAPTURE(tile.cols);
      CAPTURE(range.low);
      multiply(pairs, std::span<const std::int16_t>(x), expected);
      multiply(quads, std::span<const std::int16_t>(x), got);
      CHECK(got == expected);
      multiply(pairs, std::span<const std::uint16_t>(u), expected);
      multiply(quads, std::span<const std::uint16_t>(u), got);
      CHECK(got == expected);
    }
}
