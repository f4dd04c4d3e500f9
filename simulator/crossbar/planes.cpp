#include "simulator/crossbar/planes.hpp"

#include <immintrin.h>

namespace pimento::sim {

void count_plane_portably(const std::uint64_t* plane, std::uint64_t inputs, int shift, LineSums& sums) {
  constexpr std::uint64_t pairs = 0x5555555555555555, fours = 0x3333333333333333, eights = 0x0f0f0f0f0f0f0f0f;
  for (std::size_t c = 0; c < plane_columns; ++c) {
    std::uint64_t x = plane[c] & inputs;
    x = x - ((x >> 1) & pairs);
    x = (x & fours) + ((x >> 2) & fours);
    x = (x + (x >> 4)) & eights;
    sums[c] += ((x * 0x0101010101010101) >> 56) << shift;
  }
}

__attribute__((target("popcnt"))) void count_plane_popcnt(const std::uint64_t* plane, std::uint64_t inputs, int shift,
                                                          LineSums& sums) {
  for (std::size_t c = 0; c < plane_columns; ++c)
    sums[c] += static_cast<std::uint64_t>(__builtin_popcountll(plane[c] & inputs)) << shift;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void count_plane_avx512(const std::uint64_t* plane,
                                                                           std::uint64_t inputs, int shift,
                                                                           LineSums& sums) {
  const __m512i in = _mm512_set1_epi64(static_cast<long long>(inputs));
  const __m128i by = _mm_cvtsi32_si128(shift);
  for (std::size_t c = 0; c < plane_columns; c += 8) {
    const __m512i common = _mm512_and_si512(_mm512_loadu_si512(plane + c), in);
    const __m512i counts = _mm512_maskz_sll_epi64(0xff, _mm512_popcnt_epi64(common), by);
    _mm512_storeu_si512(sums.data() + c, _mm512_add_epi64(_mm512_loadu_si512(sums.data() + c), counts));
  }
}

bool has_popcnt() { return __builtin_cpu_supports("popcnt") != 0; }
bool has_avx512_popcnt() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

CountPlane count_plane() {
  static const CountPlane fastest = has_avx512_popcnt() ? count_plane_avx512
                                    : has_popcnt()      ? count_plane_popcnt
                                                        : count_plane_portably;
  return fastest;
}

}  // namespace pimento::sim
