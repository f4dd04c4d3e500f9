#include "simulator/crossbar/mvm.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/support/error.hpp"
#include "simulator/crossbar/analog.hpp"

namespace pimento::sim {
namespace {

constexpr int block = PackedTile::block;

std::int16_t stored_weight(const isa::Tile& tile, std::size_t index) {
  if (tile.type == ElementType::i8) return static_cast<std::int8_t>(tile.weights.data[index]);
  if (tile.type == ElementType::u8) return tile.weights.data[index];
  std::int16_t value = 0;
  std::memcpy(&value, tile.weights.data.data() + 2 * index, sizeof value);
  return value;
}

float real_weight(const isa::Tile& tile, std::size_t index) {
  if (tile.type != ElementType::f32)
    return tile.real.size() == 0 ? static_cast<float>(stored_weight(tile, index)) : tile.real.data[index];
  float value = 0;
  std::memcpy(&value, tile.weights.data.data() + 4 * index, sizeof value);
  return value;
}

int pairs_of(const PackedTile& tile) { return (tile.rows + 1) / 2; }
int width_of(const PackedTile& tile, int b) { return std::min(block, tile.cols - b * block); }

const std::int16_t* integer_block(const PackedTile& tile, int b) {
  return tile.integers.data() + static_cast<std::size_t>(b) * static_cast<std::size_t>(pairs_of(tile)) * 2 * block;
}
const float* float_block(const PackedTile& tile, int b) {
  return tile.floats.data() + static_cast<std::size_t>(b) * static_cast<std::size_t>(tile.rows) * block;
}

using IntegerSums = std::array<std::int32_t, block>;
using FloatSums = std::array<float, block>;

void integer_block_portably(const std::int16_t* w, const std::int16_t* x, int pairs, IntegerSums& sums) {
  std::array<std::uint32_t, block> wrapping{};
  for (int p = 0; p < pairs; ++p, w += 2 * block)
    for (int c = 0; c < block; ++c) {
      const auto low = static_cast<std::uint32_t>(w[2 * c] * x[2 * p]);
      const auto high = static_cast<std::uint32_t>(w[2 * c + 1] * x[2 * p + 1]);
      wrapping[static_cast<std::size_t>(c)] += low + high;
    }
  std::memcpy(sums.data(), wrapping.data(), sizeof sums);
}

void float_block_portably(const float* w, const float* x, int rows, FloatSums& sums) {
  sums.fill(0);
  for (int r = 0; r < rows; ++r, w += block)
    for (int c = 0; c < block; ++c) {
      const auto at = static_cast<std::size_t>(c);
      sums[at] = sums[at] + w[c] * x[r];
    }
}

__attribute__((target("avx2"))) void integer_block_avx2(const std::int16_t* w, const std::int16_t* x, int pairs,
                                                        IntegerSums& sums) {
  __m256i s[8];
  for (__m256i& each : s) each = _mm256_setzero_si256();
  for (int p = 0; p < pairs; ++p, w += 2 * block) {
    std::int32_t both = 0;
    std::memcpy(&both, x + 2 * p, sizeof both);
    if (both == 0) continue;
    const __m256i in = _mm256_set1_epi32(both);
    for (int k = 0; k < 8; ++k) {
      const __m256i weights = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 16 * k));
      s[k] = _mm256_add_epi32(s[k], _mm256_madd_epi16(weights, in));
    }
  }
  for (int k = 0; k < 8; ++k) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data() + 8 * k), s[k]);
}

__attribute__((target("avx2"))) void float_block_avx2(const float* w, const float* x, int rows, FloatSums& sums) {
  __m256 s[8];
  for (__m256& each : s) each = _mm256_setzero_ps();
  for (int r = 0; r < rows; ++r, w += block) {
    const __m256 in = _mm256_set1_ps(x[r]);
    for (int k = 0; k < 8; ++k) s[k] = _mm256_add_ps(s[k], _mm256_mul_ps(_mm256_loadu_ps(w + 8 * k), in));
  }
  for (int k = 0; k < 8; ++k) _mm256_storeu_ps(sums.data() + 8 * k, s[k]);
}

bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2") != 0;
  return yes;
}

template <class Kernel>
void all_integer_blocks(const PackedTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums,
                        Kernel kernel) {
  IntegerSums some{};
  for (int b = 0; b < tile.blocks(); ++b) {
    kernel(integer_block(tile, b), x.data(), pairs_of(tile), some);
    std::copy_n(some.begin(), width_of(tile, b), sums.begin() + b * block);
  }
}
template <class Kernel>
void all_float_blocks(const PackedTile& tile, std::span<const float> x, std::span<float> sums, Kernel kernel) {
  FloatSums some{};
  for (int b = 0; b < tile.blocks(); ++b) {
    kernel(float_block(tile, b), x.data(), tile.rows, some);
    std::copy_n(some.begin(), width_of(tile, b), sums.begin() + b * block);
  }
}

}  // namespace

PackedTile pack(const isa::Tile& tile, bool with_real, bool as_quads) {
  PackedTile p;
  p.rows = tile.rows;
  p.cols = tile.cols;
  const auto rows = static_cast<std::size_t>(tile.rows), cols = static_cast<std::size_t>(tile.cols);
  const auto wide = static_cast<std::size_t>(block), blocks = static_cast<std::size_t>(p.blocks());
  const bool is_f32 = tile.type == ElementType::f32;
  if (as_quads && tile.type == ElementType::i8) {
    p.quads = pack_quads(tile);
  } else if (!is_f32) {
    const auto pairs = (rows + 1) / 2;
    p.integers.assign(blocks * pairs * 2 * wide, 0);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c)
        p.integers[(((c / wide) * pairs + r / 2) * wide + c % wide) * 2 + r % 2] = stored_weight(tile, r * cols + c);
  }
  if (is_f32 || with_real) {
    p.floats.assign(blocks * rows * wide, 0);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c)
        p.floats[((c / wide) * rows + r) * wide + c % wide] = real_weight(tile, r * cols + c);
  }
  return p;
}

PackedTile pack(const isa::Tile& tile, bool with_real, const isa::Chip& chip, std::size_t index) {
  PackedTile p = pack(tile, with_real);
  const isa::Crossbar& x = chip.core.crossbar;
  p.input_bits = x.input_bits;
  if ((!x.adc.ideal || x.nonideal.any() || isa::measures_mean_output(chip)) && tile.type != ElementType::f32)
    p.analog = std::make_shared<AnalogTile>(tile, chip, index);
  return p;
}

void multiply(const PackedTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums) {
  if (!tile.quads.weights.empty()) return multiply(tile.quads, x, sums);
  all_integer_blocks(tile, x, sums, has_avx2() ? integer_block_avx2 : integer_block_portably);
}

void multiply(const PackedTile& tile, std::span<const std::uint16_t> x, std::span<std::int32_t> sums) {
  if (!tile.quads.weights.empty()) return multiply(tile.quads, x, sums);
  for (int b = 0; b < tile.blocks(); ++b) {
    std::array<std::uint32_t, block> some{};
    const std::int16_t* w = integer_block(tile, b);
    for (int r = 0; r < tile.rows; ++r)
      for (int c = 0; c < block; ++c) {
        const std::int64_t weight = w[(r / 2) * 2 * block + 2 * c + r % 2];
        some[static_cast<std::size_t>(c)] += static_cast<std::uint32_t>(weight * x[static_cast<std::size_t>(r)]);
      }
    std::memcpy(sums.data() + b * block, some.data(), static_cast<std::size_t>(width_of(tile, b)) * 4);
  }
}

void multiply(const PackedTile& tile, std::span<const float> x, std::span<float> sums) {
  PIMENTO_CHECK(!tile.floats.empty() || tile.rows == 0, "a tile was packed without real weights");
  all_float_blocks(tile, x, sums, has_avx2() ? float_block_avx2 : float_block_portably);
}

void multiply_portably(const PackedTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums) {
  all_integer_blocks(tile, x, sums, integer_block_portably);
}
void multiply_portably(const PackedTile& tile, std::span<const float> x, std::span<float> sums) {
  all_float_blocks(tile, x, sums, float_block_portably);
}

}  // namespace pimento::sim
