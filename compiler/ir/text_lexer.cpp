#include "compiler/ir/text_lexer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == '$' || c == '-'; }

class Lexer {
 public:
  explicit Lexer(std::string_view s) : s_(s) {}

  std::vector<Token> run() {
    for (skip_space(); at_ < s_.size(); skip_space()) next();
    start_line_ = line_;
    start_column_ = column_;
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  char here(std::size_t ahead = 0) const { return at_ + ahead < s_.size() ? s_[at_ + ahead] : '\0'; }
  char advance() {
    const char c = s_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    return c;
  }
  void skip_space() {
    while (at_ < s_.size()) {
      if (here() == '/' && here(1) == '/' && at_start_of_line_comment()) {
        while (at_ < s_.size() && here() != '\n') advance();
      } else if (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') {
        advance();
      } else {
        return;
      }
    }
  }
  /// "//" is a comment only as the first thing on its line; elsewhere it divides.
  bool at_start_of_line_comment() const {
    for (std::size_t i = at_; i-- > 0;) {
      if (s_[i] == '\n') return true;
      if (s_[i] != ' ' && s_[i] != '\t') return false;
    }
    return true;
  }
  void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), start_line_, start_column_}); }
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(Place{"", start_line_, start_column_, ""}, message);
  }

  template <class F>
  std::string take_while(const F& f) {
    std::string text;
    while (at_ < s_.size() && f(here())) text += advance();
    return text;
  }

  void next() {
    start_line_ = line_;
    start_column_ = column_;
    const char c = here();
    if (is_letter(c))
      return add(TokenKind::word, take_while([](char x) { return is_letter(x) || is_digit(x) || x == '.'; }));
    if (is_digit(c)) return number();
    if (c == '"') return add(TokenKind::text, text());
    if (c == '%' && (is_name(here(1)) || here(1) == '"') && !after_operand()) return name(TokenKind::value);
    if (c == '@') return name(TokenKind::constant);
    if (c == '#') {
      advance();
      return add(TokenKind::fingerprint, take_while([](char x) { return is_digit(x) || is_letter(x); }));
    }
    static constexpr std::string_view pairs[] = {
        "//", "<<", ">>", "==", "!=", "<=", ">=", "+=", "*=", "&=", "|=", "->"};
    for (const auto pair : pairs) {
      if (s_.substr(at_, 2) != pair) continue;
      advance();
      advance();
      return add(TokenKind::symbol, std::string(pair));
    }
    static constexpr std::string_view singles = "()[]{},:=+-*/%<>&|^";
    if (singles.find(c) == std::string_view::npos) fail(fmt::format("unexpected character '{}'", c));
    advance();
    add(TokenKind::symbol, std::string(1, c));
  }

  /// After an operand on the same line, '%' is the remainder: "x %3". Values follow symbols or operator names.
  bool after_operand() const {
    if (at_ > 0 && (is_name(s_[at_ - 1]) || s_[at_ - 1] == ')' || s_[at_ - 1] == ']')) return true;
    if (tokens_.empty() || tokens_.back().line != line_) return false;
    const Token& t = tokens_.back();
    return t.kind == TokenKind::integer || t.kind == TokenKind::real || t.text == ")" || t.text == "]";
  }

  void name(TokenKind kind) {
    advance();
    if (here() == '"') return add(kind, text());
    std::string found = take_while(is_name);
    if (found.empty()) fail("a name is missing");
    add(kind, std::move(found));
  }

  void number() {
    std::string digits = take_while(is_digit);
    bool real = false;
    if (here() == '.' && is_digit(here(1))) {
      real = true;
      digits += advance();
      digits += take_while(is_digit);
    }
    const std::size_t sign = here(1) == '-' || here(1) == '+' ? 1 : 0;
    if ((here() == 'e' || here() == 'E') && is_digit(here(1 + sign))) {
      real = true;
      digits += advance();
      if (sign != 0) digits += advance();
      digits += take_while(is_digit);
    }
    add(real ? TokenKind::real : TokenKind::integer, std::move(digits));
  }

  std::string text() {
    advance();
    std::string found;
    while (true) {
      if (at_ >= s_.size() || here() == '\n') fail("a text is not closed");
      char c = advance();
      if (c == '"') return found;
      if (c == '\\') {
        if (at_ >= s_.size()) fail("a text is not closed");
        c = advance();
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
        if (c == 'r') c = '\r';
      }
      found += c;
    }
  }

  std::string_view s_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1, start_line_ = 1, start_column_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

Tokens::Tokens(std::string_view source) : tokens_(Lexer(source).run()) {}

const Token& Tokens::peek(std::size_t ahead) const { return tokens_[std::min(position_ + ahead, tokens_.size() - 1)]; }
Token Tokens::take() {
  const Token t = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return t;
}
bool Tokens::at(std::string_view text) const {
  const Token& t = peek();
  return (t.kind == TokenKind::symbol || t.kind == TokenKind::word) && t.text == text;
}
bool Tokens::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}
void Tokens::expect(std::string_view text) {
  if (!accept(text)) fail(fmt::format("expected '{}'", text));
}
Token Tokens::expect(TokenKind kind, const char* what) {
  if (peek().kind != kind) fail(fmt::format("expected {}", what));
  return take();
}
void Tokens::fail(const std::string& message) const { fail(peek(), message); }
void Tokens::fail(const Token& at, const std::string& message) {
  const std::string got = at.kind == TokenKind::end ? "the end" : fmt::format("'{}'", at.text);
  throw UserError(Place{"", at.line, at.column, ""}, fmt::format("{}, got {}", message, got));
}

std::int64_t Tokens::integer() {
  const bool negative = accept("-");
  const Token t = expect(TokenKind::integer, "an integer");
  const std::string digits = (negative ? "-" : "") + t.text;
  std::int64_t v = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), v).ec != std::errc{})
    fail(t, "expected an integer of 64 bits");
  return v;
}

ElementType Tokens::element_type() {
  const Token t = expect(TokenKind::word, "an element type");
  const auto type = parse_element_type(t.text);
  if (!type) fail(t, "expected an element type");
  return *type;
}

TensorType Tokens::tensor_type() {
  TensorType t{element_type(), {}};
  expect("[");
  list("]", [&] { t.shape.push_back(integer()); });
  return t;
}

Scalar Tokens::literal(ElementType type) {
  if (type == ElementType::boolean) {
    if (accept("true")) return Scalar::of(type, 1);
    if (accept("false")) return Scalar::of(type, 0);
    fail("expected true or false");
  }
  const bool negative = accept("-");
  const Token t = take();
  if (!is_float(type)) {
    if (t.kind != TokenKind::integer) fail(t, fmt::format("expected an integer of type {}", to_string(type)));
    const std::string digits = (negative ? "-" : "") + t.text;
    std::int64_t v = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), v).ec != std::errc{} || wrap(type, v) != v) {
      fail(t, fmt::format("expected an integer of type {}", to_string(type)));
    }
    return Scalar::of(type, v);
  }
  double v = 0;
  if (t.text == "inf") {
    v = std::numeric_limits<double>::infinity();
  } else if (t.text == "nan") {
    v = std::numeric_limits<double>::quiet_NaN();
  } else if (t.kind == TokenKind::integer || t.kind == TokenKind::real) {
    float exact = 0;  // read as f32, so that shortest f32 text gives back the same bits
    if (std::from_chars(t.text.data(), t.text.data() + t.text.size(), exact).ec == std::errc::result_out_of_range) {
      fail(t, fmt::format("expected a number of type {}", to_string(type)));
    }
    v = static_cast<double>(exact);
  } else {
    fail(t, fmt::format("expected a number of type {}", to_string(type)));
  }
  return Scalar::of_real(type, negative ? -v : v);
}

Operand Tokens::operand() {
  Operand o;
  o.name = expect(TokenKind::word, "the name of an operand").text;
  expect(":");
  o.role = accept("out") ? OperandRole::output : OperandRole::input;
  o.type = tensor_type();
  return o;
}

std::string quoted(std::string_view s) {
  std::string r = "\"";
  for (const char c : s) {
    switch (c) {
      case '"':
        r += "\\\"";
        break;
      case '\\':
        r += "\\\\";
        break;
      case '\n':
        r += "\\n";
        break;
      case '\t':
        r += "\\t";
        break;
      case '\r':
        r += "\\r";
        break;
      default:
        r += c;
    }
  }
  return r + "\"";
}

std::string real_text(double v) {
  std::string text = fmt::format("{}", v);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

}  // namespace pimento::ir
