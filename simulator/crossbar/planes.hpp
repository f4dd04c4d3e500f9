#pragma once
// Counting what a driven row and a cell have in common: the analog sum of a bit line, bit by bit.
#include <array>
#include <cstdint>

namespace pimento::sim {

inline constexpr int plane_columns = 64;
/// Sums on 64 bit lines.
using LineSums = std::array<std::uint64_t, plane_columns>;

/// sums[c] += popcount(inputs & plane[c]) << shift, for 64 rows (one bit each) and 64 columns.
using CountPlane = void (*)(const std::uint64_t* plane, std::uint64_t inputs, int shift, LineSums& sums);
/// The fastest that this machine has; all give the same sums.
CountPlane count_plane();
void count_plane_portably(const std::uint64_t* plane, std::uint64_t inputs, int shift, LineSums& sums);
void count_plane_popcnt(const std::uint64_t* plane, std::uint64_t inputs, int shift, LineSums& sums);
void count_plane_avx512(const std::uint64_t* plane, std::uint64_t inputs, int shift, LineSums& sums);
bool has_popcnt();
bool has_avx512_popcnt();

}  // namespace pimento::sim
