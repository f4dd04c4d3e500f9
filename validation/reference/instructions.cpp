#include "validation/reference/instructions.hpp"

#include <cmath>

#include "isa/support/math.hpp"
#include "validation/reference/elements.hpp"

namespace pimento::reference {
namespace {

using isa::Instruction;
using isa::Opcode;

std::int64_t wrapping(std::uint64_t x) { return static_cast<std::int64_t>(x); }
std::uint64_t bits(std::int64_t x) { return static_cast<std::uint64_t>(x); }

std::int64_t integer_result(const Instruction& i, std::int64_t a, std::int64_t b, std::int64_t old) {
  switch (i.opcode) {
    case Opcode::vmov:
      return a;
    case Opcode::vadd:
      return wrapping(bits(a) + bits(b));
    case Opcode::vsub:
      return wrapping(bits(a) - bits(b));
    case Opcode::vmul:
      return wrapping(bits(a) * bits(b));
    case Opcode::vmac:
      return wrapping(bits(old) + bits(a) * bits(b));
    case Opcode::vdiv:
    case Opcode::vmod: {
      if (b == 0) throw UserError("reference: an integer is divided by zero");
      if (b == -1) return i.opcode == Opcode::vdiv ? wrapping(-bits(a)) : 0;
      if (i.opcode == Opcode::vdiv) return a / b;
      const std::int64_t rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Opcode::vmax:
      return std::max(a, b);
    case Opcode::vmin:
      return std::min(a, b);
    case Opcode::vand:
      return a & b;
    case Opcode::vor:
      return a | b;
    case Opcode::vxor:
      return a ^ b;
    case Opcode::vnot:
      return i.type_d == ElementType::boolean ? (a == 0 ? 1 : 0) : ~a;
    case Opcode::vshl:
      return b < 0 || b > 63 ? 0 : wrapping(bits(a) << b);
    case Opcode::vshr:
      return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
    case Opcode::veq:
      return a == b;
    case Opcode::vne:
      return a != b;
    case Opcode::vlt:
      return a < b;
    case Opcode::vle:
      return a <= b;
    case Opcode::vsel:
      return a != 0 ? b : old;
    case Opcode::vneg:
      return wrapping(-bits(a));
    case Opcode::vabs:
      return a < 0 ? wrapping(-bits(a)) : a;
    case Opcode::vrelu:
      return std::max<std::int64_t>(a, 0);
    case Opcode::vtanh:
    case Opcode::vsigm: {  // n stands for n / 2^(w-1)
      const auto unit = [](ElementType t) { return std::ldexp(1.0F, 8 * size_of(t) - 1); };
      const float x = static_cast<float>(a) / unit(i.type_a);
      const float y = (i.opcode == Opcode::vtanh ? math::tanh(x) : math::sigmoid(x)) * unit(i.type_d);
      return saturated(i.type_d, std::nearbyint(static_cast<double>(y)));
    }
    default:
      throw UserError("reference: no integer meaning for '" + isa::print(i) + "'");
  }
}

float real_result(const Instruction& i, float a, float b, float old) {
  switch (i.opcode) {
    case Opcode::vmov:
      return a;
    case Opcode::vadd:
      return a + b;
    case Opcode::vsub:
      return a - b;
    case Opcode::vmul:
      return a * b;
    case Opcode::vmac:
      return old + a * b;
    case Opcode::vdiv:
      return a / b;
    case Opcode::vmod: {
      const float rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Opcode::vmax:
      return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b;
    case Opcode::vmin:
      return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b;
    case Opcode::vpow:
      return math::pow(a, b);
    case Opcode::veq:
      return a == b ? 1.0F : 0.0F;
    case Opcode::vne:
      return a != b ? 1.0F : 0.0F;
    case Opcode::vlt:
      return a < b ? 1.0F : 0.0F;
    case Opcode::vle:
      return a <= b ? 1.0F : 0.0F;
    case Opcode::vsel:
      return a != 0 ? b : old;
    case Opcode::vneg:
      return -a;
    case Opcode::vabs:
      return std::fabs(a);
    case Opcode::vrelu:
      return a > 0 || std::isnan(a) ? a : 0.0F;
    case Opcode::vexp:
      return math::exp(a);
    case Opcode::vlog:
      return math::log(a);
    case Opcode::vsqrt:
      return math::sqrt(a);
    case Opcode::vrsqrt:
      return math::rsqrt(a);
    case Opcode::vrecip:
      return 1.0F / a;
    case Opcode::verf:
      return math::erf(a);
    case Opcode::vtanh:
      return math::tanh(a);
    case Opcode::vsigm:
      return math::sigmoid(a);
    case Opcode::vsin:
      return math::sin(a);
    case Opcode::vcos:
      return math::cos(a);
    case Opcode::vfloor:
      return std::floor(a);
    case Opcode::vceil:
      return std::ceil(a);
    case Opcode::vround:
      return std::nearbyint(a);
    default:
      throw UserError("reference: no real meaning for '" + isa::print(i) + "'");
  }
}

/// sat(round half even(a * scale) + zero point)
void convert(const Instruction& i, const Operands& x, std::uint8_t* to) {
  const double a = is_float(i.type_a) ? static_cast<double>(read_float(i.type_a, x.a))
                                      : static_cast<double>(read_integer(i.type_a, x.a));
  double y = a * static_cast<double>(i.opcode == Opcode::vrequant ? read_float(ElementType::f32, x.b) : i.scale);
  if (!is_float(i.type_d)) y = std::nearbyint(y);
  if ((i.flags & isa::flag::relu) != 0 && y <= 0) y = 0;
  y += i.imm;
  if (is_float(i.type_d))
    write_float(i.type_d, to, static_cast<float>(y));
  else
    write_integer(i.type_d, to, saturated(i.type_d, y));
}

void clip(const Instruction& i, const Operands& x, std::uint8_t* to) {
  if (is_float(i.type_a)) {
    const float a = read_float(i.type_a, x.a);
    return write_float(i.type_d, to, a < i.scale ? i.scale : a > i.real ? i.real : a);
  }
  const std::int64_t low = saturated(i.type_d, std::ceil(static_cast<double>(i.scale)));
  const std::int64_t high = saturated(i.type_d, std::floor(static_cast<double>(i.real)));
  write_integer(i.type_d, to, std::min(std::max(read_integer(i.type_a, x.a), low), high));
}

}  // namespace

void write_result(const Instruction& i, const Operands& x, std::uint8_t* to) {
  switch (isa::row(i.opcode).form) {
    case isa::Form::convert:
    case isa::Form::requant:
      return convert(i, x, to);
    case isa::Form::clip:
      return clip(i, x, to);
    case isa::Form::fill:
      if (is_float(i.type_d)) return write_float(i.type_d, to, i.scale);
      return write_integer(i.type_d, to, saturated(i.type_d, std::nearbyint(static_cast<double>(i.scale))));
    default:
      break;
  }
  const bool has_b = x.b != nullptr;
  const bool ternary = isa::row(i.opcode).form == isa::Form::ternary;
  if (!is_float(i.opcode == Opcode::vsel ? i.type_b : i.type_a)) {
    const std::int64_t b = has_b ? read_integer(i.type_b, x.b) : 0;
    return write_integer(i.type_d, to,
                         integer_result(i, read_integer(i.type_a, x.a), b, ternary ? read_integer(i.type_d, to) : 0));
  }
  const float b = has_b ? read_float(i.type_b, x.b) : 0;
  const float y = real_result(i, read_float(i.type_a, x.a), b, ternary ? read_float(i.type_d, to) : 0);
  if (is_float(i.type_d))
    write_float(i.type_d, to, y);
  else
    write_integer(i.type_d, to, y != 0 ? 1 : 0);
}

void Fold::take(const Operands& x) {
  const std::int64_t position = seen_++;
  const bool first = position == 0;
  if (is_float(i_.type_a)) {
    const float a = read_float(i_.type_a, x.a);
    const bool replaces = std::isnan(a) && !std::isnan(real_);
    switch (i_.opcode) {
      case Opcode::vdot:
        real_ = real_ + a * read_float(i_.type_b, x.b);
        return;
      case Opcode::vrprod:
        real_ = first ? a : real_ * a;
        return;
      case Opcode::vrmax:
      case Opcode::vrargmax:
        if (first || a > real_ || replaces) real_ = a, at_ = position;
        return;
      case Opcode::vrmin:
      case Opcode::vrargmin:
        if (first || a < real_ || replaces) real_ = a, at_ = position;
        return;
      default:
        real_ = first ? a : real_ + a;
        return;
    }
  }
  const std::int64_t a = read_integer(i_.type_a, x.a);
  switch (i_.opcode) {
    case Opcode::vdot:
      integer_ = wrapping(bits(integer_) + bits(a) * bits(read_integer(i_.type_b, x.b)));
      return;
    case Opcode::vrprod:
      integer_ = first ? a : wrapping(bits(integer_) * bits(a));
      return;
    case Opcode::vrmax:
    case Opcode::vrargmax:
      if (first || a > integer_) integer_ = a, at_ = position;
      return;
    case Opcode::vrmin:
    case Opcode::vrargmin:
      if (first || a < integer_) integer_ = a, at_ = position;
      return;
    default:
      integer_ = wrapping(bits(integer_) + bits(a));
      return;
  }
}

void Fold::write(std::uint8_t* to) const {
  if (i_.opcode == Opcode::vrargmax || i_.opcode == Opcode::vrargmin) return write_integer(i_.type_d, to, at_);
  if (is_float(i_.type_a))
    return write_float(i_.type_d, to, i_.opcode == Opcode::vravg ? real_ / static_cast<float>(seen_) : real_);
  if (i_.opcode != Opcode::vravg) return write_integer(i_.type_d, to, integer_);
  std::int64_t mean = integer_ / seen_, rest = integer_ % seen_;  // to nearest, halves to even
  if (rest < 0) --mean, rest += seen_;
  if (2 * rest > seen_ || (2 * rest == seen_ && mean % 2 != 0)) ++mean;
  write_integer(i_.type_d, to, mean);
}

}  // namespace pimento::reference
