#include "simulator/core/conversion.hpp"

#include <immintrin.h>

#include <cstring>

#include "simulator/core/elements.hpp"

namespace pimento::sim {
namespace {

#define PIMENTO_AVX2 __attribute__((target("avx2")))

template <ElementType type>
PIMENTO_AVX2 inline __m128i four(const std::uint8_t* from) {
  if constexpr (type == ElementType::i32) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  std::int32_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  if constexpr (type == ElementType::u8) return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
  return _mm_cvtepi8_epi32(_mm_cvtsi32_si128(bytes));
}

template <ElementType type>
PIMENTO_AVX2 inline void put_four(__m128i values, std::uint8_t* to) {
  if constexpr (type == ElementType::i32) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), values);
  } else {
    const __m128i low_bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const std::int32_t bytes = _mm_cvtsi128_si32(_mm_shuffle_epi8(values, low_bytes));
    std::memcpy(to, &bytes, sizeof bytes);
  }
}

template <ElementType in, ElementType out>
PIMENTO_AVX2 std::int64_t convert_fours(const Conversion& c) {
  constexpr int in_size = size_of(in), out_size = size_of(out);
  const Limits range = limits(out);
  const __m256d low = _mm256_set1_pd(range.low), high = _mm256_set1_pd(range.high);
  const __m256d offset = _mm256_set1_pd(c.offset), zero = _mm256_setzero_pd();
  float first = 0;
  std::memcpy(&first, c.scales, sizeof first);
  __m256d scale = _mm256_set1_pd(static_cast<double>(first));
  std::int64_t n = 0;
  for (; n + 4 <= c.count; n += 4) {
    if (!c.one_scale) scale = _mm256_cvtps_pd(_mm_loadu_ps(reinterpret_cast<const float*>(c.scales + 4 * n)));
    __m256d y = _mm256_mul_pd(_mm256_cvtepi32_pd(four<in>(c.from + n * in_size)), scale);
    y = _mm256_round_pd(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    if (c.relu) y = _mm256_and_pd(y, _mm256_cmp_pd(y, zero, _CMP_NLE_UQ));  // keeps NaN
    y = _mm256_add_pd(y, offset);
    const __m256d is_number = _mm256_cmp_pd(y, y, _CMP_ORD_Q);  // NaN becomes 0
    y = _mm256_and_pd(_mm256_min_pd(_mm256_max_pd(y, low), high), is_number);
    put_four<out>(_mm256_cvttpd_epi32(y), c.to + n * out_size);
  }
  return n;
}

template <ElementType in>
std::int64_t to_any(const Conversion& c) {
  switch (c.to_type) {
    case ElementType::u8:
      return convert_fours<in, ElementType::u8>(c);
    case ElementType::i8:
      return convert_fours<in, ElementType::i8>(c);
    case ElementType::i32:
      return convert_fours<in, ElementType::i32>(c);
    default:
      return 0;
  }
}

}  // namespace

std::int64_t convert_many(const Conversion& c) {
  static const bool possible = __builtin_cpu_supports("avx2") != 0;
  if (!possible) return 0;
  const std::int64_t read = c.count * size_of(c.from_type), written = c.count * size_of(c.to_type);
  const bool apart = c.to + written <= c.from || c.from + read <= c.to;
  const std::uint8_t* const scales_end = c.scales + (c.one_scale ? 4 : 4 * c.count);
  if (!apart || !(c.to + written <= c.scales || scales_end <= c.to)) return 0;
  switch (c.from_type) {
    case ElementType::u8:
      return to_any<ElementType::u8>(c);
    case ElementType::i8:
      return to_any<ElementType::i8>(c);
    case ElementType::i32:
      return to_any<ElementType::i32>(c);
    default:
      return 0;
  }
}

}  // namespace pimento::sim
