#include "isa/support/printable.hpp"

#include <fmt/format.h>

namespace pimento {

std::string printable(std::string_view text, bool lines) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code >= 0x20 && code != 0x7f) || (lines && c == '\n')) {
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += fmt::format("\\x{:02x}", code);
    }
  }
  return result;
}

}  // namespace pimento
