#pragma once
// Tokens of the textual IR, and the cursor that the parsers move over them. Errors carry line and column.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/library.hpp"

namespace pimento::ir {

enum class TokenKind : std::uint8_t {
  word,         ///< x, in.best, conv
  value,        ///< %x: text is the name alone
  constant,     ///< @w
  integer,      ///< 12
  real,         ///< 1.5, 1e-05
  text,         ///< "...", unescaped
  fingerprint,  ///< #0123...
  symbol,
  end,
};
struct Token {
  TokenKind kind;
  std::string text;
  int line, column;
};

class Tokens {
 public:
  explicit Tokens(std::string_view source);

  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at(std::string_view text) const;  ///< a symbol or word of this text
  bool accept(std::string_view text);
  void expect(std::string_view text);
  Token expect(TokenKind kind, const char* what);
  [[noreturn]] void fail(const std::string& message) const;  ///< UserError at the present token
  [[noreturn]] static void fail(const Token& at, const std::string& message);
  std::size_t position() const { return position_; }
  void seek(std::size_t position) { position_ = position; }

  // Pieces that several parsers share.
  std::int64_t integer();
  ElementType element_type();
  TensorType tensor_type();
  /// A literal of a known type: 3, -0.5, inf, nan, true.
  Scalar literal(ElementType type);
  /// Comma-separated items up to `closing`, which is taken; the opening symbol has been taken.
  template <class F>
  void list(std::string_view closing, const F& item) {
    if (accept(closing)) return;
    do item();
    while (accept(","));
    expect(closing);
  }
  Operand operand();  ///< NAME : [out] TYPE

 private:
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

/// "..." with escapes for quotes, backslashes and control characters.
std::string quoted(std::string_view s);
/// Shortest text that reads back, always with '.', 'e' or a letter.
std::string real_text(double v);

}  // namespace pimento::ir
