// Instructions that only other compilers' programs use: dot products, fixed-point functions, filling with bytes.
#include <algorithm>
#include <array>
#include <cmath>

#include "isa/support/math.hpp"
#include "simulator/core/at.hpp"
#include "simulator/core/elements.hpp"

namespace pimento::sim {

using isa::Opcode;

void Executor::dot(const At& at) {
  const bool floats = is_float(at.i.type_a);
  const std::int64_t len = at.i.len;
  const std::int64_t out = in_bounds(at, at.d(0), static_cast<std::int64_t>(at.i.count) * at.size_d);
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t a = in_bounds(at, at.a(k), len * at.size_a), b = in_bounds(at, at.b(k), len * at.size_b);
    std::uint64_t sum = 0;
    float real = 0, shadow = 0;
    for (std::int64_t n = 0; n < len; ++n) {
      const std::uint8_t *x = memory_.bytes(a + n * at.size_a), *y = memory_.bytes(b + n * at.size_b);
      if (floats) {
        std::array<float, 2> v{};
        load_floats(at.i.type_a, x, 1, v.data());
        load_floats(at.i.type_b, y, 1, v.data() + 1);
        real = real + v[0] * v[1];
      } else {
        std::array<std::int64_t, 2> v{};
        load_integers(at.i.type_a, x, 1, v.data());
        load_integers(at.i.type_b, y, 1, v.data() + 1);
        sum += static_cast<std::uint64_t>(v[0]) * static_cast<std::uint64_t>(v[1]);
      }
      if (shadows_) shadow = shadow + *memory_.shadows(a + n * at.size_a) * *memory_.shadows(b + n * at.size_b);
    }
    const std::int64_t to = out + k * at.size_d;
    const auto integer = static_cast<std::int64_t>(sum);
    if (floats) store_floats(at.i.type_d, &real, 1, memory_.bytes(to));
    if (!floats) store_integers(at.i.type_d, &integer, 1, memory_.bytes(to));
    if (shadows_) *memory_.shadows(to) = shadow;
  }
  wrote(at, out, static_cast<std::int64_t>(at.i.count) * at.size_d);
}

void Executor::fixed_point(const At& at) {
  const auto function = [&](float x) { return at.i.opcode == Opcode::vtanh ? math::tanh(x) : math::sigmoid(x); };
  const auto unit = [](int size) { return static_cast<float>(std::int64_t{1} << (8 * size - 1)); };
  const Limits range = limits(at.i.type_d);
  const std::int64_t len = at.i.len;
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t d = in_bounds(at, at.d(k), len * at.size_d), a = in_bounds(at, at.a(k), len * at.size_a);
    for (std::int64_t n = 0; n < len; ++n) {
      const float real = shadows_ ? function(*memory_.shadows(a + n * at.size_a)) : 0.0F;
      std::int64_t x = 0;
      load_integers(at.i.type_a, memory_.bytes(a + n * at.size_a), 1, &x);
      const float y = function(static_cast<float>(x) / unit(at.size_a)) * unit(at.size_d);
      const std::int64_t rounded = saturate(std::nearbyint(static_cast<double>(y)), range);
      store_integers(at.i.type_d, &rounded, 1, memory_.bytes(d + n * at.size_d));
      if (shadows_) *memory_.shadows(d + n * at.size_d) = real;
    }
    wrote(at, d, len * at.size_d);
  }
}

void Executor::fill_bytes(const At& at) {
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t d = in_bounds(at, at.d(k), at.i.len);
    std::fill_n(memory_.bytes(d), at.i.len, static_cast<std::uint8_t>(at.i.imm));
    if (shadows_) std::fill_n(memory_.shadows(d), at.i.len, at.i.real);
    wrote(at, d, at.i.len);
  }
}

}  // namespace pimento::sim
