// Intervals of integer expressions over ranges of axes, and their inversion: which axes write into a box.
#include <algorithm>
#include <limits>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/scalar_operators.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

/// Beyond any index; far enough from the limits of i64 that sums of a few stay inside.
constexpr std::int64_t far = std::int64_t{1} << 60;
__extension__ using Wide = __int128;

std::int64_t saturate(Wide v) { return static_cast<std::int64_t>(std::clamp<Wide>(v, -far, far)); }

/// Closed interval: low <= v <= high.
struct Closed {
  std::int64_t low = -far, high = far;
};
Closed of_type(ElementType type) {
  if (type == ElementType::boolean) return {0, 1};
  if (is_float(type) || size_of(type) == 8) return {};
  const int bits = 8 * size_of(type);
  if (!is_signed(type)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}
Closed hull(Closed a, Closed b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Closed within(Closed a, Closed b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// Smallest and largest of four corner values.
template <class F>
Closed corners(Closed a, Closed b, const F& f) {
  const Wide v[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  return {saturate(*std::min_element(v, v + 4)), saturate(*std::max_element(v, v + 4))};
}

/// A sum that cannot overflow.
struct WideClosed {
  Wide low = 0, high = 0;
};
WideClosed of_term(Wide coefficient, const Range& axis) {
  const Wide first = coefficient * axis.begin, last = coefficient * (axis.end - 1);
  return coefficient > 0 ? WideClosed{first, last} : WideClosed{last, first};
}
WideClosed of_affine(const AffineForm& f, const std::vector<Range>& axes) {
  WideClosed sum{f.constant, f.constant};
  for (const auto& [axis, coefficient] : f.terms) {
    const WideClosed term = of_term(coefficient, axes[static_cast<std::size_t>(axis)]);
    sum.low += term.low, sum.high += term.high;
  }
  return sum;
}

Closed enclose(const Expr& e, const std::vector<Range>& axes);

Closed of_binary(const Binary& b, ElementType type, const std::vector<Range>& axes) {
  if (binary_operators()[static_cast<std::size_t>(b.op)].kind == OperatorKind::compare) return {0, 1};
  const Closed x = enclose(b.a, axes), y = enclose(b.b, axes);
  switch (b.op) {
    case BinaryOp::add:
      return {saturate(Wide{x.low} + y.low), saturate(Wide{x.high} + y.high)};
    case BinaryOp::sub:
      return {saturate(Wide{x.low} - y.high), saturate(Wide{x.high} - y.low)};
    case BinaryOp::mul:
      return corners(x, y, [](Wide p, Wide q) { return p * q; });
    case BinaryOp::min:
      return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case BinaryOp::max:
      return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case BinaryOp::div:
    case BinaryOp::floor_div:
      if (y.low <= 0) return of_type(type);
      return corners(x, y, [&](Wide p, Wide q) {
        const auto n = static_cast<std::int64_t>(p), d = static_cast<std::int64_t>(q);
        return static_cast<Wide>(b.op == BinaryOp::div ? n / d : integer_floor_div(n, d));
      });
    case BinaryOp::floor_mod:
      if (y.low <= 0) return of_type(type);
      if (y.low == y.high && integer_floor_div(x.low, y.low) == integer_floor_div(x.high, y.low)) {
        const std::int64_t base = integer_floor_div(x.low, y.low) * y.low;
        return {x.low - base, x.high - base};
      }
      return {0, y.high - 1};
    case BinaryOp::rem:
      if (y.low <= 0) return of_type(type);
      return {x.low < 0 ? -(y.high - 1) : 0, x.high > 0 ? y.high - 1 : 0};
    case BinaryOp::bit_and:
      if (x.low >= 0 && y.low >= 0) return {0, std::min(x.high, y.high)};
      return of_type(type);
    default:
      return of_type(type);
  }
}

Closed enclose(const Expr& e, const std::vector<Range>& axes) {
  if (is_float(e.type())) return {};
  if (const AffineForm* const f = affine_form(e, axes.size())) {
    const WideClosed sum = of_affine(*f, axes);
    return {saturate(sum.low), saturate(sum.high)};
  }
  if (const auto* c = e.as<Const>()) return {c->value.integer, c->value.integer};
  if (const auto* t = e.as<Lookup>()) {
    const Closed at = within(enclose(t->index, axes), {0, t->table.elements() - 1});
    if (at.low > at.high) return of_type(e.type());
    Closed r{far, -far};
    for (std::int64_t i = at.low; i <= at.high; ++i) {
      const std::int64_t v = saturate(t->table.at(i).integer);
      r = hull(r, {v, v});
    }
    return r;
  }
  if (const auto* s = e.as<Select>()) return hull(enclose(s->a, axes), enclose(s->b, axes));
  if (const auto* c = e.as<Cast>()) {
    const Closed type = of_type(c->to);
    if (is_float(c->a.type())) return type;
    const Closed from = enclose(c->a, axes);
    return from.low >= type.low && from.high <= type.high ? from : type;
  }
  if (const auto* u = e.as<Unary>()) {
    const Closed a = enclose(u->a, axes);
    switch (u->op) {
      case UnaryOp::neg:
        return within({saturate(-Wide{a.high}), saturate(-Wide{a.low})}, {});
      case UnaryOp::relu:
        return {std::max<std::int64_t>(a.low, 0), std::max<std::int64_t>(a.high, 0)};
      case UnaryOp::abs:
        if (a.low >= 0) return a;
        return {a.high <= 0 ? -a.high : 0, std::max(-a.low, a.high)};
      default:
        return of_type(e.type());
    }
  }
  if (const auto* b = e.as<Binary>()) {
    const Closed type = of_type(e.type());
    const Closed r = of_binary(*b, e.type(), axes);
    return r.low >= type.low && r.high <= type.high ? r : type;  // narrower types may wrap
  }
  return of_type(e.type());
}

/// Narrows the axes so that `e` may lie in [low, high]; true when something changed.
bool constrain(const Expr& e, Closed box, std::vector<Range>& axes) {
  if (const AffineForm* const f = affine_form(e, axes.size())) {
    bool changed = false;
    WideClosed sum = of_affine(*f, axes);
    for (const auto& [k, c] : f->terms) {
      Range& axis = axes[static_cast<std::size_t>(k)];
      if (axis.empty()) continue;
      const WideClosed own = of_term(c, axis);
      const WideClosed others{sum.low - own.low, sum.high - own.high};
      const std::int64_t low = box.low - saturate(others.high), high = box.high - saturate(others.low);  // of c * axis
      const std::int64_t first = c > 0 ? -integer_floor_div(-low, c) : -integer_floor_div(high, -c);
      const std::int64_t last = c > 0 ? integer_floor_div(high, c) : integer_floor_div(-low, -c);
      const Range narrowed{std::max(axis.begin, first), std::min(axis.end, last + 1)};
      changed = changed || !(narrowed == axis);
      axis = narrowed;
      const WideClosed now = of_term(c, narrowed);
      sum = {others.low + now.low, others.high + now.high};
    }
    return changed;
  }
  const auto* b = e.as<Binary>();
  const auto* divisor = b != nullptr ? b->b.as<Const>() : nullptr;
  if (divisor == nullptr || divisor->value.integer <= 0) return false;
  const std::int64_t d = divisor->value.integer;
  if (b->op == BinaryOp::floor_div) {
    return constrain(b->a, {saturate(Wide{box.low} * d), saturate(Wide{box.high} * d + d - 1)}, axes);
  }
  if (b->op == BinaryOp::floor_mod) {  // when the quotient is one value, the remainder is the dividend less a constant
    const Closed a = enclose(b->a, axes);
    const std::int64_t q = integer_floor_div(a.low, d);
    if (q == integer_floor_div(a.high, d)) return constrain(b->a, {box.low + q * d, box.high + q * d}, axes);
  }
  return false;
}

}  // namespace

Range interval(const Expr& e, const std::vector<Range>& axes) {
  for (const Range& r : axes) {
    if (r.empty()) return {};
  }
  const Closed c = enclose(e, axes);
  return {c.low, c.high + 1};
}

std::vector<Range> full_axes(const Kernel& k) {
  std::vector<Range> axes;
  axes.reserve(k.axes.size());
  for (const KernelAxis& a : k.axes) axes.push_back({0, a.extent});
  return axes;
}

std::vector<Range> axes_for(const Kernel& k, int output, const Box& box) {
  const Output& o = k.outputs[static_cast<std::size_t>(output)];
  PIMENTO_CHECK(box.size() == o.map.size(), "the box's rank is not the output's");
  auto axes = full_axes(k);
  if (is_empty(box)) {
    for (Range& r : axes) r.end = r.begin;
    return axes;
  }
  // Each pass may let another one narrow further; mixed-radix maps settle in two, the bound only guards odd maps.
  for (int pass = 0; pass < 8; ++pass) {
    bool changed = false;
    for (std::size_t d = 0; d < box.size(); ++d) {
      changed = constrain(o.map[d], {box[d].begin, box[d].end - 1}, axes) || changed;
    }
    if (!changed) break;
  }
  return axes;
}

}  // namespace pimento::ir
