#include "compiler/ir/expr.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "compiler/ir/scalar_operators.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

/// a + factor * b. Index arithmetic wraps, so overflow here is the meaning, too.
AffineForm plus(const AffineForm& a, const AffineForm& b, std::int64_t factor) {
  AffineForm sum{wrapping_add(a.constant, wrapping_mul(factor, b.constant)), {}};
  const auto add = [&](int axis, std::int64_t coefficient) {
    if (coefficient != 0) sum.terms.push_back({axis, coefficient});
  };
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->axis < y->axis)) {
      add(x->axis, x->coefficient), ++x;
    } else if (x == a.terms.end() || y->axis < x->axis) {
      add(y->axis, wrapping_mul(factor, y->coefficient)), ++y;
    } else {
      add(x->axis, wrapping_add(x->coefficient, wrapping_mul(factor, y->coefficient))), ++x, ++y;
    }
  }
  return sum;
}

template <class T>
std::optional<AffineForm> affine_of(const T&) {
  return std::nullopt;
}
std::optional<AffineForm> affine_of(const Const& c) { return AffineForm{c.value.integer, {}}; }
std::optional<AffineForm> affine_of(const Axis& a) { return AffineForm{0, {{a.axis, 1}}}; }
std::optional<AffineForm> affine_of(const Unary& u) {
  const std::optional<AffineForm>& a = u.a.node().affine;
  if (u.op != UnaryOp::neg || !a) return std::nullopt;
  return plus({}, *a, -1);
}
std::optional<AffineForm> affine_of(const Binary& binary) {
  const std::optional<AffineForm>&a = binary.a.node().affine, &b = binary.b.node().affine;
  if (!a || !b) return std::nullopt;
  if (binary.op == BinaryOp::add) return plus(*a, *b, 1);
  if (binary.op == BinaryOp::sub) return plus(*a, *b, -1);
  if (binary.op != BinaryOp::mul) return std::nullopt;
  if (a->terms.empty()) return plus({}, *b, a->constant);
  if (b->terms.empty()) return plus({}, *a, b->constant);
  return std::nullopt;
}

template <class T>
Expr wrap_node(ElementType type, T node) {
  auto affine = type == ElementType::i64 ? affine_of(node) : std::nullopt;
  return Expr(std::make_shared<const ExprNode>(ExprNode{type, AnyExpr(std::move(node)), std::move(affine)}));
}

void require_index(const Expr& e, const char* where) {
  PIMENTO_CHECK(e && e.type() == ElementType::i64,
                fmt::format("{} must be i64, got {}", where, e ? to_string(e.type()) : "nothing"));
}

const BinaryInfo& info(BinaryOp op) { return binary_operators()[static_cast<std::size_t>(op)]; }

bool equal_all(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

/// The node with other children, or the same node when none changed.
Expr with_children(const Expr& e, const std::vector<Expr>& c) {
  const auto old = children(e);
  bool changed = false;
  for (std::size_t i = 0; i < c.size(); ++i) changed = changed || !c[i].same_node(old[i]);
  if (!changed) return e;
  if (const auto* load = e.as<Load>()) return Load::make(load->operand, e.type(), c, load->rule, load->outside);
  if (const auto* lookup = e.as<Lookup>()) return Lookup::make(lookup->table, c[0]);
  if (const auto* u = e.as<Unary>()) return Unary::make(u->op, c[0]);
  if (const auto* b = e.as<Binary>()) return Binary::make(b->op, c[0], c[1]);
  if (e.as<Select>() != nullptr) return Select::make(c[0], c[1], c[2]);
  return Cast::make(e.as<Cast>()->to, c[0]);
}

}  // namespace

Expr Const::make(Scalar value) { return wrap_node(value.type, Const{value}); }

Expr Axis::make(int axis) {
  PIMENTO_CHECK(axis >= 0, fmt::format("axis {} is negative", axis));
  return wrap_node(ElementType::i64, Axis{axis});
}

Expr Load::make(int operand, ElementType type, std::vector<Expr> indices, OutOfRange rule, Scalar outside) {
  PIMENTO_CHECK(operand >= 0, fmt::format("operand {} is negative", operand));
  for (const Expr& i : indices) require_index(i, "an index of a load");
  if (rule == OutOfRange::value) {
    PIMENTO_CHECK(outside.type == type,
                  fmt::format("outside value is {}, the operand is {}", to_string(outside.type), to_string(type)));
  } else {
    outside = Scalar{type};
  }
  return wrap_node(type, Load{operand, std::move(indices), rule, outside});
}

Expr Lookup::make(Tensor table, Expr index) {
  require_index(index, "the index of a table");
  PIMENTO_CHECK(table.shape().size() == 1, fmt::format("a table has rank 1, got {}", to_string(table.type())));
  const ElementType type = table.element_type();
  return wrap_node(type, Lookup{std::move(table), std::move(index)});
}

Expr Unary::make(UnaryOp op, Expr a) {
  const UnaryInfo& row = unary_operators()[static_cast<std::size_t>(op)];
  PIMENTO_CHECK(a && accepts(row.domain, a.type()),
                fmt::format("operator '{}' does not take {}", row.name, a ? to_string(a.type()) : "nothing"));
  const bool test = op == UnaryOp::is_nan || op == UnaryOp::is_inf;
  const ElementType type = test ? ElementType::boolean : a.type();
  return wrap_node(type, Unary{op, std::move(a)});
}

Expr Binary::make(BinaryOp op, Expr a, Expr b) {
  const BinaryInfo& row = info(op);
  PIMENTO_CHECK(a && b, fmt::format("operator '{}' lacks an operand", row.text));
  PIMENTO_CHECK(a.type() == b.type(), fmt::format("operator '{}' on two types: {} and {}", row.text,
                                                  to_string(a.type()), to_string(b.type())));
  PIMENTO_CHECK(accepts(row.domain, a.type()),
                fmt::format("operator '{}' does not take {}", row.text, to_string(a.type())));
  const ElementType type = row.kind == OperatorKind::compare ? ElementType::boolean : a.type();
  return wrap_node(type, Binary{op, std::move(a), std::move(b)});
}

Expr Select::make(Expr condition, Expr a, Expr b) {
  PIMENTO_CHECK(condition && condition.type() == ElementType::boolean, "the condition of select must be bool");
  PIMENTO_CHECK(a && b && a.type() == b.type(), "the two sides of select must have one type");
  const ElementType type = a.type();
  return wrap_node(type, Select{std::move(condition), std::move(a), std::move(b)});
}

Expr Cast::make(ElementType to, Expr a) {
  PIMENTO_CHECK(static_cast<bool>(a), "cast of nothing");
  return wrap_node(to, Cast{to, std::move(a)});
}

Expr Carried::make(int state, ElementType type) { return wrap_node(type, Carried{state}); }
Expr Accumulated::make(int accumulator, ElementType type) { return wrap_node(type, Accumulated{accumulator}); }
Expr Incoming::make(int accumulator, ElementType type) { return wrap_node(type, Incoming{accumulator}); }

Expr constant(ElementType type, double value) { return Const::make(Scalar::of_real(type, value)); }

Expr operator+(const Expr& a, const Expr& b) { return binary(BinaryOp::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary(BinaryOp::sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary(BinaryOp::mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary(BinaryOp::div, a, b); }
Expr operator-(const Expr& a) { return unary(UnaryOp::neg, a); }
Expr operator+(const Expr& a, double b) { return a + constant(a.type(), b); }
Expr operator-(const Expr& a, double b) { return a - constant(a.type(), b); }
Expr operator*(const Expr& a, double b) { return a * constant(a.type(), b); }
Expr operator/(const Expr& a, double b) { return a / constant(a.type(), b); }
Expr operator+(double a, const Expr& b) { return constant(b.type(), a) + b; }
Expr operator-(double a, const Expr& b) { return constant(b.type(), a) - b; }
Expr operator*(double a, const Expr& b) { return constant(b.type(), a) * b; }
Expr operator/(double a, const Expr& b) { return constant(b.type(), a) / b; }
Expr floor_div(const Expr& a, const Expr& b) { return binary(BinaryOp::floor_div, a, b); }
Expr floor_div(const Expr& a, std::int64_t b) { return floor_div(a, Const::make(Scalar::of(a.type(), b))); }
Expr floor_mod(const Expr& a, const Expr& b) { return binary(BinaryOp::floor_mod, a, b); }
Expr floor_mod(const Expr& a, std::int64_t b) { return floor_mod(a, Const::make(Scalar::of(a.type(), b))); }
Expr min(const Expr& a, const Expr& b) { return binary(BinaryOp::min, a, b); }
Expr max(const Expr& a, const Expr& b) { return binary(BinaryOp::max, a, b); }
Expr unary(UnaryOp op, const Expr& a) { return Unary::make(op, a); }
Expr binary(BinaryOp op, const Expr& a, const Expr& b) { return Binary::make(op, a, b); }
Expr select(const Expr& condition, const Expr& a, const Expr& b) { return Select::make(condition, a, b); }
Expr cast(ElementType to, const Expr& a) { return a.type() == to ? a : Cast::make(to, a); }

bool equal(const Expr& a, const Expr& b) {
  if (a.same_node(b)) return true;
  if (!a || !b || a.type() != b.type() || a.node().any.index() != b.node().any.index()) return false;
  if (const auto* x = a.as<Const>()) return x->value == b.as<Const>()->value;
  if (const auto* x = a.as<Axis>()) return x->axis == b.as<Axis>()->axis;
  if (const auto* x = a.as<Carried>()) return x->state == b.as<Carried>()->state;
  if (const auto* x = a.as<Accumulated>()) return x->accumulator == b.as<Accumulated>()->accumulator;
  if (const auto* x = a.as<Incoming>()) return x->accumulator == b.as<Incoming>()->accumulator;
  if (const auto* x = a.as<Load>()) {
    const auto* y = b.as<Load>();
    if (x->operand != y->operand || x->rule != y->rule || !(x->outside == y->outside)) return false;
  }
  if (const auto* x = a.as<Lookup>(); x != nullptr && !(x->table == b.as<Lookup>()->table)) return false;
  if (const auto* x = a.as<Unary>(); x != nullptr && x->op != b.as<Unary>()->op) return false;
  if (const auto* x = a.as<Binary>(); x != nullptr && x->op != b.as<Binary>()->op) return false;
  return equal_all(children(a), children(b));
}

std::vector<Expr> children(const Expr& e) {
  std::vector<Expr> all;
  for_each_child(e, [&](const Expr& child) { all.push_back(child); });
  return all;
}

namespace {
Expr rewrite_memo(const Expr& e, const std::function<Expr(const Expr&)>& f,
                  std::unordered_map<const void*, Expr>& memo) {
  if (const auto found = memo.find(e.identity()); found != memo.end()) return found->second;
  auto c = children(e);
  for (Expr& child : c) child = rewrite_memo(child, f, memo);
  const Expr result = f(with_children(e, c));
  memo.emplace(e.identity(), result);
  return result;
}
}  // namespace

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  if (!e) return e;
  std::unordered_map<const void*, Expr> memo;
  return rewrite_memo(e, f, memo);
}

Expr substitute_axes(const Expr& e, const std::vector<Expr>& axes) {
  return rewrite(e, [&](const Expr& n) {
    const auto* a = n.as<Axis>();
    if (a == nullptr || static_cast<std::size_t>(a->axis) >= axes.size()) return n;
    const Expr& to = axes[static_cast<std::size_t>(a->axis)];
    return to ? to : n;
  });
}

const AffineForm* affine_form(const Expr& e, std::size_t axis_count) {
  if (!e || !e.node().affine) return nullptr;
  const AffineForm& form = *e.node().affine;
  if (!form.terms.empty() && static_cast<std::size_t>(form.terms.back().axis) >= axis_count) return nullptr;
  return &form;
}

std::optional<Affine> as_affine(const Expr& e, int axis_count) {
  const AffineForm* const form = affine_form(e, static_cast<std::size_t>(axis_count));
  if (form == nullptr) return std::nullopt;
  Affine sum{form->constant, std::vector<std::int64_t>(static_cast<std::size_t>(axis_count), 0)};
  for (const auto& [axis, coefficient] : form->terms) sum.coefficients[static_cast<std::size_t>(axis)] = coefficient;
  return sum;
}

}  // namespace pimento::ir
