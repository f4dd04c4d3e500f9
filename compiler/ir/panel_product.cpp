#include "compiler/ir/panel_product.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace pimento::ir {
namespace {

/// Some elements; one or two make the lanes of a panel.
template <class T, int bytes>
struct Vector {
  typedef T type __attribute__((vector_size(bytes)));
};

template <class T, int bytes, int rows_of_tile>
[[gnu::always_inline]] inline void tile_product(const T* lanes, const T* rows, std::int64_t depth, T* tile,
                                                std::int64_t stride) {
  using V = typename Vector<T, bytes>::type;
  constexpr int vectors = panel_lanes * static_cast<int>(sizeof(T)) / bytes;
  V sum[rows_of_tile][vectors];
  for (int r = 0; r < rows_of_tile; ++r) std::memcpy(sum[r], tile + r * stride, sizeof(sum[r]));
  for (std::int64_t k = 0; k < depth; ++k, lanes += panel_lanes, rows += rows_of_tile) {
    V x[vectors];
    std::memcpy(x, lanes, sizeof(x));
    for (int r = 0; r < rows_of_tile; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] = sum[r][v] + x[v] * rows[r];
  }
  for (int r = 0; r < rows_of_tile; ++r) std::memcpy(tile + r * stride, sum[r], sizeof(sum[r]));
}

template <int bytes, class T>
[[gnu::always_inline]] inline void any_tile(const T* lanes, const T* rows, std::int64_t depth, int row_count, T* tile,
                                            std::int64_t stride) {
  switch (row_count) {
    case 1:
      return tile_product<T, bytes, 1>(lanes, rows, depth, tile, stride);
    case 2:
      return tile_product<T, bytes, 2>(lanes, rows, depth, tile, stride);
    case 3:
      return tile_product<T, bytes, 3>(lanes, rows, depth, tile, stride);
    case 4:
      return tile_product<T, bytes, 4>(lanes, rows, depth, tile, stride);
    case 5:
      return tile_product<T, bytes, 5>(lanes, rows, depth, tile, stride);
    default:
      return tile_product<T, bytes, 6>(lanes, rows, depth, tile, stride);
  }
}

__attribute__((target("avx512f"))) void f32_avx512(const float* lanes, const float* rows, std::int64_t depth,
                                                   int row_count, float* tile, std::int64_t stride) {
  any_tile<64>(lanes, rows, depth, row_count, tile, stride);
}
__attribute__((target("avx512f"))) void i32_avx512(const std::uint32_t* lanes, const std::uint32_t* rows,
                                                   std::int64_t depth, int row_count, std::uint32_t* tile,
                                                   std::int64_t stride) {
  any_tile<64>(lanes, rows, depth, row_count, tile, stride);
}
bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

__attribute__((target("avx2"))) void f32_avx2(const float* lanes, const float* rows, std::int64_t depth, int row_count,
                                              float* tile, std::int64_t stride) {
  any_tile<32>(lanes, rows, depth, row_count, tile, stride);
}
__attribute__((target("avx2"))) void i32_avx2(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth,
                                              int row_count, std::uint32_t* tile, std::int64_t stride) {
  any_tile<32>(lanes, rows, depth, row_count, tile, stride);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

void f32_any(const float* lanes, const float* rows, std::int64_t depth, int row_count, float* tile,
             std::int64_t stride) {
  any_tile<32>(lanes, rows, depth, row_count, tile, stride);
}
void i32_any(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth, int row_count,
             std::uint32_t* tile, std::int64_t stride) {
  any_tile<32>(lanes, rows, depth, row_count, tile, stride);
}
bool always() { return true; }

}  // namespace

std::span<const PanelVariant> panel_variants() {
  static constexpr std::array<PanelVariant, 3> variants = {{{"avx512", has_avx512, f32_avx512, i32_avx512},
                                                            {"avx2", has_avx2, f32_avx2, i32_avx2},
                                                            {"x86-64", always, f32_any, i32_any}}};
  return variants;
}

const PanelVariant& best_panel_variant() {
  static const PanelVariant& best = *std::find_if(panel_variants().begin(), panel_variants().end(),
                                                  [](const PanelVariant& v) { return v.available(); });
  return best;
}

}  // namespace pimento::ir
