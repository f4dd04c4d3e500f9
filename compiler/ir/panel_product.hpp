#pragma once
// The inner product of the contraction path: a tile of rows x 16 lanes, over packed panels. Each element of the tile is
// one sum in the order of k, product rounded, then sum rounded; vectors run across elements, never along a sum. So
// every variant of instruction set gives the same bits.
#include <cstdint>
#include <span>
#include <string_view>

namespace pimento::ir {

inline constexpr int panel_lanes = 16;
inline constexpr int panel_rows = 6;

/// tile[r * stride + l] += rows[k * row_count + r] * lanes[k * 16 + l] for k = 0 .. depth-1, r < row_count <= 6.
/// Integers wrap.
struct PanelVariant {
  std::string_view name;
  bool (*available)();
  void (*f32)(const float* lanes, const float* rows, std::int64_t depth, int row_count, float* tile,
              std::int64_t stride);
  void (*i32)(const std::uint32_t* lanes, const std::uint32_t* rows, std::int64_t depth, int row_count,
              std::uint32_t* tile, std::int64_t stride);
};
/// Best first; the last one runs everywhere.
std::span<const PanelVariant> panel_variants();
/// The first available one.
const PanelVariant& best_panel_variant();

}  // namespace pimento::ir
