#include "compiler/ir/panel_product.hpp"

#include <array>
#include <cstring>

namespace pimento::ir {
namespace {

/// Eight elements; two make the lanes of a panel.
template <class T>
struct Vector {
  typedef T type __attribute__((vector_size(32)));
};

template <class T, int rows_of_tile>
[[gnu::always_inline]] inline void tile_product(const T* lanes, const T* rows, std::int64_t depth, T* tile,
                                                std::int64_t stride) {
  using V = typename Vector<T>::type;
  V sum[rows_of_tile][2];
  for (int r = 0; r < rows_of_tile; ++r) std::memcpy(sum[r], tile + r * stride, sizeof(sum[r]));
  for (std::int64_t k = 0; k < depth; ++k, lanes += panel_lanes, rows += rows_of_tile) {
    V x[2];
    std::memcpy(x, lanes, sizeof(x));
    for (int r = 0; r < rows_of_tile; ++r) {
      sum[r][0] = sum[r][0] + x[0] * rows[r];
      sum[r][1] = sum[r][1] + x[1] * rows[r];
    }
  }
  for (int r = 0; r < rows_of_tile; ++r) std::memcpy(tile + r * stride, sum[r], sizeof(sum[r]));
}

template <class T>
[[gnu::always_inline]] inline void any_tile(const T* lanes, const T* rows, std::int64_t depth, int row_count, T* tile,
                                            std::int64_t stride) {
  switch (row_count) {
    case 1:
      return tile_product<T, 1>(lanes, rows, depth, tile, stride);
    case 2:
      return tile_product<T, 2>(lanes, rows, depth, tile, stride);
    case 3:
      return tile_product<T, 3>(lanes, rows, depth, tile, stride);
    case 4:
      return tile_product<T, 4>(lanes, rows, depth, tile, stride);
    case 5:
      return tile_product<T, 5>(lanes, rows, depth, tile, stride);
    default:
      return tile_product<T, 6>(lanes, rows, depth, tile, stride);
  }
}

__attribute__((target("avx2"))) void f32_avx2(const float* lanes, const float* rows, std::int64_t depth, int row_count,
                                              float* tile, std::int64_t stride) {
  any_tile(lanes, rows, depth, row_count, tile, stride);
}
__attribute__((target("avx2"))) void i32_avx2(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth,
                                              int row_count, std::uint32_t* tile, std::int64_t stride) {
  any_tile(lanes, rows, depth, row_count, tile, stride);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

void f32_any(const float* lanes, const float* rows, std::int64_t depth, int row_count, float* tile,
             std::int64_t stride) {
  any_tile(lanes, rows, depth, row_count, tile, stride);
}
void i32_any(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth, int row_count,
             std::uint32_t* tile, std::int64_t stride) {
  any_tile(lanes, rows, depth, row_count, tile, stride);
}
bool always() { return true; }

}  // namespace

std::span<const PanelVariant> panel_variants() {
  static constexpr std::array<PanelVariant, 2> variants = {
      {{"avx2", has_avx2, f32_avx2, i32_avx2}, {"x86-64", always, f32_any, i32_any}}};
  return variants;
}

const PanelVariant& best_panel_variant() {
  static const PanelVariant& best = panel_variants()[0].available() ? panel_variants()[0] : panel_variants()[1];
  return best;
}

}  // namespace pimento::ir
