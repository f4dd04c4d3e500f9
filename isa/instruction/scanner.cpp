#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "isa/instruction/text.hpp"

namespace pimento::isa {
namespace {
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// The line up to its comment.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (quoted && line[k] == '\\')
      ++k;
    else if (line[k] == '"')
      quoted = !quoted;
    else if (line[k] == '#' && !quoted)
      return line.substr(0, k);
  }
  return line;
}
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

void print_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  out += '"';
}

Scanner::Scanner(std::string_view line, std::string file, int line_number)
    : line_(without_comment(line)), file_(std::move(file)), line_number_(line_number) {}

void Scanner::skip() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}
bool Scanner::at_end() {
  skip();
  return at_ == line_.size();
}
bool Scanner::accept(char c) {
  if (at_end() || line_[at_] != c) return false;
  ++at_;
  return true;
}
std::string Scanner::found() const {
  return at_ < line_.size() ? fmt::format("'{}'", line_[at_]) : std::string("the end of the line");
}
void Scanner::expect(char c) {
  if (!accept(c)) fail(fmt::format("expected '{}', got {}", c, found()));
}
void Scanner::expect_end() {
  if (!at_end()) fail(fmt::format("expected the end of the line, got {}", found()));
}
std::string_view Scanner::peek_word() {
  skip();
  std::size_t end = at_;
  while (end < line_.size() && is_word(line_[end])) ++end;
  word_at_ = at_;
  return line_.substr(at_, end - at_);
}
std::string_view Scanner::word() {
  const std::string_view found_word = peek_word();
  at_ += found_word.size();
  return found_word;
}
std::string_view Scanner::rest() {
  skip();
  std::string_view text = line_.substr(at_);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  at_ = line_.size();
  return text;
}

std::string_view Scanner::number_text() {
  skip();
  std::size_t end = at_;
  while (end < line_.size() && (is_word(line_[end]) || line_[end] == '.' || line_[end] == '-' || line_[end] == ':' ||
                                (line_[end] == '+' && end > at_ && (line_[end - 1] == 'e' || line_[end - 1] == 'p'))))
    ++end;
  return line_.substr(at_, end - at_);
}

std::int64_t Scanner::integer(std::int64_t low, std::int64_t high, std::string_view what) {
  skip();
  const char* const end = line_.data() + line_.size();
  const char* from = line_.data() + at_;
  const bool hex = end - from > 2 && from[0] == '0' && from[1] == 'x';
  std::int64_t value = 0;
  const auto [stop, fault] = std::from_chars(hex ? from + 2 : from, end, value, hex ? 16 : 10);
  if (fault == std::errc::result_out_of_range || (fault == std::errc{} && (value < low || value > high)))
    fail(fmt::format("{}: expected {} to {}, got {}", what, low, high,
                     std::string_view(from, static_cast<std::size_t>(stop - from))));
  if (fault != std::errc{}) fail(fmt::format("{}: expected a number, got {}", what, found()));
  at_ += static_cast<std::size_t>(stop - from);
  return value;
}

std::uint64_t Scanner::unsigned_integer(std::string_view what) {
  const std::string_view text = number_text();
  const bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const auto [stop, fault] =
      std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), value, hex ? 16 : 10);
  if (fault != std::errc{} || stop != text.data() + text.size())
    fail(fmt::format("{}: expected a number of 64 bits, got {}", what,
                     text.empty() ? found() : fmt::format("'{}'", text)));
  at_ += text.size();
  return value;
}

float Scanner::real(std::string_view what) {
  const std::string_view text = number_text();
  const char* const end = text.data() + text.size();
  if (text.starts_with("nan:0x")) {
    std::uint32_t bits = 0;
    const auto [stop, fault] = std::from_chars(text.data() + 6, end, bits, 16);
    if (fault == std::errc{} && stop == end) {
      at_ += text.size();
      return std::bit_cast<float>(bits);
    }
  }
  float value = 0;
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end)
    fail(fmt::format("{}: expected a real number, got {}", what, text.empty() ? found() : fmt::format("'{}'", text)));
  at_ += text.size();
  return value;
}

double Scanner::real64(std::string_view what) {
  const std::string_view text = number_text();
  double value = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || stop != text.data() + text.size())
    fail(fmt::format("{}: expected a real number, got {}", what, text.empty() ? found() : fmt::format("'{}'", text)));
  at_ += text.size();
  return value;
}

std::string Scanner::quoted(std::string_view what) {
  if (!accept('"')) fail(fmt::format("{}: expected text in quotes, got {}", what, found()));
  std::string text;
  while (at_ < line_.size() && line_[at_] != '"') {
    char c = line_[at_++];
    if (c == '\\') {
      const char kind = at_ < line_.size() ? line_[at_++] : '\0';
      if (kind == 'n')
        c = '\n';
      else if (kind == 't')
        c = '\t';
      else if (kind == '"' || kind == '\\')
        c = kind;
      else if (kind == 'x' && at_ + 2 <= line_.size() && hex_digit(line_[at_]) >= 0 && hex_digit(line_[at_ + 1]) >= 0) {
        c = static_cast<char>(hex_digit(line_[at_]) * 16 + hex_digit(line_[at_ + 1]));
        at_ += 2;
      } else
        fail(fmt::format("{}: unknown escape after '\\'", what));
    }
    text += c;
  }
  expect('"');
  return text;
}

void Scanner::fail_at(std::size_t column, const std::string& message) {
  Place place{.file = file_, .line = line_number_, .column = 0, .node = ""};
  if (line_number_ > 0) place.column = static_cast<int>(column) + 1;
  throw UserError(std::move(place), message);
}
void Scanner::fail(const std::string& message) {
  skip();
  fail_at(at_, message);
}
void Scanner::fail_at_word(const std::string& message) { fail_at(word_at_, message); }

}  // namespace pimento::isa
