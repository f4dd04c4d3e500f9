#include "compiler/drivers/pim/lower/other_functions.hpp"

#include <limits>
#include <numbers>

namespace pimento::pim {
namespace {
using ir::BinaryOp;
using ir::Expr;
using ir::UnaryOp;

Expr of(UnaryOp op, const Expr& e) { return ir::unary(op, e); }
Expr number(const Expr& like, double value) { return ir::constant(like.type(), value); }

/// atan, taken to |z| <= tan(pi / 8): atan(t) = pi / 2 - atan(1 / t), atan(z) = pi / 4 + atan((z - 1) / (z + 1)). There
/// the polynomial of Cephes (S. L. Moshier, atanf) is right to 2 units in the last place of f32.
Expr arc_tangent(const Expr& x) {
  const Expr t = of(UnaryOp::abs, x);
  const Expr large = ir::binary(BinaryOp::gt, t, number(x, 1));
  const Expr z = ir::Select::make(large, 1.0 / t, t);
  const Expr upper = ir::binary(BinaryOp::gt, z, number(x, std::numbers::sqrt2 - 1));
  const Expr u = ir::Select::make(upper, (z - 1.0) / (z + 1.0), z);
  const Expr w = u * u;
  const Expr polynomial =
      (((w * 8.05374449538e-2 - 1.38776856032e-1) * w + 1.99777106478e-1) * w - 3.33329491539e-1) * w * u + u;
  const Expr within = polynomial + ir::Select::make(upper, number(x, std::numbers::pi / 4), number(x, 0));
  return ir::Select::make(large, (std::numbers::pi / 2) - within, within) * of(UnaryOp::sign, x);
}
/// At 1 and -1 the quotient is infinite and the tangent's angle a right one.
Expr arc_sine(const Expr& x) { return arc_tangent(x / of(UnaryOp::sqrt, (1.0 - x) * (x + 1.0))); }

}  // namespace

Expr in_other_functions(const ir::Unary& f) {
  const Expr& x = f.a;
  switch (f.op) {
    case UnaryOp::asin:
      return arc_sine(x);
    case UnaryOp::acos:
      return (std::numbers::pi / 2) - arc_sine(x);
    case UnaryOp::atan:
      return arc_tangent(x);
    case UnaryOp::sinh:
      return (of(UnaryOp::exp, x) - of(UnaryOp::exp, -x)) * 0.5;
    case UnaryOp::cosh:
      return (of(UnaryOp::exp, x) + of(UnaryOp::exp, -x)) * 0.5;
    case UnaryOp::asinh:
      return of(UnaryOp::log, x + of(UnaryOp::sqrt, x * x + 1.0));
    case UnaryOp::acosh:
      return of(UnaryOp::log, x + of(UnaryOp::sqrt, x * x - 1.0));
    case UnaryOp::atanh:
      return of(UnaryOp::log, (1.0 + x) / (1.0 - x)) * 0.5;
    case UnaryOp::is_inf:
      return ir::binary(BinaryOp::eq, of(UnaryOp::abs, x), number(x, std::numeric_limits<double>::infinity()));
    default:
      return {};
  }
}

}  // namespace pimento::pim
