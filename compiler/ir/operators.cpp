// The scalar meaning of every operator, as operators.def states it.
#include <array>
#include <cmath>
#include <limits>

#include "compiler/ir/expr.hpp"
#include "compiler/ir/scalar_operators.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {

std::span<const UnaryInfo> unary_operators() {
#define UNARY(name, domain, meaning) UnaryInfo{UnaryOp::name, #name, OperatorDomain::domain, meaning},
  static constexpr auto table = std::to_array<UnaryInfo>({
#include "compiler/ir/operators.def"
  });
#undef UNARY
  return table;
}

std::span<const BinaryInfo> binary_operators() {
#define BINARY(name, text, kind, domain, meaning) \
  BinaryInfo{BinaryOp::name, #name, text, OperatorKind::kind, OperatorDomain::domain, meaning},
  static constexpr auto table = std::to_array<BinaryInfo>({
#include "compiler/ir/operators.def"
  });
#undef BINARY
  return table;
}

bool accepts(OperatorDomain domain, ElementType type) {
  switch (domain) {
    case OperatorDomain::real:
      return is_float(type);
    case OperatorDomain::numeric:
      return type != ElementType::boolean;
    case OperatorDomain::any:
      return true;
    case OperatorDomain::logic:
      return !is_float(type);
  }
  return false;
}

Scalar evaluate(UnaryOp op, const Scalar& a) {
  if (is_float(a.type)) {
    if (op == UnaryOp::is_nan || op == UnaryOp::is_inf) {
      return Scalar::of(ElementType::boolean, op == UnaryOp::is_nan ? std::isnan(a.real) : std::isinf(a.real));
    }
    Scalar r{a.type};
    r.real = round_to(a.type, real_unary(op, a.real));
    return r;
  }
  return Scalar::of(a.type, integer_unary(op, a.integer, a.type));
}

Scalar evaluate(BinaryOp op, const Scalar& a, const Scalar& b) {
  if (binary_operators()[static_cast<std::size_t>(op)].kind == OperatorKind::compare) {
    const bool r = is_float(a.type) ? compare(op, a.real, b.real) : compare(op, a.integer, b.integer);
    return Scalar::of(ElementType::boolean, r ? 1 : 0);
  }
  if (is_float(a.type)) {
    Scalar r{a.type};
    r.real = round_to(a.type, real_binary(op, a.real, b.real));
    return r;
  }
  return Scalar::of(a.type, integer_binary(op, a.integer, b.integer, a.type));
}

Scalar evaluate_cast(ElementType to, const Scalar& a) {
  if (is_float(a.type)) return Scalar::of_real(to, static_cast<double>(a.real));
  return Scalar::of(to, a.integer);
}

}  // namespace pimento::ir
