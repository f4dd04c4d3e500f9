#include "isa/support/float16.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace pimento;

TEST_CASE("float16: does every f16 survive the way to f32 and back?") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = f16_to_f32(half);
    if (std::isnan(wide)) {
      CHECK(f32_to_f16(wide) == 0x7e00);
    } else {
      REQUIRE(f32_to_f16(wide) == half);
    }
  }
}
TEST_CASE("float16: does every bf16 survive the way to f32 and back?") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = bf16_to_f32(half);
    if (std::isnan(wide)) {
      CHECK(f32_to_bf16(wide) == 0x7fc0);
    } else {
      REQUIRE(f32_to_bf16(wide) == half);
    }
  }
}
TEST_CASE("float16: do ties go to the even neighbour, between all neighbours of f16?") {
  for (std::uint16_t h = 0; h < 0x7bff; ++h) {  // the midpoint of two neighbours is exact in f32
    const float low = f16_to_f32(h), high = f16_to_f32(static_cast<std::uint16_t>(h + 1));
    const float middle = low + (high - low) / 2;
    REQUIRE(f32_to_f16(middle) == (h % 2 == 0 ? h : h + 1));
    REQUIRE(f32_to_f16(std::nextafter(middle, 0.0f)) == h);
    REQUIRE(f32_to_f16(std::nextafter(middle, 1e9f)) == h + 1);
  }
}
TEST_CASE("float16: where does overflow begin?") {
  CHECK(f32_to_f16(65504.0f) == 0x7bff);
  CHECK(f32_to_f16(65519.99f) == 0x7bff);
  CHECK(f32_to_f16(65520.0f) == 0x7c00);  // the tie between 65504 and the would-be 65536 goes to the even side
  CHECK(f32_to_f16(-std::numeric_limits<float>::infinity()) == 0xfc00);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x7f7fffffu)) == 0x7f80);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3f808000u)) == 0x3f80);  // tie, even below
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3f818000u)) == 0x3f82);  // tie, even above
}
