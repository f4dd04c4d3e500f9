// Element-wise vector instructions, conversions and reductions of the executor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/core/arithmetic.hpp"
#include "simulator/core/at.hpp"
#include "simulator/core/conversion.hpp"
#include "simulator/core/elements.hpp"

namespace pimento::sim {
namespace {

using isa::Form;
using isa::Opcode;
template <class T>
using Chunk = std::array<T, chunk>;

bool decides(Opcode op) { return op >= Opcode::veq && op <= Opcode::vsel; }
/// Instructions on integers whose results are indices, never quantised real numbers.
bool is_index_arithmetic(const isa::Instruction& i) {
  if (is_float(i.type_a)) return false;
  return i.type_a == ElementType::i64 || i.type_d == ElementType::i64 || i.opcode == Opcode::vdiv ||
         i.opcode == Opcode::vmod;
}

}  // namespace

void Executor::elementwise(const At& at) {
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t len = at.i.len;
    const bool two = isa::row(at.i.opcode).form != Form::unary;
    const bool scalar = at.has(isa::flag::b_scalar);
    const std::int64_t d = in_bounds(at, at.d(k), len * at.size_d), a = in_bounds(at, at.a(k), len * at.size_a);
    const std::int64_t b = two ? in_bounds(at, at.b(k), scalar ? at.size_b : len * at.size_b) : 0;
    for (std::int64_t from = 0; from < len; from += chunk) {
      const auto n = static_cast<int>(std::min<std::int64_t>(chunk, len - from));
      elementwise_segment(at, d + from * at.size_d, a + from * at.size_a, scalar ? b : b + from * at.size_b, n);
    }
    wrote(at, d, len * at.size_d);
  }
}

void Executor::elementwise_segment(const At& at, std::int64_t d, std::int64_t a, std::int64_t b, int n) {
  const Elementwise& op = sim::elementwise(at.i.opcode);
  const Form form = isa::row(at.i.opcode).form;
  const bool two = form != Form::unary, three = form == Form::ternary;
  const bool scalar = at.has(isa::flag::b_scalar);
  const int nb = scalar ? 1 : n;
  // vsel's condition is bool whatever it selects, so the domain is that of b.
  const bool floats = is_float(at.i.opcode == Opcode::vsel ? at.i.type_b : at.i.type_a);
  const bool by_shadow = shadows_ && decides(at.i.opcode);
  Chunk<std::int64_t> ia, ib, ir;
  Chunk<float> fa, fb, fr;
  if (shadows_) {
    load_shadows(memory_.shadows(a), n, at.size_a, fa.data());
    if (two) load_shadows(memory_.shadows(b), nb, at.size_b, fb.data());
    if (three) load_shadows(memory_.shadows(d), n, at.size_d, fr.data());
    if (scalar) std::fill_n(fb.begin() + 1, n - 1, fb[0]);
    if (op.floats != nullptr) op.floats({fa.data(), fb.data(), fr.data(), n});
  }
  Chunk<float> shadow_condition, shadow_result;
  if (shadows_) std::copy_n(fa.begin(), n, shadow_condition.begin()), std::copy_n(fr.begin(), n, shadow_result.begin());
  const bool comparison = by_shadow && at.i.opcode != Opcode::vsel;
  if (floats) {
    load_floats(at.i.type_a, memory_.bytes(a), n, fa.data());
    if (two) load_floats(at.i.type_b, memory_.bytes(b), nb, fb.data());
    if (three) load_floats(at.i.type_d, memory_.bytes(d), n, fr.data());
    if (scalar) std::fill_n(fb.begin() + 1, n - 1, fb[0]);
    if (by_shadow) std::copy_n(shadow_condition.begin(), n, fa.begin());
    op.floats({fa.data(), fb.data(), fr.data(), n});
    if (comparison) std::copy_n(shadow_result.begin(), n, fr.begin());
    if (is_float(at.i.type_d)) {
      store_floats(at.i.type_d, fr.data(), n, memory_.bytes(d));
    } else {
      for (int i = 0; i < n; ++i) ir[static_cast<std::size_t>(i)] = fr[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
      store_integers(at.i.type_d, ir.data(), n, memory_.bytes(d));
    }
  } else {
    load_integers(at.i.type_a, memory_.bytes(a), n, ia.data());
    if (two) load_integers(at.i.type_b, memory_.bytes(b), nb, ib.data());
    if (three) load_integers(at.i.type_d, memory_.bytes(d), n, ir.data());
    if (scalar) std::fill_n(ib.begin() + 1, n - 1, ib[0]);
    if (by_shadow)
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        ia[i] = at.i.opcode == Opcode::vsel ? shadow_condition[i] != 0 : ia[i];
    if (at.i.opcode == Opcode::vdiv || at.i.opcode == Opcode::vmod)
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        if (ib[i] == 0) fail(at, fmt::format("element {} is divided by zero", i));
    op.integers({ia.data(), ib.data(), ir.data(), n});
    if (at.i.opcode == Opcode::vnot && at.i.type_d == ElementType::boolean)
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) ir[i] = ia[i] == 0 ? 1 : 0;
    if (comparison)
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) ir[i] = shadow_result[i] != 0 ? 1 : 0;
    store_integers(at.i.type_d, ir.data(), n, memory_.bytes(d));
  }
  if (!shadows_) return;
  if (!floats && !decides(at.i.opcode) && (op.shadows_follow_integers || is_index_arithmetic(at.i))) {
    load_floats(at.i.type_d, memory_.bytes(d), n, fr.data());
    return store_shadows(fr.data(), n, at.size_d, memory_.shadows(d));
  }
  store_shadows(shadow_result.data(), n, at.size_d, memory_.shadows(d));
}

void Executor::convert(const At& at) {
  const bool requant = at.i.opcode == Opcode::vrequant;
  const bool scalar = at.has(isa::flag::b_scalar), relu = at.has(isa::flag::relu);
  const Limits range = limits(at.i.type_d);
  Chunk<std::int64_t> integers;
  Chunk<float> floats, scales;
  Chunk<double> x;
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t len = at.i.len;
    const std::int64_t d = in_bounds(at, at.d(k), len * at.size_d), a = in_bounds(at, at.a(k), len * at.size_a);
    const std::int64_t b = requant ? in_bounds(at, at.b(k), scalar ? 4 : len * 4) : 0;
    std::int64_t done = 0;
    if (!shadows_) {
      const auto* scale = requant ? memory_.bytes(b) : reinterpret_cast<const std::uint8_t*>(&at.i.scale);
      done = convert_many({at.i.type_a, at.i.type_d, memory_.bytes(a), scale, scalar || !requant, relu, at.i.imm,
                           memory_.bytes(d), len});
    }
    for (std::int64_t from = done; from < len; from += chunk) {
      const auto n = static_cast<std::size_t>(std::min<std::int64_t>(chunk, len - from));
      const auto count = static_cast<int>(n);
      const std::uint8_t* bytes = memory_.bytes(a + from * at.size_a);
      if (is_float(at.i.type_a)) {
        load_floats(at.i.type_a, bytes, count, floats.data());
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(floats[i]);
      } else {
        load_integers(at.i.type_a, bytes, count, integers.data());
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(integers[i]);
      }
      if (requant)
        load_floats(ElementType::f32, memory_.bytes(scalar ? b : b + from * 4), scalar ? 1 : count, scales.data());
      for (std::size_t i = 0; i < n; ++i) {
        const float scale = requant ? scales[scalar ? 0 : i] : at.i.scale;
        double y = x[i] * static_cast<double>(scale);
        if (!is_float(at.i.type_d)) y = std::nearbyint(y);
        if (relu && !(y > 0)) y = std::isnan(y) ? y : 0;
        x[i] = y + at.i.imm;
      }
      std::uint8_t* to = memory_.bytes(d + from * at.size_d);
      if (is_float(at.i.type_d)) {
        for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(x[i]);
        store_floats(at.i.type_d, floats.data(), count, to);
      } else {
        for (std::size_t i = 0; i < n; ++i) integers[i] = saturate(x[i], range);
        store_integers(at.i.type_d, integers.data(), count, to);
      }
      if (!shadows_) continue;
      load_shadows(memory_.shadows(a + from * at.size_a), count, at.size_a, floats.data());
      for (std::size_t i = 0; i < n; ++i) {
        floats[i] = floats[i] * at.i.real;
        if (relu && !(floats[i] > 0)) floats[i] = std::isnan(floats[i]) ? floats[i] : 0.0F;
      }
      store_shadows(floats.data(), count, at.size_d, memory_.shadows(d + from * at.size_d));
    }
    wrote(at, d, len * at.size_d);
  }
}

void Executor::clip(const At& at) {
  const float low = at.i.scale, high = at.i.real;
  const auto bounded = [&](float x) { return x < low ? low : x > high ? high : x; };
  Chunk<std::int64_t> integers;
  Chunk<float> floats;
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t len = at.i.len;
    const std::int64_t d = in_bounds(at, at.d(k), len * at.size_d), a = in_bounds(at, at.a(k), len * at.size_a);
    for (std::int64_t from = 0; from < len; from += chunk) {
      const auto n = static_cast<std::size_t>(std::min<std::int64_t>(chunk, len - from));
      const auto count = static_cast<int>(n);
      const std::int64_t to = d + from * at.size_d, source = a + from * at.size_a;
      if (is_float(at.i.type_a)) {
        load_floats(at.i.type_a, memory_.bytes(source), count, floats.data());
        for (std::size_t i = 0; i < n; ++i) floats[i] = bounded(floats[i]);
        store_floats(at.i.type_d, floats.data(), count, memory_.bytes(to));
      } else {
        const Limits range = limits(at.i.type_d);
        const std::int64_t lowest = saturate(std::ceil(static_cast<double>(low)), range);
        const std::int64_t highest = saturate(std::floor(static_cast<double>(high)), range);
        load_integers(at.i.type_a, memory_.bytes(source), count, integers.data());
        for (std::size_t i = 0; i < n; ++i) integers[i] = std::min(std::max(integers[i], lowest), highest);
        store_integers(at.i.type_d, integers.data(), count, memory_.bytes(to));
      }
      if (!shadows_) continue;
      load_shadows(memory_.shadows(source), count, at.size_a, floats.data());
      for (std::size_t i = 0; i < n; ++i) floats[i] = bounded(floats[i]);
      store_shadows(floats.data(), count, at.size_d, memory_.shadows(to));
    }
    wrote(at, d, len * at.size_d);
  }
}

void Executor::fill(const At& at) {
  std::array<std::uint8_t, 8> element{};
  const std::int64_t integer = saturate(std::nearbyint(static_cast<double>(at.i.scale)), limits(at.i.type_d));
  if (is_float(at.i.type_d)) store_floats(at.i.type_d, &at.i.scale, 1, element.data());
  if (!is_float(at.i.type_d)) store_integers(at.i.type_d, &integer, 1, element.data());
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t d = in_bounds(at, at.d(k), static_cast<std::int64_t>(at.i.len) * at.size_d);
    for (std::int64_t n = 0; n < at.i.len; ++n) {
      std::copy_n(element.begin(), at.size_d, memory_.bytes(d + n * at.size_d));
      if (shadows_) *memory_.shadows(d + n * at.size_d) = at.i.real;
    }
    wrote(at, d, static_cast<std::int64_t>(at.i.len) * at.size_d);
  }
}

namespace {

/// Sum, maximum, ... of one segment, elements in order. `at` is the first position of the extreme element.
template <class T>
struct Fold {
  T value{};
  std::int64_t at = 0, seen = 0;
  void take(Opcode op, T x) {
    const std::int64_t position = seen++;
    if (position == 0) {
      value = x;
      return;
    }
    const bool turns_nan = std::isnan(static_cast<double>(x)) && !std::isnan(static_cast<double>(value));
    const bool greater = x > value || turns_nan;
    const bool less = x < value || turns_nan;
    switch (op) {
      case Opcode::vrsum:
      case Opcode::vravg:
      case Opcode::vscan:
        if constexpr (std::is_integral_v<T>)
          value = static_cast<T>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(x));
        else
          value = value + x;
        return;
      case Opcode::vrprod:
        if constexpr (std::is_integral_v<T>)
          value = static_cast<T>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(x));
        else
          value = value * x;
        return;
      case Opcode::vrmax:
      case Opcode::vrargmax:
        if (greater) value = x, at = position;
        return;
      default:
        if (less) value = x, at = position;
        return;
    }
  }
};

/// `sum` / n, rounded half to even.
std::int64_t mean_of(std::int64_t sum, std::int64_t n) {
  std::int64_t low = sum / n, rest = sum % n;
  if (rest < 0) --low, rest += n;
  const bool up = rest > n - rest || (rest == n - rest && low % 2 != 0);
  return up ? low + 1 : low;
}

}  // namespace

void Executor::reduce(const At& at) {
  const bool arg = at.i.opcode == Opcode::vrargmax || at.i.opcode == Opcode::vrargmin;
  const bool floats = is_float(at.i.type_a);
  Chunk<std::int64_t> integers;
  Chunk<float> numbers;
  const std::int64_t out = in_bounds(at, at.d(0), static_cast<std::int64_t>(at.i.count) * at.size_d);
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t len = at.i.len, a = in_bounds(at, at.a(k), len * at.size_a);
    Fold<std::int64_t> integer;
    Fold<float> number, shadow;
    for (std::int64_t from = 0; from < len; from += chunk) {
      const auto n = static_cast<std::size_t>(std::min<std::int64_t>(chunk, len - from));
      const std::int64_t source = a + from * at.size_a;
      if (floats) load_floats(at.i.type_a, memory_.bytes(source), static_cast<int>(n), numbers.data());
      if (!floats) load_integers(at.i.type_a, memory_.bytes(source), static_cast<int>(n), integers.data());
      for (std::size_t i = 0; i < n; ++i)
        floats ? number.take(at.i.opcode, numbers[i]) : integer.take(at.i.opcode, integers[i]);
      if (!shadows_) continue;
      load_shadows(memory_.shadows(source), static_cast<int>(n), at.size_a, numbers.data());
      for (std::size_t i = 0; i < n; ++i) shadow.take(at.i.opcode, numbers[i]);
    }
    if (at.i.opcode == Opcode::vravg) {
      integer.value = mean_of(integer.value, len);
      number.value /= static_cast<float>(len);
      shadow.value /= static_cast<float>(len);
    }
    const std::int64_t to = out + k * at.size_d;
    const std::int64_t position = shadows_ ? shadow.at : floats ? number.at : integer.at;
    if (arg) store_integers(at.i.type_d, &position, 1, memory_.bytes(to));
    if (!arg && floats) store_floats(at.i.type_d, &number.value, 1, memory_.bytes(to));
    if (!arg && !floats) store_integers(at.i.type_d, &integer.value, 1, memory_.bytes(to));
    if (shadows_) *memory_.shadows(to) = arg ? static_cast<float>(position) : shadow.value;
  }
  wrote(at, out, static_cast<std::int64_t>(at.i.count) * at.size_d);
}

void Executor::scan(const At& at) {
  const bool floats = is_float(at.i.type_a);
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t len = at.i.len;
    const std::int64_t d = in_bounds(at, at.d(k), len * at.size_d), a = in_bounds(at, at.a(k), len * at.size_a);
    Fold<std::int64_t> integer;
    Fold<float> number, shadow;
    for (std::int64_t n = 0; n < len; ++n) {
      const std::int64_t source = a + n * at.size_a, to = d + n * at.size_d;
      float real = shadows_ ? *memory_.shadows(source) : 0;
      if (floats) {
        float x = 0;
        load_floats(at.i.type_a, memory_.bytes(source), 1, &x);
        number.take(at.i.opcode, x);
        store_floats(at.i.type_d, &number.value, 1, memory_.bytes(to));
      } else {
        std::int64_t x = 0;
        load_integers(at.i.type_a, memory_.bytes(source), 1, &x);
        integer.take(at.i.opcode, x);
        store_integers(at.i.type_d, &integer.value, 1, memory_.bytes(to));
      }
      shadow.take(at.i.opcode, real);
      if (shadows_) *memory_.shadows(to) = shadow.value;
    }
    wrote(at, d, len * at.size_d);
  }
}

}  // namespace pimento::sim
