#pragma once
// Random numbers that are the same everywhere: splitmix64, and a bell curve from the sum of four uniforms, so no
// function of the maths library takes part.
#include <cstdint>

namespace pimento::zoo {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 <= x < 1, a multiple of 2^-24.
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }
  /// Mean 0, variance 1, within +-3.47: four 16-bit uniforms have variance 4/12 together, and 1 / sqrt(4/12)
  /// is 1.732...
  float normal() {
    const std::uint64_t b = bits();
    const auto sum = static_cast<std::int32_t>((b & 0xffff) + ((b >> 16) & 0xffff) + ((b >> 32) & 0xffff) + (b >> 48));
    return static_cast<float>(sum - 2 * 0xffff) * (1.7320508F / 65536.0F);
  }

 private:
  std::uint64_t state_;
};

}  // namespace pimento::zoo
