#pragma once
// Products of 8-bit weights on processors that multiply bytes four at a time (AVX-512 VNNI). Four rows of a tile lie
// side by side, so that weights take half of the memory that pairs of 16 bits do. The sums are the same: they wrap at
// 32 bits, so it does not matter that inputs are shifted to 0 .. 255 or split into bytes on the way.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/program/program.hpp"

namespace pimento::sim {

struct QuadTile {
  static constexpr int block = 64;
  int rows = 0, cols = 0;
  std::vector<std::uint8_t> weights;     ///< [block][row / 4][column][row % 4]; empty: not packed
  std::vector<std::uint32_t> of_column;  ///< sums of the weights, of whole blocks
};

bool has_byte_products();
/// Of a tile of i8.
QuadTile pack_quads(const isa::Tile& tile);

/// x: rows elements; sums: cols elements. Only where `has_byte_products`.
void multiply(const QuadTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums);
void multiply(const QuadTile& tile, std::span<const std::uint16_t> x, std::span<std::int32_t> sums);

}  // namespace pimento::sim
