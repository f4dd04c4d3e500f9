#include "isa/support/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/support/error.hpp"

namespace pimento {
namespace {

using nlohmann::json;

/// The byte of the bracket that opens one level too many, or npos.
std::size_t too_deep(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (in_text && c == '\\') {
      ++k;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      if (++depth > deepest_json) return k;
    } else if (!in_text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return std::string_view::npos;
}

template <class Json>
std::string printed(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

json parse_json(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& why, std::size_t byte) {
    throw UserError(Place{.file = file}, fmt::format("{} at byte {}", why, byte));
  };
  if (const std::size_t byte = too_deep(text); byte != std::string_view::npos)
    refuse(fmt::format("not readable as JSON: nested deeper than {} levels", deepest_json), byte);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    refuse("not readable as JSON", error.byte);
  } catch (const json::out_of_range& error) {  // a number beyond the range of f64
    throw UserError(Place{.file = file}, "not readable as JSON: a number is out of range");
  }
  return {};
}

json parse_json_or_discard(std::string_view text) {
  if (too_deep(text) != std::string_view::npos) return json(json::value_t::discarded);
  return json::parse(text, nullptr, false);
}

std::string print_json(const json& document) { return printed(document); }
std::string print_json(const nlohmann::ordered_json& document) { return printed(document); }

}  // namespace pimento
