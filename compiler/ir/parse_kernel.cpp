#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/parse_expr.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/text_precedence.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : t_(text) {}

  Kernel parse() {
    t_.expect("kernel");
    k_.name = t_.expect(TokenKind::word, "the kernel's name").text;
    t_.expect("(");
    axes();
    t_.expect("{");
    const std::size_t body = t_.position();
    skip_body();
    t_.expect("where");
    do k_.operands.push_back(t_.operand());
    while (t_.accept(","));
    if (t_.peek().kind != TokenKind::end) t_.fail("expected the end of the kernel");
    declare(body);
    t_.seek(body);
    while (!t_.accept("}")) statement();
    return std::move(k_);
  }

 private:
  void axes() {
    int kind = 0;
    while (!t_.accept(")")) {
      if (t_.accept("|")) {
        if (++kind > 2) t_.fail("expected at most three groups of axes: parallel | reduction | carried");
        continue;
      }
      if (t_.accept(",")) continue;
      KernelAxis a;
      a.kind = static_cast<AxisKind>(kind);
      a.name = t_.expect(TokenKind::word, "the name of an axis").text;
      if (t_.peek().kind == TokenKind::word) {
        if (a.name == "parallel") a.kind = AxisKind::parallel;
        if (a.name == "reduction") a.kind = AxisKind::reduction;
        if (a.name == "carried") a.kind = AxisKind::carried;
        a.name = t_.take().text;
      }
      t_.expect(":");
      a.extent = t_.integer();
      k_.axes.push_back(a);
      names_.axes.push_back(a.name);
    }
  }

  void skip_body() {
    for (int depth = 1; depth > 0;) {
      const Token t = t_.take();
      if (t.kind == TokenKind::end) t_.fail("expected '}'");
      if (t.kind == TokenKind::symbol && t.text == "{") ++depth;
      if (t.kind == TokenKind::symbol && t.text == "}") --depth;
    }
  }

  bool at_accumulator() const {
    return t_.peek().kind == TokenKind::word && t_.peek(1).kind == TokenKind::symbol && t_.peek(1).text == ":";
  }

  /// States and accumulators may be named before their line, so their names and types are collected first.
  void declare(std::size_t body) {
    names_.operands = k_.operands;
    t_.seek(body);
    while (t_.peek().kind != TokenKind::end && !t_.at("where")) {
      const bool state = t_.at("state") && t_.peek(1).kind == TokenKind::word;
      if (state) t_.take();
      if (state || at_accumulator()) {
        const std::string name = t_.take().text;
        t_.expect(":");
        (state ? names_.states : names_.accumulators).emplace_back(name, t_.element_type());
      } else {
        t_.take();
      }
    }
  }

  Expr expr() { return parse_expr(t_, names_); }

  void statement() {
    if (t_.at("state") && t_.peek(1).kind == TokenKind::word) {
      t_.take();
      State s;
      s.name = t_.take().text;
      t_.expect(":");
      s.type = t_.element_type();
      t_.expect("=");
      s.initial = expr();
      t_.expect("then");
      s.next = expr();
      k_.states.push_back(s);
    } else if (at_accumulator()) {
      accumulator();
    } else {
      output();
    }
  }

  /// "+=" is one symbol, "max=" a word and a symbol.
  std::string combining_symbol() {
    std::string s = t_.take().text;
    if (s == "max" || s == "min" || s == "merge") {
      t_.expect("=");
      s += "=";
    }
    return s;
  }

  void accumulator() {
    Accumulator a;
    a.name = t_.take().text;
    t_.expect(":");
    a.type = t_.element_type();
    const Token at = t_.peek();
    const std::string symbol = combining_symbol();
    bool found = false;
    for (int c = 0; c <= static_cast<int>(Combiner::merge); ++c) {
      if (combiner_text(static_cast<Combiner>(c)) != symbol) continue;
      a.combiner = static_cast<Combiner>(c);
      found = true;
    }
    if (!found) Tokens::fail(at, "expected a combiner (+= *= max= min= &= |= merge=)");
    a.body = expr();
    if (a.combiner == Combiner::merge) {
      t_.expect("by");
      a.merge = expr();
    } else {
      a.initial = identity(a.combiner, a.type);
    }
    if (t_.accept("init")) {
      a.initial = t_.literal(a.type);
    } else if (a.combiner == Combiner::merge) {
      t_.fail("expected 'init': a merge has no neutral element");
    }
    if (t_.accept("if")) a.guard = expr();
    k_.accumulators.push_back(a);
  }

  int operand(const Token& name) {
    for (std::size_t i = 0; i < k_.operands.size(); ++i) {
      if (k_.operands[i].name == name.text) return static_cast<int>(i);
    }
    Tokens::fail(name, "expected the name of an operand");
  }

  void output() {
    Output o;
    o.operand = operand(t_.expect(TokenKind::word, "an output, an accumulator or a state"));
    t_.expect("[");
    t_.list("]", [&] { o.map.push_back(expr()); });
    const Token at = t_.peek();
    const std::string symbol = combining_symbol();
    bool found = false;
    for (int r = 0; r <= static_cast<int>(WriteRule::min); ++r) {
      if (write_rule_text(static_cast<WriteRule>(r)) != symbol) continue;
      o.rule = static_cast<WriteRule>(r);
      found = true;
    }
    if (!found) Tokens::fail(at, "expected a write (= += *= max= min=)");
    o.value = expr();
    if (t_.accept("if")) o.guard = expr();
    if (t_.accept("skipping")) o.out_of_range = OutOfRange::value;
    if (t_.accept("from")) o.starts_from = operand(t_.expect(TokenKind::word, "the name of an operand"));
    k_.outputs.push_back(o);
  }

  Tokens t_;
  Kernel k_;
  ExprNames names_;
};

}  // namespace

Kernel parse_kernel(std::string_view text) { return KernelParser(text).parse(); }

}  // namespace pimento::ir
