#include "simulator/core/conversion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "isa/instruction/samples.hpp"
#include "simulator/core/elements.hpp"

using namespace pimento;
using namespace pimento::sim;

namespace {

std::int64_t expected(std::int64_t x, float scale, const Conversion& c) {
  double y = std::nearbyint(static_cast<double>(x) * static_cast<double>(scale));
  if (c.relu && !(y > 0)) y = std::isnan(y) ? y : 0;
  return saturate(y + c.offset, limits(c.to_type));
}

}  // namespace

TEST_CASE("conversion: are many elements at a time converted as one by one, whatever the types, scales and offsets?") {
  isa::Random random(5);
  constexpr float infinity = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> scales{0.5F, -0.5F, 1.0F, 0.0F, -0.0F, 1e-3F, 3.7e9F, -1e30F, infinity, -infinity, none};
  for (const ElementType from : {ElementType::u8, ElementType::i8, ElementType::i32})
    for (const ElementType to : {ElementType::u8, ElementType::i8, ElementType::i32})
      for (const std::int32_t offset : {0, 7, -128, 2147483647})
        for (const int options : {0, 1, 2, 3}) {
          std::vector<std::int64_t> x;
          std::vector<float> s;
          for (int k = 0; k < 47; ++k) {
            x.push_back(k == 0 ? std::numeric_limits<std::int32_t>::min() : random.between(-300, 300));
            if (k % 7 == 0) x.back() = random.between(-2147483647, 2147483647);
            s.push_back(scales[static_cast<std::size_t>(random.between(0, 10))]);
          }
          std::vector<std::uint8_t> in(47 * 4), out(47 * 4);
          store_integers(from, x.data(), 47, in.data());
          load_integers(from, in.data(), 47, x.data());
          Conversion c;
          c.from_type = from, c.to_type = to, c.offset = offset;
          c.from = in.data(), c.to = out.data(), c.count = 47;
          c.scales = reinterpret_cast<const std::uint8_t*>(s.data());
          c.one_scale = (options & 1) != 0, c.relu = (options & 2) != 0;
          const std::int64_t done = convert_many(c);
          CHECK(done == (__builtin_cpu_supports("avx2") ? 44 : 0));
          std::vector<std::int64_t> got(47);
          load_integers(to, out.data(), 47, got.data());
          for (std::size_t k = 0; k < static_cast<std::size_t>(done); ++k) {
            CAPTURE(x[k]);
            CAPTURE(s[k]);
            CHECK(got[k] == expected(x[k], s[c.one_scale ? 0 : k], c));
          }
        }
}

TEST_CASE("conversion: is one that writes over what it reads left to the executor's loop?") {
  std::vector<std::uint8_t> bytes(64);
  const float one = 1.0F;
  Conversion c;
  c.from_type = ElementType::u8, c.to_type = ElementType::i32;
  c.from = bytes.data(), c.to = bytes.data() + 4, c.count = 8, c.one_scale = true;
  c.scales = reinterpret_cast<const std::uint8_t*>(&one);
  CHECK(convert_many(c) == 0);
}
