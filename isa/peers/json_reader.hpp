#pragma once
// A pull parser for JSON of a known shape: the caller asks for what must stand next and is told where it does not.
// Names and numbers are at most 64 bytes long, so a token is always whole in the buffer.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "isa/peers/byte_source.hpp"

namespace pimento::isa::peers {

struct Number {
  std::int64_t whole = 0;  ///< when `is_whole`
  double real = 0;
  bool is_whole = false;  ///< "3" and "3.0" are, "3.5" is not
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& path);

  /// The next byte that is no white space, not taken; '\0' at the end.
  char peek() {
    for (;;) {
      while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) skip_space();
      if (at_ != end_ || !refill()) return at_ == end_ ? '\0' : *at_;
    }
  }
  void expect(char c) {
    if (peek() != c || at_ == end_) unexpected(c);
    ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  /// In `while (r.next_key(first, key))` after expect('{'): takes the comma, the key and the colon, or the closing
  /// brace.
  bool next_key(bool& first, std::string_view& key);
  /// The same for the items of a list after expect('[').
  bool next_item(bool& first);
  /// Valid until the next call.
  std::string_view text();
  Number number();
  /// A whole number in the range of 32 bits.
  std::int32_t whole32();
  /// Reads over any value.
  void skip_value(int depth = 0);
  void expect_end();

  /// Offset of the next byte in the unpacked stream.
  std::int64_t byte() const { return before_ + (at_ - buffer_.get()); }
  int line() const { return line_; }
  const std::string& path() const { return source_.path(); }
  [[noreturn]] void fail(const std::string& message) const;
  /// What messages begin with, after the file: "core 3, instruction 17"; called only when one is made.
  std::string (*where)(const void*) = nullptr;
  const void* where_of = nullptr;

 private:
  static constexpr std::int64_t longest_token = 64;
  void skip_space() {
    if (*at_ == '\n') ++line_;
    ++at_;
  }
  bool refill();
  void whole_token() {
    if (end_ - at_ < longest_token + 2) refill();
  }
  [[noreturn]] void unexpected(char wanted);
  Number real_number(const char* begin, const char* end);

  ByteSource source_;
  std::unique_ptr<char[]> buffer_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::int64_t before_ = 0;  ///< of the stream, before the buffer
  int line_ = 1;
  bool source_ended_ = false;
};

}  // namespace pimento::isa::peers
