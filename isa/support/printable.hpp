#pragma once
// Text from files on its way to a terminal.
#include <string>
#include <string_view>

namespace pimento {

/// The text with its control characters written out (tab as \t, newline as \n, others as \x1b): names and messages come
/// from files and must not steer a terminal or forge lines. `lines`: newlines stay.
std::string printable(std::string_view text, bool lines = false);

}  // namespace pimento
