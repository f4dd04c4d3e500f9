// Scalar operators as vector instructions. Constants multiply into a term's meaning; accumulators take constants in
// their own integer scale; all else happens in the working format.
#include <fmt/format.h>

#include <limits>

#include "compiler/drivers/pim/lower/other_functions.hpp"
#include "compiler/drivers/pim/lower/terms.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

std::optional<Opcode> function_of(ir::UnaryOp op) {
  using ir::UnaryOp;
  switch (op) {
    case UnaryOp::abs:
      return Opcode::vabs;
    case UnaryOp::floor:
      return Opcode::vfloor;
    case UnaryOp::ceil:
      return Opcode::vceil;
    case UnaryOp::round:
      return Opcode::vround;
    case UnaryOp::sqrt:
      return Opcode::vsqrt;
    case UnaryOp::rsqrt:
      return Opcode::vrsqrt;
    case UnaryOp::recip:
      return Opcode::vrecip;
    case UnaryOp::exp:
      return Opcode::vexp;
    case UnaryOp::log:
      return Opcode::vlog;
    case UnaryOp::erf:
      return Opcode::verf;
    case UnaryOp::tanh:
      return Opcode::vtanh;
    case UnaryOp::sigmoid:
      return Opcode::vsigm;
    case UnaryOp::sin:
      return Opcode::vsin;
    case UnaryOp::cos:
      return Opcode::vcos;
    default:
      return {};
  }
}
std::optional<Opcode> opcode_of(ir::BinaryOp op) {
  using ir::BinaryOp;
  switch (op) {
    case BinaryOp::add:
      return Opcode::vadd;
    case BinaryOp::sub:
      return Opcode::vsub;
    case BinaryOp::mul:
      return Opcode::vmul;
    case BinaryOp::div:
      return Opcode::vdiv;
    case BinaryOp::min:
      return Opcode::vmin;
    case BinaryOp::max:
      return Opcode::vmax;
    case BinaryOp::pow:
      return Opcode::vpow;
    case BinaryOp::floor_mod:
      return Opcode::vmod;
    case BinaryOp::bit_and:
      return Opcode::vand;
    case BinaryOp::bit_or:
      return Opcode::vor;
    case BinaryOp::bit_xor:
      return Opcode::vxor;
    case BinaryOp::shift_left:
      return Opcode::vshl;
    case BinaryOp::shift_right:
      return Opcode::vshr;
    default:
      return {};
  }
}
bool commutes(Opcode op) {
  return op == Opcode::vadd || op == Opcode::vmul || op == Opcode::vmin || op == Opcode::vmax || op == Opcode::vand ||
         op == Opcode::vor || op == Opcode::vxor;
}
bool is_comparison(ir::BinaryOp op) {
  return ir::binary_operators()[static_cast<std::size_t>(op)].kind == ir::OperatorKind::compare;
}
/// Works on integers that share a scale, so also without floats.
bool keeps_scale(Opcode op) {
  return op == Opcode::vadd || op == Opcode::vsub || op == Opcode::vmin || op == Opcode::vmax;
}
}  // namespace

Term Terms::scaled(Term term, double by) {
  if (term.meaning.relu && by <= 0) {
    const Format format = work_;
    View view = plain(term, format);
    term = {};
    term.view = std::move(view);
    term.meaning.scale = format.scale;
  }
  term.meaning.scale *= by;
  term.meaning.factor *= by;
  return term;
}

Term Terms::function(Opcode opcode, const Term& a) {
  require_f32(isa::row(opcode).name);
  return defer(instruction(opcode, ElementType::f32, ElementType::f32), plain(a, work_));
}

Term Terms::truncated(const Term& term) {
  require_f32("truncation");
  const View x = plain(term, work_), zero = known_view(ir::constant(ElementType::f32, 0), work_, false);
  const View below = builder_.scratch(ElementType::boolean, nest_), result = builder_.scratch(ElementType::f32, nest_);
  const View up = builder_.scratch(ElementType::f32, nest_);
  builder_.emit(instruction(Opcode::vlt, ElementType::boolean, ElementType::f32, ElementType::f32), nest_, below, x,
                zero);
  builder_.emit(instruction(Opcode::vfloor, ElementType::f32, ElementType::f32), nest_, result, x);
  builder_.emit(instruction(Opcode::vceil, ElementType::f32, ElementType::f32), nest_, up, x);
  builder_.emit(instruction(Opcode::vsel, ElementType::f32, ElementType::boolean, ElementType::f32), nest_, result,
                below, up);
  Term whole;
  whole.view = result;
  return whole;
}

Term Terms::unary(const ir::Unary& x) {
  using ir::UnaryOp;
  if (x.op == UnaryOp::is_nan) return compare({ir::BinaryOp::ne, x.a, x.a});
  Term a = evaluate(x.a);
  const ElementType type = x.a.type();
  if (x.op == UnaryOp::logical_not) {
    const Format format = work(type);
    return defer(instruction(Opcode::vnot, format.type, format.type), plain(a, format));
  }
  if (x.op == UnaryOp::relu) {
    Term result = force(a);
    if (result.meaning.scale > 0) {
      result.meaning.relu = true;
      return result;
    }
    const Format format = work(type);
    return defer(instruction(Opcode::vrelu, format.type, format.type), plain(a, format), {}, format.scale);
  }
  if (x.op == UnaryOp::neg && is_float(type)) return scaled(force(a), -1);
  if (x.op == UnaryOp::neg || (x.op == UnaryOp::abs && work(type).type != ElementType::f32)) {
    const Format format = work(type);
    const Opcode op = x.op == UnaryOp::neg ? Opcode::vneg : Opcode::vabs;
    return defer(instruction(op, format.type, format.type), plain(a, format), {}, format.scale);
  }
  if (x.op == UnaryOp::trunc) return truncated(a);
  if (x.op == UnaryOp::sign) {  // (x > 0) - (x < 0)
    const ir::Expr zero = ir::Const::make(ir::Scalar::of(type, 0));
    const Format format = work(type);
    const View above = plain(compare({ir::BinaryOp::gt, x.a, zero}), {ElementType::boolean, 1});
    const View below = plain(compare({ir::BinaryOp::lt, x.a, zero}), {ElementType::boolean, 1});
    Term p, n;
    p.view = above, n.view = below;
    return arithmetic(Opcode::vsub, {format.type, is_float(type) ? format.scale : 1}, p, n, false);
  }
  if (x.op == UnaryOp::tan)
    return arithmetic(Opcode::vdiv, work_, function(Opcode::vsin, a), function(Opcode::vcos, a), false);
  if (const auto opcode = function_of(x.op)) return function(*opcode, a);
  if (const ir::Expr other = in_other_functions(x)) return evaluate(other);
  refuse(fmt::format("no instruction sequence for '{}'", ir::unary_operators()[static_cast<std::size_t>(x.op)].name));
}

Term Terms::arithmetic(Opcode opcode, Format format, const Term& a, const Term& b, bool may_swap) {
  View x = plain(a, format), y = plain(b, format);
  if (may_swap && repeats_on_lane(x)) std::swap(x, y);
  return defer(instruction(opcode, format.type, format.type, format.type), first_operand(x, y), y, format.scale);
}

/// Only the second operand of an instruction may be one element per segment.
View Terms::first_operand(const View& a, const View& b) {
  return repeats_on_lane(a) && !repeats_on_lane(b) ? spread(a) : a;
}

/// An operation with a compile-time operand that needs no instruction, or one in the other operand's own scale.
std::optional<Term> Terms::with_known(const ir::Binary& x, const Term& a, const Term& b) {
  using ir::BinaryOp;
  if (!is_float(x.a.type())) return {};
  const Term& known = a.known ? a : b;
  const Term& other = a.known ? b : a;
  if (!known.known || other.known) return {};
  const bool uniform = is_uniform(known);
  const double value = uniform ? uniform_value(known) : 0;
  if (uniform && x.op == BinaryOp::mul && value != 0) return scaled(force(other), value);
  if (uniform && x.op == BinaryOp::div && b.known && value != 0) return scaled(force(other), 1 / value);
  if (uniform && x.op == BinaryOp::add && value == 0) return other;
  if (uniform && x.op == BinaryOp::max && value == 0 && other.meaning.scale > 0) {
    Term result = force(other);
    result.meaning.relu = true;
    return result;
  }
  if (uniform && x.op == BinaryOp::pow && b.known && (value == 2 || value == 1)) {
    return value == 1 ? other : arithmetic(Opcode::vmul, work_, other, other, false);
  }
  if (uniform && x.op == BinaryOp::pow && b.known && value == 0.5) return function(Opcode::vsqrt, other);
  // accumulator + constant, in the accumulator's scale
  const bool adds = x.op == BinaryOp::add || (x.op == BinaryOp::sub && b.known);
  if (!adds || other.type() != ElementType::i32 || other.meaning.relu || other.meaning.factor != 1) return {};
  if (!other.meaning.columns && other.format() == work_) return {};
  const Term acc = force(other);
  std::vector<bool> used(domain_.size());
  constants_.mark_axes(known.known, used);
  std::vector<std::int64_t> step_of(domain_.size());
  for (std::size_t d = 0; d < dims_.size() && acc.meaning.columns; ++d) {
    const auto axis = static_cast<std::size_t>(dims_[d]);
    step_of[axis] = acc.column_steps[d];
    if (acc.column_steps[d] != 0) used[axis] = true;
  }
  // The stored number is value / scale of its column; its real value is the value itself.
  const auto real_at = [&](const Point& p) { return constants_.at(known.known, p).as_double(); };
  const auto column_at = [&](const Point& p) {
    if (!acc.meaning.columns) return 1.0;
    std::int64_t column = acc.column_origin;
    for (std::size_t i = 0; i < p.size(); ++i) column += step_of[i] * (p[i] - domain_[i].begin);
    return (*acc.meaning.columns)[static_cast<std::size_t>(column)];
  };
  const View addend =
      known_view(used, {ElementType::i32, acc.meaning.scale}, real_at, column_at, {known.known, column_key(acc)});
  const Opcode op = x.op == BinaryOp::add ? Opcode::vadd : Opcode::vsub;
  Term sum = defer(instruction(op, ElementType::i32, ElementType::i32, ElementType::i32), acc.view, addend);
  sum.meaning = acc.meaning;
  sum.column_steps = acc.column_steps;
  sum.column_origin = acc.column_origin;
  return sum;
}

/// Product of two stored 8- or 16-bit integers: exact in i32, its scale the product of theirs.
std::optional<Term> Terms::narrow_product(const Term& a, const Term& b) {
  const auto narrow = [](const Term& t) {
    return !t.known && !is_float(t.type()) && t.type() != ElementType::boolean && size_of(t.type()) <= 2 &&
           !t.meaning.relu && !t.meaning.columns;
  };
  if (!narrow(a) || !narrow(b) || size_of(a.type()) + size_of(b.type()) > 3) return {};
  Term x = force(a), y = force(b);
  if (repeats_on_lane(x.view)) std::swap(x, y);
  const auto form = instruction(Opcode::vmul, ElementType::i32, x.type(), y.type());
  Term product = defer(form, x.view, y.view, x.meaning.scale * y.meaning.scale);
  product.meaning.factor = x.meaning.factor * y.meaning.factor;
  return product;
}

Term Terms::clipped(const Term& a, const Term& low, const Term& high) {
  auto clip = instruction(Opcode::vclip, ElementType::f32, ElementType::f32);
  clip.real = static_cast<float>(uniform_value(high));
  clip.scale = std::min(static_cast<float>(uniform_value(low)), clip.real);  // limits that cross: everything is `high`
  return defer(clip, plain(a, work_));
}

Term Terms::integer_division(const ir::Binary& x, const Term& a, const Term& b) {
  const Format format{ElementType::i32, 1};
  if (x.op == ir::BinaryOp::floor_div) {  // (a - a mod b) / b is exact, so rounding towards zero does not show
    const Term rest = arithmetic(Opcode::vmod, format, a, b, false);
    return arithmetic(Opcode::vdiv, format, arithmetic(Opcode::vsub, format, a, rest, false), b, false);
  }
  // remainder towards zero: a - (a / b) * b
  const Term quotient = arithmetic(Opcode::vdiv, format, a, b, false);
  return arithmetic(Opcode::vsub, format, a, arithmetic(Opcode::vmul, format, quotient, b, true), false);
}

Term Terms::binary(const ir::Binary& x) {
  using ir::BinaryOp;
  if (is_comparison(x.op)) return compare(x);
  const ElementType type = x.a.type();
  if (x.op == BinaryOp::min && type == ElementType::f32 && work_.type == ElementType::f32) {
    const auto* inner = x.a.as<ir::Binary>();
    if (inner != nullptr && inner->op == BinaryOp::max && !constants_.known(x.a)) {
      const Term low = evaluate(inner->b), high = evaluate(x.b);
      if (low.known && high.known && is_uniform(low) && is_uniform(high)) return clipped(evaluate(inner->a), low, high);
    }
  }
  const Term a = evaluate(x.a), b = evaluate(x.b);
  if (auto term = with_known(x, a, b)) return *term;
  const Format format = work(type);
  if (!is_float(type) && (x.op == BinaryOp::floor_div || x.op == BinaryOp::rem)) return integer_division(x, a, b);
  if (x.op == BinaryOp::rem) return evaluate(x.a - ir::unary(ir::UnaryOp::trunc, x.a / x.b) * x.b);
  if (x.op == BinaryOp::floor_div) return function(Opcode::vfloor, arithmetic(Opcode::vdiv, format, a, b, false));
  const auto opcode = opcode_of(x.op);
  if (!opcode)
    refuse(
        fmt::format("no instruction sequence for '{}'", ir::binary_operators()[static_cast<std::size_t>(x.op)].name));
  if (is_float(type) && format.type != ElementType::f32 && !keeps_scale(*opcode)) {
    if (*opcode == Opcode::vmul) {
      if (auto product = narrow_product(a, b)) return *product;
    }
    require_f32(isa::row(*opcode).name);
  }
  if (*opcode == Opcode::vpow) {
    require_f32("power");
    Term power = arithmetic(Opcode::vpow, work_, a, b, false);
    if (is_float(type)) return power;
    Term whole;
    whole.view = plain(power, {ElementType::i32, 1});
    return whole;
  }
  return arithmetic(*opcode, format, a, b, commutes(*opcode));
}

Term Terms::compare(const ir::Binary& x) {
  using ir::BinaryOp;
  if (x.op == BinaryOp::gt) return compare({BinaryOp::lt, x.b, x.a});
  if (x.op == BinaryOp::ge) return compare({BinaryOp::le, x.b, x.a});
  const Opcode opcode = x.op == BinaryOp::eq   ? Opcode::veq
                        : x.op == BinaryOp::ne ? Opcode::vne
                        : x.op == BinaryOp::lt ? Opcode::vlt
                                               : Opcode::vle;
  const Term a = evaluate(x.a), b = evaluate(x.b);
  const Format format = work(x.a.type());
  const View left = plain(a, format), right = plain(b, format);
  return defer(instruction(opcode, ElementType::boolean, format.type, format.type), first_operand(left, right), right);
}

Term Terms::select(const ir::Select& x) {
  const Format format = work(x.a.type());
  const Term yes = evaluate(x.a), no = force(evaluate(x.b));
  View condition = plain(evaluate(x.condition), {ElementType::boolean, 1});
  const View first = plain(yes, format);
  // Dimensions along which nothing moves are computed once.
  Extents nest = without_repeats(condition, first);
  if (no.known && !is_uniform(no)) nest = nest_;
  for (std::size_t d = 0; d < nest.size() && !no.known; ++d) {
    if (!(no.view.steps[d] == Stride{})) nest[d] = nest_[d];
  }
  const View result = repeated_scratch(format.type, nest);
  if (repeats_on_lane(condition) && !repeats_on_lane(result)) condition = spread(condition);
  if (no.known)
    store_known(no, result, format, nest);
  else
    convert(no, result, format, nest);
  const auto form = instruction(Opcode::vsel, format.type, ElementType::boolean, format.type);
  builder_.emit(form, nest, result, condition, first);
  Term term;
  term.view = result;
  term.meaning.scale = format.scale;
  return term;
}

Term Terms::cast(const ir::Cast& x) {
  Term a = evaluate(x.a);
  const ElementType from = x.a.type();
  if (from == x.to || (is_float(from) && is_float(x.to))) return a;
  if (x.to == ElementType::boolean) return compare({ir::BinaryOp::ne, x.a, ir::Const::make(ir::Scalar::of(from, 0))});
  if (is_float(from)) {
    const auto* rounding = x.a.as<ir::Unary>();
    const bool is_whole =
        rounding != nullptr && (rounding->op == ir::UnaryOp::round || rounding->op == ir::UnaryOp::floor ||
                                rounding->op == ir::UnaryOp::ceil || rounding->op == ir::UnaryOp::trunc);
    Term whole = is_whole ? a : truncated(a);
    if (!is_float(x.to) && size_of(x.to) <= 2) {  // saturates; the wider types hold what is computed here
      auto clip = instruction(Opcode::vclip, ElementType::f32, ElementType::f32);
      const int bits = 8 * size_of(x.to);
      clip.scale = is_signed(x.to) ? -static_cast<float>(1 << (bits - 1)) : 0.0F;
      clip.real = static_cast<float>((1 << (is_signed(x.to) ? bits - 1 : bits)) - 1);
      whole = defer(clip, plain(whole, work_));
    }
    Term integer;
    integer.view = plain(whole, {ElementType::i32, 1});
    return integer;
  }
  return a;  // integers, and bool as 0 or 1: the same numbers
}

}  // namespace pimento::pim
