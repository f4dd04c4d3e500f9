#include "isa/support/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace pimento {
namespace {

/// Bytes of the character that begins `text` when it is UTF-8 and no control character; else 0.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : (first & 0xf0) == 0xe0        ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3fU);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_none = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return too_long || is_none || code < 0xa0 ? 0 : size;  // 0x80 .. 0x9f steer terminals
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = lines && c == '\n' ? 1 : character(text);
    if (size > 0) {
      result += text.substr(0, size);
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

}  // namespace pimento
