#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "compiler/ir/text.hpp"
#include "compiler/ir/text_lexer.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class GraphParser {
 public:
  GraphParser(Tokens& t, const ConstantSource& constants) : t_(t), constants_(constants) {}

  Graph parse() {
    t_.expect("graph");
    if (t_.peek().kind == TokenKind::value || t_.peek().kind == TokenKind::word) g_.name = t_.take().text;
    return parse_from_inputs();
  }

  Graph parse_from_inputs() {
    t_.expect("(");
    t_.list(")", [&] { g_.inputs.push_back(declared(TokenKind::value)); });
    t_.expect("{");
    while (!t_.at("return")) line();
    t_.take();
    if (!t_.at("}")) {
      do g_.outputs.push_back(used());
      while (t_.accept(","));
    }
    t_.expect("}");
    for (const auto& [state, name] : next_) g_.states[state].next = find(name);
    return std::move(g_);
  }

  Attributes attributes() {
    Attributes all;
    t_.list("}", [&] {
      const Token key = t_.expect(TokenKind::word, "the name of an attribute");
      t_.expect("=");
      if (!all.emplace(key.text, attribute()).second) Tokens::fail(key, "expected each attribute once");
    });
    return all;
  }

 private:
  ValueId define(const Token& name, TensorType type) {
    const ValueId v = g_.add_value(name.text, std::move(type));
    if (!by_name_.emplace(name.text, v).second) Tokens::fail(name, "expected a name that is not defined yet");
    return v;
  }
  ValueId declared(TokenKind kind) {
    const Token name = t_.expect(kind, kind == TokenKind::value ? "%name" : "@name");
    t_.expect(":");
    return define(name, t_.tensor_type());
  }
  ValueId find(const Token& name) const {
    const auto found = by_name_.find(name.text);
    if (found != by_name_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [n, v] : by_name_) known.push_back(n);
    throw UserError(Place{"", name.line, name.column, ""},
                    fmt::format("unknown value '{}'{}", name.text, suggestion(name.text, known)));
  }
  ValueId used() {
    if (t_.accept("_")) return no_value;
    const Token name = t_.take();
    if (name.kind != TokenKind::value && name.kind != TokenKind::constant)
      Tokens::fail(name, "expected %name, @name or _");
    return find(name);
  }

  Tensor tensor_content(const TensorType& type) {
    const Token at = t_.peek();
    if (at.kind == TokenKind::fingerprint) {
      t_.take();
      const auto found = constants_ ? constants_(at.text, type) : std::nullopt;
      if (!found) {
        throw UserError(Place{"", at.line, at.column, ""},
                        fmt::format("no tensor {} of fingerprint {} is known", to_string(type), at.text));
      }
      return *found;
    }
    t_.expect("[");
    Tensor t = Tensor::zeros(type);
    std::int64_t n = 0;
    t_.list("]", [&] {
      const Scalar v = t_.literal(type.type);
      if (n < type.elements()) t.set(n, v);
      ++n;
    });
    if (n != type.elements()) {
      throw UserError(Place{"", at.line, at.column, ""},
                      fmt::format("{} has {} elements, got {}", to_string(type), type.elements(), n));
    }
    return t;
  }

  double real() {
    const bool negative = t_.accept("-");
    const Token t = t_.take();
    double v = 0;
    if (t.text == "inf") {
      v = std::numeric_limits<double>::infinity();
    } else if (t.text == "nan") {
      v = std::numeric_limits<double>::quiet_NaN();
    } else if ((t.kind != TokenKind::integer && t.kind != TokenKind::real) ||
               std::from_chars(t.text.data(), t.text.data() + t.text.size(), v).ec != std::errc{}) {
      Tokens::fail(t, "expected a real number");
    }
    return negative ? -v : v;
  }
  bool at_real() const {
    const Token& t = t_.at("-") ? t_.peek(1) : t_.peek();
    return t.kind == TokenKind::real || t.text == "inf" || t.text == "nan";
  }

  Attribute attribute() {
    if (t_.peek().kind == TokenKind::text) return t_.take().text;
    if (t_.accept("real")) {
      t_.expect("[");
      t_.expect("]");
      return std::vector<double>{};
    }
    if (t_.accept("[")) return numbers();
    if (at_real()) return real();
    if (t_.peek().kind == TokenKind::word) {
      const TensorType type = t_.tensor_type();
      return tensor_content(type);
    }
    return t_.integer();
  }
  /// A list is of integers when every entry is one.
  Attribute numbers() {
    const std::size_t begin = t_.position();
    bool all_integers = true;
    t_.list("]", [&] {
      all_integers = all_integers && !at_real();
      real();
    });
    t_.seek(begin);
    if (all_integers) {
      std::vector<std::int64_t> v;
      t_.list("]", [&] { v.push_back(t_.integer()); });
      return v;
    }
    std::vector<double> v;
    t_.list("]", [&] { v.push_back(real()); });
    return v;
  }

  void line() {
    if (t_.accept("meta")) {
      const std::string key = t_.expect(TokenKind::text, "a quoted key").text;
      t_.expect("=");
      g_.metadata[key] = t_.expect(TokenKind::text, "a quoted value").text;
    } else if (t_.accept("state")) {
      GraphState s;
      s.current = declared(TokenKind::value);
      if (t_.accept("=")) s.initial = tensor_content(g_.type(s.current));
      t_.expect("next");
      const Token next = t_.take();
      if (next.kind != TokenKind::value && next.kind != TokenKind::constant)
        Tokens::fail(next, "expected %name or @name");
      next_.emplace_back(g_.states.size(), next);
      g_.states.push_back(s);
    } else if (t_.peek().kind == TokenKind::constant) {
      const ValueId v = declared(TokenKind::constant);
      t_.expect("=");
      g_.value(v).constant = tensor_content(g_.type(v));
    } else {
      node();
    }
  }

  void node() {
    std::vector<Token> outputs;
    do {
      const Token t = t_.take();
      if (t.kind != TokenKind::value && t.text != "_")
        Tokens::fail(t, "expected a node, a constant, 'meta', 'state' or 'return'");
      outputs.push_back(t);
    } while (t_.accept(","));
    t_.expect("=");
    Node n;
    n.op = t_.expect(TokenKind::word, "the name of an operator").text;
    if (t_.at("_") || t_.peek().kind == TokenKind::value || t_.peek().kind == TokenKind::constant) {
      do n.inputs.push_back(used());
      while (t_.accept(","));
    }
    if (t_.accept("{")) n.attributes = attributes();
    t_.expect(":");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i > 0) t_.expect(",");
      if (outputs[i].text == "_" && outputs[i].kind == TokenKind::word) {
        t_.expect("_");
        n.outputs.push_back(no_value);
      } else {
        n.outputs.push_back(define(outputs[i], t_.tensor_type()));
      }
    }
    if (t_.accept("from")) n.source = t_.expect(TokenKind::text, "a quoted name").text;
    if (t_.accept("body")) n.body = std::make_shared<const Graph>(GraphParser(t_, constants_).parse_from_inputs());
    g_.nodes.push_back(std::move(n));
  }

  Tokens& t_;
  const ConstantSource& constants_;
  Graph g_;
  std::map<std::string, ValueId> by_name_;
  std::vector<std::pair<std::size_t, Token>> next_;
};

}  // namespace

Graph parse_graph(std::string_view text, const ConstantSource& constants) {
  Tokens tokens(text);
  Graph g = GraphParser(tokens, constants).parse();
  if (tokens.peek().kind != TokenKind::end) tokens.fail("expected the end of the graph");
  return g;
}

LibraryKernel parse_library_kernel(std::string_view text) {
  Tokens tokens(text);
  LibraryKernel k;
  tokens.expect("library");
  k.name = tokens.expect(TokenKind::word, "the name of a library kernel").text;
  library_kind(k.name);
  const ConstantSource none;
  if (tokens.accept("{")) k.attributes = GraphParser(tokens, none).attributes();
  tokens.expect("where");
  do k.operands.push_back(tokens.operand());
  while (tokens.accept(","));
  if (tokens.peek().kind != TokenKind::end) tokens.fail("expected the end of the kernel");
  return k;
}

}  // namespace pimento::ir
