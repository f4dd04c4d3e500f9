#pragma once
// The products of an array group, as fast as the host allows. A tile is packed once: blocks of 64 columns, within a
// block two rows side by side (integers) or one row (floats), so that a block's sums stay in registers. Sums of
// integers wrap at 32 bits, in any order; sums of floats run over rows in ascending order, one accumulator per column.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isa/program/program.hpp"
#include "simulator/crossbar/quads.hpp"

namespace pimento::sim {

class AnalogTile;

struct PackedTile {
  static constexpr int block = 64;
  int rows = 0, cols = 0;
  std::vector<std::int16_t> integers;  ///< [block][row / 2][column][row % 2]; empty where there are quads
  QuadTile quads;
  std::vector<float> floats;           ///< [block][row][column]
  std::shared_ptr<AnalogTile> analog;  ///< integers go through it where converters are not ideal; else null
  int input_bits = 0;                  ///< of an input that word lines take; 0: all of its type
  int blocks() const { return (cols + block - 1) / block; }
};
/// Packs stored integer weights, and, when the numerics computes with floats, the real ones (or an f32 tile's).
/// `as_quads`: 8-bit weights lie as this processor's byte products want them.
PackedTile pack(const isa::Tile& tile, bool with_real, bool as_quads = has_byte_products());
/// The same on a chip, with the cells and converters of arrays whose ADC or devices are not ideal. `index`: the tile's
/// number in its program, which tells its devices from other tiles'; copies of a tile share them.
PackedTile pack(const isa::Tile& tile, bool with_real, const isa::Chip& chip, std::size_t index);

/// x: rows elements, padded with a zero to an even count; sums: cols elements.
void multiply(const PackedTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums);
/// u16 inputs, which do not fit the packed kernel.
void multiply(const PackedTile& tile, std::span<const std::uint16_t> x, std::span<std::int32_t> sums);
void multiply(const PackedTile& tile, std::span<const float> x, std::span<float> sums);

/// The same without instruction-set variants: what the fast ones are tested against. Not of quads.
void multiply_portably(const PackedTile& tile, std::span<const std::int16_t> x, std::span<std::int32_t> sums);
void multiply_portably(const PackedTile& tile, std::span<const float> x, std::span<float> sums);

}  // namespace pimento::sim
