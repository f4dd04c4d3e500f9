#pragma once
// What the printers and parsers of instructions and programs share: words, numbers that round-trip bit for bit, and a
// scanner whose every refusal names file, line and column.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "isa/instruction/instruction.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {

/// Flags that are written as a word of their own (the others follow from the operands).
inline constexpr std::array<std::pair<std::uint8_t, std::string_view>, 2> flag_words{
    {{flag::b_scalar, "b_scalar"}, {flag::relu, "relu"}}};

/// Appends what print() returns.
void print_to(std::string& out, const Instruction& instruction);
/// Shortest decimal that reads back to the same bits; NaNs as "nan:0x7fc00000".
void print_real(std::string& out, float value);
/// Appends text in quotes, with \" \\ \n \t and \xNN.
void print_quoted(std::string& out, std::string_view text);

/// Reads one line from left to right. A '#' outside quotes starts a comment.
class Scanner {
 public:
  Scanner(std::string_view line, std::string file, int line_number);

  bool at_end();
  /// Takes the character if it stands next.
  bool accept(char c);
  void expect(char c);
  /// A word of letters, digits and underscores; "" when none stands next.
  std::string_view word();
  std::string_view peek_word();
  std::int64_t integer(std::int64_t low, std::int64_t high, std::string_view what);
  std::uint64_t unsigned_integer(std::string_view what);
  float real(std::string_view what);
  double real64(std::string_view what);
  std::string quoted(std::string_view what);
  /// The rest of the line up to the comment, without blanks round it.
  std::string_view rest();
  void expect_end();
  /// Throws UserError at the current column, or at that of the last word.
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void fail_at_word(const std::string& message);

 private:
  void skip();
  [[noreturn]] void fail_at(std::size_t column, const std::string& message);
  std::string found() const;
  std::string_view number_text();

  std::string_view line_;
  std::size_t at_ = 0, word_at_ = 0;
  std::string file_;
  int line_number_;
};

/// Reads one instruction; `scanner` stands at its mnemonic and afterwards at the end of the line.
Instruction parse_instruction(Scanner& scanner);

}  // namespace pimento::isa
