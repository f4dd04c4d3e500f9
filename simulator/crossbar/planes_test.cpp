#include "simulator/crossbar/planes.hpp"

#include <doctest/doctest.h>

#include "isa/instruction/samples.hpp"

using namespace pimento;
using namespace pimento::sim;

TEST_CASE("planes: does every variant that runs here count the bits that rows and cells have in common?") {
  isa::Random random(11);
  for (int round = 0; round < 50; ++round) {
    std::array<std::uint64_t, plane_columns> plane{};
    for (std::uint64_t& each : plane) each = random.next();
    const std::uint64_t inputs = round == 0 ? 0 : round == 1 ? ~std::uint64_t{0} : random.next();
    const int shift = static_cast<int>(random.between(0, 14));
    LineSums expected{}, portable{}, popcnt{}, avx512{};
    for (std::size_t c = 0; c < plane_columns; ++c) {
      expected[c] = portable[c] = popcnt[c] = avx512[c] = static_cast<std::uint64_t>(random.between(0, 1000));
      for (std::uint64_t common = plane[c] & inputs; common != 0; common &= common - 1)
        expected[c] += std::uint64_t{1} << shift;
    }
    count_plane_portably(plane.data(), inputs, shift, portable);
    CHECK(portable == expected);
    if (has_popcnt()) {
      count_plane_popcnt(plane.data(), inputs, shift, popcnt);
      CHECK(popcnt == expected);
    }
    if (has_avx512_popcnt()) {
      count_plane_avx512(plane.data(), inputs, shift, avx512);
      CHECK(avx512 == expected);
    }
  }
}
