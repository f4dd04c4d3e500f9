#pragma once
// A typed scalar expression: the body, index map or guard of a kernel. Nodes are immutable, counted values; the
// `make` functions are the only door, they check types and fold nothing. A rewrite that changes nothing returns the
// same node.
//
// Evaluation order never matters: expressions have no effects, and both operands of everything but Select may always be
// evaluated. Select evaluates as if only the chosen side were (a Load out of range in the other side is harmless).
// Integers wrap at the width of their type; floats round half to even after every operator (f16 and bf16: computed in
// f32, then rounded), nothing is contracted. Index expressions have type i64.
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "compiler/ir/tensor.hpp"

namespace pimento::ir {

#define UNARY(name, domain, meaning) name,
enum class UnaryOp : std::uint8_t {
#include "compiler/ir/operators.def"
};
#undef UNARY
#define BINARY(name, text, kind, domain, meaning) name,
enum class BinaryOp : std::uint8_t {
#include "compiler/ir/operators.def"
};
#undef BINARY

enum class OperatorDomain : std::uint8_t { real, numeric, any, logic };
enum class OperatorKind : std::uint8_t { infix, call, compare };
struct UnaryInfo {
  UnaryOp op;
  std::string_view name;
  OperatorDomain domain;
  std::string_view meaning;
};
struct BinaryInfo {
  BinaryOp op;
  std::string_view name;  ///< the enumerator: "floor_div"
  std::string_view text;  ///< as written: "//"
  OperatorKind kind;
  OperatorDomain domain;
  std::string_view meaning;
};
std::span<const UnaryInfo> unary_operators();    ///< indexed by UnaryOp
std::span<const BinaryInfo> binary_operators();  ///< indexed by BinaryOp
bool accepts(OperatorDomain domain, ElementType type);

struct ExprNode;

class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode& node() const { return *node_; }
  ElementType type() const;
  /// The node as kind T, or null.
  template <class T>
  const T* as() const;
  bool same_node(const Expr& other) const { return node_ == other.node_; }
  const void* identity() const { return node_.get(); }  ///< for memo tables whose order does not matter

 private:
  std::shared_ptr<const ExprNode> node_;
};

/// A value known at compile time.
struct Const {
  Scalar value;
  static Expr make(Scalar value);
};
/// The position on one axis of the kernel, 0 .. extent-1. Type i64.
struct Axis {
  int axis;  ///< index into Kernel::axes
  static Expr make(int axis);
};
/// What a read yields when an index leaves the tensor.
enum class OutOfRange : std::uint8_t {
  error,  ///< must not happen: the verifier proves it, or the interpreter stops with a UserError
  value,  ///< `outside` (padding)
  clamp,  ///< every index is clamped into its dimension first (edge replication)
};
/// operands[operand][indices], one i64 index per dimension of the operand.
struct Load {
  int operand;  ///< index into Kernel::operands
  std::vector<Expr> indices;
  OutOfRange rule;
  Scalar outside;  ///< read only under OutOfRange::value; same type as the operand
  static Expr make(int operand, ElementType type, std::vector<Expr> indices, OutOfRange rule = OutOfRange::error,
                   Scalar outside = {});
};
/// A constant table of rank 1, indexed by an i64 that must be in range (Resize's source rows and weights,
/// permutations).
struct Lookup {
  Tensor table;
  Expr index;
  static Expr make(Tensor table, Expr index);
};
struct Unary {
  UnaryOp op;
  Expr a;
  static Expr make(UnaryOp op, Expr a);
};
struct Binary {
  BinaryOp op;
  Expr a, b;
  static Expr make(BinaryOp op, Expr a, Expr b);
};
/// condition (bool) ? a : b; a and b have one type.
struct Select {
  Expr condition, a, b;
  static Expr make(Expr condition, Expr a, Expr b);
};
/// Conversion. Integer to integer wraps; to bool is "not zero"; integer to float rounds half to even; float to integer
/// truncates towards zero, saturates at the type's limits and maps NaN to 0; float to float rounds half to even.
struct Cast {
  ElementType to;
  Expr a;
  static Expr make(ElementType to, Expr a);
};
/// The value of a kernel's carried state before this step.
struct Carried {
  int state;  ///< index into Kernel::states
  static Expr make(int state, ElementType type);
};
/// The value of an accumulator: in outputs and states the final one, in a merge the one so far.
struct Accumulated {
  int accumulator;  ///< index into Kernel::accumulators
  static Expr make(int accumulator, ElementType type);
};
/// In a merge only: the body's value at the present reduction point.
struct Incoming {
  int accumulator;
  static Expr make(int accumulator, ElementType type);
};

/// sum over the terms of coefficient * axis, + constant. Terms ascend by axis, none has coefficient 0.
struct AffineForm {
  struct Term {
    int axis;
    std::int64_t coefficient;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
};

using AnyExpr = std::variant<Const, Axis, Load, Lookup, Unary, Binary, Select, Cast, Carried, Accumulated, Incoming>;
struct ExprNode {
  ElementType type;
  AnyExpr any;
  std::optional<AffineForm> affine;  ///< of an i64 expression that has one: no division, remainder, table or load
};
inline ElementType Expr::type() const { return node_->type; }
template <class T>
const T* Expr::as() const {
  return node_ ? std::get_if<T>(&node_->any) : nullptr;
}

// --- building
// ----------------------------------------------------------------------------------------------------------
Expr constant(ElementType type, double value);
inline Expr index(std::int64_t value) { return Const::make(Scalar::of(ElementType::i64, value)); }

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
// A number takes the other operand's type.
Expr operator+(const Expr& a, double b);
Expr operator-(const Expr& a, double b);
Expr operator*(const Expr& a, double b);
Expr operator/(const Expr& a, double b);
Expr operator+(double a, const Expr& b);
Expr operator-(double a, const Expr& b);
Expr operator*(double a, const Expr& b);
Expr operator/(double a, const Expr& b);
Expr floor_div(const Expr& a, const Expr& b);
Expr floor_div(const Expr& a, std::int64_t b);
Expr floor_mod(const Expr& a, const Expr& b);
Expr floor_mod(const Expr& a, std::int64_t b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr unary(UnaryOp op, const Expr& a);
Expr binary(BinaryOp op, const Expr& a, const Expr& b);
Expr select(const Expr& condition, const Expr& a, const Expr& b);
/// Returns `a` itself when it already has the type.
Expr cast(ElementType to, const Expr& a);

// --- questions
// ---------------------------------------------------------------------------------------------------------
/// Same structure and constants (bit for bit).
bool equal(const Expr& a, const Expr& b);
/// Direct operands, in declaration order.
std::vector<Expr> children(const Expr& e);
/// Calls f(child) for each of them.
template <class F>
void for_each_child(const Expr& e, F&& f) {
  const AnyExpr& any = e.node().any;
  if (const auto* b = std::get_if<Binary>(&any)) {
    f(b->a), f(b->b);
  } else if (const auto* load = std::get_if<Load>(&any)) {
    for (const Expr& index : load->indices) f(index);
  } else if (const auto* u = std::get_if<Unary>(&any)) {
    f(u->a);
  } else if (const auto* c = std::get_if<Cast>(&any)) {
    f(c->a);
  } else if (const auto* s = std::get_if<Select>(&any)) {
    f(s->condition), f(s->a), f(s->b);
  } else if (const auto* lookup = std::get_if<Lookup>(&any)) {
    f(lookup->index);
  }
}
/// Pre-order visit of all nodes, index expressions of loads included.
template <class F>
void visit(const Expr& e, const F& f) {
  if (!e) return;
  f(e);
  for_each_child(e, [&](const Expr& child) { visit(child, f); });
}
/// Bottom-up rewrite: children first, then `f` on the rebuilt node (f returns its argument to keep it).
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f);
/// Replaces Axis k by axes[k]; an empty entry keeps the axis.
Expr substitute_axes(const Expr& e, const std::vector<Expr>& axes);

/// sum over k of coefficient[k] * axis k + constant.
struct Affine {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;  ///< one per axis of the kernel
  bool operator==(const Affine&) const = default;
};
/// The affine form of an i64 expression over `axis_count` axes, or nothing (division, remainder, tables, loads).
std::optional<Affine> as_affine(const Expr& e, int axis_count);
/// The same as the node holds it, or null.
const AffineForm* affine_form(const Expr& e, std::size_t axis_count);

/// Scalar meaning of the operators, shared by every evaluator, folder and simulator check.
Scalar evaluate(UnaryOp op, const Scalar& a);
Scalar evaluate(BinaryOp op, const Scalar& a, const Scalar& b);
Scalar evaluate_cast(ElementType to, const Scalar& a);

}  // namespace pimento::ir
