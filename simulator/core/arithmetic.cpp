#include "simulator/core/arithmetic.hpp"

#include <array>
#include <cmath>

#include "isa/support/math.hpp"

namespace pimento::sim {
namespace {

using isa::Opcode;
using I = std::int64_t;
using U = std::uint64_t;

I wrapped(U value) { return static_cast<I>(value); }
U raw(I value) { return static_cast<U>(value); }

template <auto F>
void map_integers(const IntegerArguments& x) {
  for (int i = 0; i < x.n; ++i) x.r[i] = F(x.a[i], x.b[i], x.r[i]);
}
template <auto F>
void map_floats(const FloatArguments& x) {
  for (int i = 0; i < x.n; ++i) x.r[i] = F(x.a[i], x.b[i], x.r[i]);
}

// Integers. A divisor of zero never comes here: the executor has stopped the run.
I add(I a, I b, I) { return wrapped(raw(a) + raw(b)); }
I sub(I a, I b, I) { return wrapped(raw(a) - raw(b)); }
I mul(I a, I b, I) { return wrapped(raw(a) * raw(b)); }
I div(I a, I b, I) { return b == -1 ? wrapped(U{0} - raw(a)) : a / b; }
I mod(I a, I b, I) {
  if (b == -1) return 0;
  const I rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
I max(I a, I b, I) { return a > b ? a : b; }
I min(I a, I b, I) { return a < b ? a : b; }
I mac(I a, I b, I d) { return wrapped(raw(d) + raw(a) * raw(b)); }
I bit_and(I a, I b, I) { return a & b; }
I bit_or(I a, I b, I) { return a | b; }
I bit_xor(I a, I b, I) { return a ^ b; }
I shl(I a, I b, I) { return b < 0 || b > 63 ? 0 : wrapped(raw(a) << b); }
I shr(I a, I b, I) { return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b; }
I bit_not(I a, I, I) { return ~a; }
I eq(I a, I b, I) { return a == b ? 1 : 0; }
I ne(I a, I b, I) { return a != b ? 1 : 0; }
I lt(I a, I b, I) { return a < b ? 1 : 0; }
I le(I a, I b, I) { return a <= b ? 1 : 0; }
I sel(I a, I b, I d) { return a != 0 ? b : d; }
I neg(I a, I, I) { return wrapped(U{0} - raw(a)); }
I abs(I a, I, I) { return a < 0 ? wrapped(U{0} - raw(a)) : a; }
I relu(I a, I, I) { return a > 0 ? a : 0; }
I same(I a, I, I) { return a; }

float fadd(float a, float b, float) { return a + b; }
float fsub(float a, float b, float) { return a - b; }
float fmul(float a, float b, float) { return a * b; }
float fdiv(float a, float b, float) { return a / b; }
float fmodulo(float a, float b, float) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
/// A NaN wins, so it cannot be lost in a maximum.
float fmax(float a, float b, float) { return a > b || std::isnan(a) ? a : b; }
float fmin(float a, float b, float) { return a < b || std::isnan(a) ? a : b; }
float fpow(float a, float b, float) { return math::pow(a, b); }
float fmac(float a, float b, float d) { return d + a * b; }
float feq(float a, float b, float) { return a == b ? 1.0F : 0.0F; }
float fne(float a, float b, float) { return a != b ? 1.0F : 0.0F; }
float flt(float a, float b, float) { return a < b ? 1.0F : 0.0F; }
float fle(float a, float b, float) { return a <= b ? 1.0F : 0.0F; }
float fsel(float a, float b, float d) { return a != 0 ? b : d; }
float fneg(float a, float, float) { return -a; }
float fabsolute(float a, float, float) { return std::fabs(a); }
float frelu(float a, float, float) { return a > 0 || std::isnan(a) ? a : 0.0F; }
float fsame(float a, float, float) { return a; }
float fexp(float a, float, float) { return math::exp(a); }
float flog(float a, float, float) { return math::log(a); }
float fsqrt(float a, float, float) { return math::sqrt(a); }
float frsqrt(float a, float, float) { return math::rsqrt(a); }
float frecip(float a, float, float) { return 1.0F / a; }
float ferf(float a, float, float) { return math::erf(a); }
float ftanh(float a, float, float) { return math::tanh(a); }
float fsigm(float a, float, float) { return math::sigmoid(a); }
float fsin(float a, float, float) { return math::sin(a); }
float fcos(float a, float, float) { return math::cos(a); }
float ffloor(float a, float, float) { return std::floor(a); }
float fceil(float a, float, float) { return std::ceil(a); }
float fround(float a, float, float) { return math::round_half_even(a); }

struct Table {
  std::array<Elementwise, 256> of{};
  template <auto IntegerFunction, auto FloatFunction>
  void both(Opcode op) {
    of[static_cast<std::size_t>(op)] = {map_integers<IntegerFunction>, map_floats<FloatFunction>, false};
  }
  template <auto IntegerFunction>
  void integers(Opcode op) {
    of[static_cast<std::size_t>(op)] = {map_integers<IntegerFunction>, nullptr, true};
  }
  template <auto FloatFunction>
  void floats(Opcode op) {
    of[static_cast<std::size_t>(op)] = {nullptr, map_floats<FloatFunction>, false};
  }
  Table() {
    both<same, fsame>(Opcode::vmov);
    both<add, fadd>(Opcode::vadd), both<sub, fsub>(Opcode::vsub), both<mul, fmul>(Opcode::vmul);
    both<div, fdiv>(Opcode::vdiv), both<mod, fmodulo>(Opcode::vmod);
    both<max, fmax>(Opcode::vmax), both<min, fmin>(Opcode::vmin), both<mac, fmac>(Opcode::vmac);
    floats<fpow>(Opcode::vpow);
    integers<bit_and>(Opcode::vand), integers<bit_or>(Opcode::vor), integers<bit_xor>(Opcode::vxor);
    integers<shl>(Opcode::vshl), integers<shr>(Opcode::vshr), integers<bit_not>(Opcode::vnot);
    both<eq, feq>(Opcode::veq), both<ne, fne>(Opcode::vne), both<lt, flt>(Opcode::vlt), both<le, fle>(Opcode::vle);
    both<sel, fsel>(Opcode::vsel);
    both<neg, fneg>(Opcode::vneg), both<abs, fabsolute>(Opcode::vabs), both<relu, frelu>(Opcode::vrelu);
    floats<fexp>(Opcode::vexp), floats<flog>(Opcode::vlog), floats<fsqrt>(Opcode::vsqrt);
    floats<frsqrt>(Opcode::vrsqrt), floats<frecip>(Opcode::vrecip), floats<ferf>(Opcode::verf);
    floats<ftanh>(Opcode::vtanh), floats<fsigm>(Opcode::vsigm), floats<fsin>(Opcode::vsin), floats<fcos>(Opcode::vcos);
    floats<ffloor>(Opcode::vfloor), floats<fceil>(Opcode::vceil), floats<fround>(Opcode::vround);
  }
};

}  // namespace

const Elementwise& elementwise(Opcode opcode) {
  static const Table table;
  return table.of[static_cast<std::size_t>(opcode)];
}

}  // namespace pimento::sim
