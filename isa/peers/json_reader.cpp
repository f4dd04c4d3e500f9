#include "isa/peers/json_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {
constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_number_part(char c) {
  return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

std::string shown(char c) {
  if (c == '\0') return "the end of the file";
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 || u >= 0x7f ? fmt::format("byte 0x{:02x}", u) : fmt::format("'{}'", c);
}
}  // namespace

JsonReader::JsonReader(const std::string& path)
    : source_(path),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)),
      at_(buffer_.get()),
      end_(buffer_.get()) {}

bool JsonReader::refill() {
  if (source_ended_) return false;
  const auto rest = static_cast<std::size_t>(end_ - at_);
  before_ += at_ - buffer_.get();
  std::memmove(buffer_.get(), at_, rest);
  const std::size_t got = source_.read(buffer_.get() + rest, buffer_bytes - rest);
  source_ended_ = got == 0;
  at_ = buffer_.get();
  end_ = at_ + rest + got;
  return got != 0;
}

void JsonReader::fail(const std::string& message) const {
  std::string node = where != nullptr ? where(where_of) : std::string();
  node += fmt::format("{}byte {}", node.empty() ? "" : ", ", byte());
  throw UserError(Place{.file = path(), .line = line_, .column = 0, .node = node}, message);
}

void JsonReader::unexpected(char wanted) { fail(fmt::format("expected '{}', got {}", wanted, shown(peek()))); }

bool JsonReader::next_key(bool& first, std::string_view& key) {
  if (take('}')) return false;
  if (!first) expect(',');
  first = false;
  if (peek() != '"') fail(fmt::format("expected a key, got {}", shown(peek())));
  key = text();
  // The colon may follow white space, which may need a refill; the key is compared before that happens only if it is
  // still in the buffer, so the token's room includes the colon.
  if (at_ != end_ && *at_ == ':') {
    ++at_;
    return true;
  }
  static thread_local std::string kept;
  kept.assign(key);
  key = kept;
  expect(':');
  return true;
}

bool JsonReader::next_item(bool& first) {
  if (take(']')) return false;
  if (!first) expect(',');
  first = false;
  return true;
}

std::string_view JsonReader::text() {
  if (peek() != '"' || at_ == end_) fail(fmt::format("expected a text, got {}", shown(peek())));
  whole_token();
  const char* const begin = at_ + 1;
  const std::int64_t room = std::min<std::int64_t>(end_ - begin, longest_token);
  const void* const close = std::memchr(begin, '"', static_cast<std::size_t>(room));
  if (close == nullptr)
    fail(room < longest_token ? "expected the end of a text, got the end of the file"
                              : fmt::format("expected a name of at most {} bytes", longest_token));
  const std::string_view found(begin, static_cast<std::size_t>(static_cast<const char*>(close) - begin));
  for (const char c : found)
    if (c == '\\' || static_cast<unsigned char>(c) < 0x20)
      fail(fmt::format("expected a plain name, got {} in it", shown(c)));
  at_ = static_cast<const char*>(close) + 1;
  return found;
}

Number JsonReader::number() {
  peek();
  whole_token();
  const char* p = at_;
  const bool negative = p != end_ && *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t value = 0;
  while (p != end_ && is_digit(*p) && p - digits < 18) value = value * 10 + (*p++ - '0');
  if (p == digits || (p != end_ && is_number_part(*p))) return real_number(at_, end_);
  at_ = p;
  const std::int64_t whole = negative ? -value : value;
  return {whole, static_cast<double>(whole), true};
}

/// Everything but a short whole number.
Number JsonReader::real_number(const char* begin, const char* end) {
  const char* p = begin;
  while (p != end && is_number_part(*p) && p - begin <= longest_token) ++p;
  double real = 0;
  const auto [stop, fault] = std::from_chars(begin, p, real);
  if (fault != std::errc{} || stop != p || p - begin > longest_token)
    fail(p == begin ? fmt::format("expected a number, got {}", shown(p == end ? '\0' : *p))
                    : fmt::format("'{}' is no number", std::string_view(begin, static_cast<std::size_t>(p - begin))));
  at_ = p;
  constexpr double exact = 9007199254740992.0;
  const bool whole = std::isfinite(real) && std::abs(real) <= exact && real == std::trunc(real);
  return {whole ? static_cast<std::int64_t>(real) : 0, real, whole};
}

std::int32_t JsonReader::whole32() {
  const Number n = number();
  if (!n.is_whole || n.whole < std::numeric_limits<std::int32_t>::min() ||
      n.whole > std::numeric_limits<std::int32_t>::max())
    fail(fmt::format("expected a whole number of 32 bits, got {}", n.real));
  return static_cast<std::int32_t>(n.whole);
}

void JsonReader::skip_value(int depth) {
  if (depth > 32) fail("values are nested to more than 32 levels");
  bool first = true;
  std::string_view key;
  switch (peek()) {
    case '{':
      expect('{');
      while (next_key(first, key)) skip_value(depth + 1);
      return;
    case '[':
      expect('[');
      while (next_item(first)) skip_value(depth + 1);
      return;
    case '"':
      text();
      return;
    case 't':
    case 'f':
    case 'n': {
      whole_token();
      for (const std::string_view word : {"true", "false", "null"})
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
          at_ += word.size();
          return;
        }
      fail("expected a value");
    }
    default:
      number();
  }
}

void JsonReader::expect_end() {
  if (peek() != '\0' || at_ != end_) fail(fmt::format("expected the end of the file, got {}", shown(peek())));
}

}  // namespace pimento::isa::peers
