#pragma once
// JSON from and for strangers. The library's printer recurses and refuses bytes that are not UTF-8; so depth is limited
// where text comes in, and bytes are mended where it goes out.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pimento {

inline constexpr int deepest_json = 64;

/// The document. Throws UserError "file: not readable as JSON at byte 17"; for deep nests and names said twice too.
nlohmann::json parse_json(std::string_view text, const std::string& file);
/// The same; `discarded` when it cannot be read.
nlohmann::json parse_json_or_discard(std::string_view text);
/// Two blanks a level, no newline at the end; what is not UTF-8 becomes U+FFFD.
std::string print_json(const nlohmann::json& document);
std::string print_json(const nlohmann::ordered_json& document);
/// The same, but a list of plain values stands in one line, however long it is.
std::string print_json_lists_in_lines(const nlohmann::ordered_json& document);

}  // namespace pimento
