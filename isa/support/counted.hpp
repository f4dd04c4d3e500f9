#pragma once
// Numbers of things, as a sentence says them.
#include <string>
#include <string_view>

namespace pimento {

/// "1 byte", "2 bytes".
template <class Number>
std::string counted(Number n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

}  // namespace pimento
