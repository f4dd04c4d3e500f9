#include "simulator/crossbar/quads.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace pimento::sim {
namespace {

constexpr int block = QuadTile::block;
using Sums = std::array<std::uint32_t, block>;

std::size_t quads_of(int rows) { return static_cast<std::size_t>((rows + 3) / 4); }
int blocks_of(int cols) { return (cols + block - 1) / block; }

/// Four rows of 16 columns, each column's four bytes together.
void interleave(const std::uint8_t* const row[4], std::size_t at, std::uint8_t* to) {
  __m128i r[4];
  for (int k = 0; k < 4; ++k) r[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row[k] + at));
  const __m128i low[2] = {_mm_unpacklo_epi8(r[0], r[1]), _mm_unpacklo_epi8(r[2], r[3])};
  const __m128i high[2] = {_mm_unpackhi_epi8(r[0], r[1]), _mm_unpackhi_epi8(r[2], r[3])};
  auto* out = reinterpret_cast<__m128i*>(to);
  _mm_storeu_si128(out, _mm_unpacklo_epi16(low[0], low[1]));
  _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(low[0], low[1]));
  _mm_storeu_si128(out + 2, _mm_unpacklo_epi16(high[0], high[1]));
  _mm_storeu_si128(out + 3, _mm_unpackhi_epi16(high[0], high[1]));
}

/// sums[c] += weights by x, x being quads * 4 bytes.
__attribute__((target("avx512f,avx512vnni"))) void add_block(const std::uint8_t* w, const std::uint8_t* x,
                                                             std::size_t quads, Sums& sums) {
  const auto broadcast = [&](std::size_t q) __attribute__((target("avx512f,avx512vnni"))) {
    std::int32_t four = 0;
    std::memcpy(&four, x + 4 * q, sizeof four);
    return _mm512_set1_epi32(four);
  };
  __m512i even[4], odd[4];
  for (int k = 0; k < 4; ++k) even[k] = _mm512_loadu_si512(sums.data() + 16 * k), odd[k] = _mm512_setzero_si512();
  std::size_t q = 0;
  for (; q + 1 < quads; q += 2, w += 8 * block) {
    const __m512i first = broadcast(q), second = broadcast(q + 1);
    for (int k = 0; k < 4; ++k) {
      even[k] = _mm512_dpbusd_epi32(even[k], first, _mm512_loadu_si512(w + 64 * k));
      odd[k] = _mm512_dpbusd_epi32(odd[k], second, _mm512_loadu_si512(w + 4 * block + 64 * k));
    }
  }
  if (q < quads) {
    const __m512i last = broadcast(q);
    for (int k = 0; k < 4; ++k) even[k] = _mm512_dpbusd_epi32(even[k], last, _mm512_loadu_si512(w + 64 * k));
  }
  for (int k = 0; k < 4; ++k) _mm512_storeu_si512(sums.data() + 16 * k, _mm512_add_epi32(even[k], odd[k]));
}

const std::uint8_t* block_of(const QuadTile& tile, int b) {
  return tile.weights.data() + static_cast<std::size_t>(b) * quads_of(tile.rows) * 4 * block;
}

/// An input as bytes: x = low + 256 * high - bias * (1, or 256 where there is a high byte).
struct Bytes {
  std::vector<std::uint8_t> low, high;  ///< padded to whole quads
  std::uint32_t bias = 0;
};

template <class T>
void split(std::span<const T> x, Bytes& bytes) {
  T least = 0, most = 0;
  for (const T each : x) least = std::min(least, each), most = std::max(most, each);
  const std::size_t padded = quads_of(static_cast<int>(x.size())) * 4;
  bytes.low.assign(padded, 0);
  bytes.high.clear();
  const int bias = least < 0 ? 128 : 0;
  bytes.bias = static_cast<std::uint32_t>(bias);
  if (least >= -bias && most <= 255 - bias) {
    for (std::size_t r = 0; r < x.size(); ++r) bytes.low[r] = static_cast<std::uint8_t>(x[r] + bias);
    return;
  }
  bytes.high.assign(padded, 0);
  for (std::size_t r = 0; r < x.size(); ++r) {
    bytes.low[r] = static_cast<std::uint8_t>(x[r] & 255);
    bytes.high[r] = static_cast<std::uint8_t>((x[r] >> 8) + bias);
  }
}

template <class T>
void multiply_split(const QuadTile& tile, std::span<const T> x, std::span<std::int32_t> sums) {
  thread_local Bytes bytes;
  split(x.first(static_cast<std::size_t>(tile.rows)), bytes);
  const std::size_t quads = quads_of(tile.rows);
  for (int b = 0; b < blocks_of(tile.cols); ++b) {
    Sums some{};
    const std::uint32_t* of_column = tile.of_column.data() + b * block;
    if (!bytes.high.empty()) {
      add_block(block_of(tile, b), bytes.high.data(), quads, some);
      for (std::size_t c = 0; c < block; ++c) some[c] = 256 * (some[c] - bytes.bias * of_column[c]);
    } else if (bytes.bias != 0) {
      for (std::size_t c = 0; c < block; ++c) some[c] = 0U - bytes.bias * of_column[c];
    }
    add_block(block_of(tile, b), bytes.low.data(), quads, some);
    std::memcpy(sums.data() + b * block, some.data(),
                static_cast<std::size_t>(std::min(block, tile.cols - b * block)) * 4);
  }
}

}  // namespace

bool has_byte_products() {
  static const bool yes = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
  return yes;
}

QuadTile pack_quads(const isa::Tile& tile) {
  QuadTile p;
  p.rows = tile.rows;
  p.cols = tile.cols;
  const auto rows = static_cast<std::size_t>(tile.rows), cols = static_cast<std::size_t>(tile.cols);
  const std::size_t quads = quads_of(tile.rows), blocks = static_cast<std::size_t>(blocks_of(tile.cols));
  const std::vector<std::uint8_t> nothing(cols, 0);
  p.weights.resize(blocks * quads * 4 * block);
  for (std::size_t q = 0; q < quads; ++q) {
    const std::uint8_t* row[4];
    for (std::size_t k = 0; k < 4; ++k)
      row[k] = 4 * q + k < rows ? tile.weights.data.data() + (4 * q + k) * cols : nothing.data();
    for (std::size_t c = 0; c < cols;) {
      std::uint8_t* to = p.weights.data() + ((c / block * quads + q) * block + c % block) * 4;
      if (c + 16 <= cols) {  // a block is four times 16 columns
        interleave(row, c, to);
        c += 16;
        continue;
      }
      for (std::size_t k = 0; k < 4; ++k) to[k] = row[k][c];
      ++c;
    }
  }
  const std::vector<std::uint8_t> ones(4 * quads, 1);
  p.of_column.resize(blocks * block);
  for (std::size_t b = 0; b < blocks; ++b) {
    Sums sums{};
    add_block(block_of(p, static_cast<int>(b)), ones.data(), quads, sums);
    std::copy(sums.begin(), sums.end(), p.of_column.begin() + static_cast<std::ptrdiff_t>(b * block));
  }
  return p;
}

void multiply(const QuadTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums) {
  multiply_split(tile, x, sums);
}
void multiply(const QuadTile& tile, std::span<const std::uint16_t> x, std::span<std::int32_t> sums) {
  multiply_split(tile, x, sums);
}

}  // namespace pimento::sim
