#include "compiler/ir/parse_expr.hpp"

#include <fmt/format.h>

#include "compiler/ir/text_precedence.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class ExprParser {
 public:
  ExprParser(Tokens& t, const ExprNames& names) : t_(t), names_(names) {}

  Expr parse(int least = 1) {
    Expr left = primary();
    while (true) {
      const BinaryInfo* row = infix(t_.peek());
      if (row == nullptr || precedence(row->text) < least) return left;
      const Token at = t_.take();
      Expr right = parse(precedence(row->text) + 1);
      left = make(at, row->op, std::move(left), std::move(right));
    }
  }

 private:
  static const BinaryInfo* infix(const Token& t) {
    if (t.kind != TokenKind::symbol) return nullptr;
    for (const BinaryInfo& row : binary_operators()) {
      if (row.kind != OperatorKind::call && row.text == t.text) return &row;
    }
    return nullptr;
  }

  /// Runs a maker; its complaint becomes a parse error at `at`.
  template <class F>
  static Expr checked(const Token& at, const F& f) {
    try {
      return f();
    } catch (const InternalError& e) {
      throw UserError(Place{"", at.line, at.column, ""}, e.what());
    }
  }

  /// A number beside an operand of another type takes that type, if it can represent it.
  static void adapt(Expr& number, const Expr& other) {
    const auto* c = number.as<Const>();
    if (c == nullptr || number.type() == other.type()) return;
    const Scalar v = Scalar::of_real(other.type(), c->value.as_double());
    if (v.as_double() == c->value.as_double()) number = Const::make(v);
  }
  static Expr make(const Token& at, BinaryOp op, Expr a, Expr b) {
    adapt(b, a);
    adapt(a, b);
    return checked(at, [&] { return Binary::make(op, a, b); });
  }

  Expr primary() {
    const Token t = t_.peek();
    if (t_.accept("(")) {
      Expr e = parse();
      t_.expect(")");
      return e;
    }
    if (t_.at("-")) {
      const Token& next = t_.peek(1);
      if (next.kind == TokenKind::integer) return Const::make(t_.literal(ElementType::i64));
      if (next.kind == TokenKind::real || next.text == "inf") return Const::make(t_.literal(ElementType::f32));
      t_.take();
      const Expr a = primary();
      return checked(t, [&] { return Unary::make(UnaryOp::neg, a); });
    }
    if (t.kind == TokenKind::integer) return Const::make(t_.literal(ElementType::i64));
    if (t.kind == TokenKind::real) return Const::make(t_.literal(ElementType::f32));
    if (t.kind != TokenKind::word) t_.fail("expected an expression");
    return word(t);
  }

  Expr word(const Token& t) {
    const std::string_view follows = t_.peek(1).text;
    if (t.text == "true" || t.text == "false") return Const::make(t_.literal(ElementType::boolean));
    if ((t.text == "inf" || t.text == "nan") && !named(t.text)) return Const::make(t_.literal(ElementType::f32));
    if (t.text == "table" && follows == "<") return table();
    if (t.text == "cast" && follows == "<") {
      t_.take();
      t_.take();
      const ElementType to = t_.element_type();
      t_.expect(">");
      t_.expect("(");
      const Expr a = parse();
      t_.expect(")");
      return Cast::make(to, a);
    }
    if (follows == "(") return call(t);
    if (follows == "[") return load(t);
    t_.take();
    return name(t);
  }

  bool named(std::string_view text) const {
    for (const std::string& a : names_.axes) {
      if (a == text) return true;
    }
    return false;
  }

  Expr name(const Token& t) const {
    for (std::size_t i = 0; i < names_.axes.size(); ++i) {
      if (names_.axes[i] == t.text) return Axis::make(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < names_.states.size(); ++i) {
      if (names_.states[i].first == t.text) return Carried::make(static_cast<int>(i), names_.states[i].second);
    }
    for (std::size_t i = 0; i < names_.accumulators.size(); ++i) {
      const auto& [known, type] = names_.accumulators[i];
      if (known == t.text) return Accumulated::make(static_cast<int>(i), type);
      if ("in." + known == t.text) return Incoming::make(static_cast<int>(i), type);
    }
    std::vector<std::string> known = names_.axes;
    for (const auto& s : names_.states) known.push_back(s.first);
    for (const auto& a : names_.accumulators) known.push_back(a.first);
    throw UserError(Place{"", t.line, t.column, ""},
                    fmt::format("unknown name '{}'{}", t.text, suggestion(t.text, known)));
  }

  Expr call(const Token& t) {
    t_.take();
    t_.expect("(");
    if (const auto type = parse_element_type(t.text)) {
      const Scalar v = t_.literal(*type);
      t_.expect(")");
      return Const::make(v);
    }
    std::vector<Expr> a;
    t_.list(")", [&] { a.push_back(parse()); });
    const auto want = [&](std::size_t n) {
      if (a.size() != n) Tokens::fail(t, fmt::format("expected {} operands, not {}, of this operator", n, a.size()));
    };
    if (t.text == "select") {
      want(3);
      adapt(a[1], a[2]);
      adapt(a[2], a[1]);
      return checked(t, [&] { return Select::make(a[0], a[1], a[2]); });
    }
    for (const UnaryInfo& row : unary_operators()) {
      if (row.name != t.text) continue;
      want(1);
      return checked(t, [&] { return Unary::make(row.op, a[0]); });
    }
    std::vector<std::string> known = {"select", "cast"};
    for (const BinaryInfo& row : binary_operators()) {
      if (row.kind != OperatorKind::call) continue;
      known.emplace_back(row.text);
      if (row.text != t.text) continue;
      want(2);
      return make(t, row.op, a[0], a[1]);
    }
    for (const UnaryInfo& row : unary_operators()) known.emplace_back(row.name);
    throw UserError(Place{"", t.line, t.column, ""},
                    fmt::format("unknown operator '{}'{}", t.text, suggestion(t.text, known)));
  }

  Expr load(const Token& t) {
    for (std::size_t i = 0; i < names_.operands.size(); ++i) {
      if (names_.operands[i].name != t.text) continue;
      t_.take();
      t_.expect("[");
      std::vector<Expr> indices;
      t_.list("]", [&] { indices.push_back(parse()); });
      const ElementType type = names_.operands[i].type.type;
      OutOfRange rule = OutOfRange::error;
      Scalar outside{type};
      if (t_.accept("outside")) {
        rule = OutOfRange::value;
        outside = t_.literal(type);
      } else if (t_.accept("clamped")) {
        rule = OutOfRange::clamp;
      }
      return checked(t, [&] { return Load::make(static_cast<int>(i), type, indices, rule, outside); });
    }
    std::vector<std::string> known;
    for (const Operand& o : names_.operands) known.push_back(o.name);
    throw UserError(Place{"", t.line, t.column, ""},
                    fmt::format("unknown operand '{}'{}", t.text, suggestion(t.text, known)));
  }

  Expr table() {
    t_.take();
    t_.expect("<");
    const ElementType type = t_.element_type();
    t_.expect(">");
    t_.expect("[");
    std::vector<Scalar> values;
    t_.list("]", [&] { values.push_back(t_.literal(type)); });
    Tensor table = Tensor::zeros({type, {static_cast<std::int64_t>(values.size())}});
    for (std::size_t i = 0; i < values.size(); ++i) table.set(static_cast<std::int64_t>(i), values[i]);
    t_.expect("[");
    const Token at = t_.peek();
    const Expr index = parse();
    t_.expect("]");
    return checked(at, [&] { return Lookup::make(table, index); });
  }

  Tokens& t_;
  const ExprNames& names_;
};

}  // namespace

Expr parse_expr(Tokens& tokens, const ExprNames& names) { return ExprParser(tokens, names).parse(); }

Expr parse_expr(std::string_view text, const ExprNames& names) {
  Tokens tokens(text);
  const Expr e = parse_expr(tokens, names);
  if (tokens.peek().kind != TokenKind::end) tokens.fail("expected the end of the expression");
  return e;
}

}  // namespace pimento::ir
