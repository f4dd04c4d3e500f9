#include "isa/support/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

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

/// Refuses an object that says a name twice: the library would keep one of the two without a word.
class NoNameTwice {
 public:
  explicit NoNameTwice(const std::string& file) : file_(file) {}
  bool operator()(int, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) names_.emplace_back();
    if (event == json::parse_event_t::object_end) names_.pop_back();
    if (event == json::parse_event_t::key && !names_.back().insert(parsed.get<std::string>()).second)
      throw UserError(Place{.file = file_}, fmt::format("'{}' stands twice in one object", parsed.get<std::string>()));
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> names_;  ///< of the objects that are open
};

template <class Json>
std::string printed(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

using nlohmann::ordered_json;
std::string in_one_line(const ordered_json& j) {
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}
std::string in_lines(const ordered_json& j, const std::string& margin) {
  if (!j.is_structured() || j.empty()) return in_one_line(j);
  const bool one_line = j.is_array() && !j.front().is_structured();
  const std::string inner = one_line ? "" : "\n" + margin + "  ";
  std::string text(1, j.is_array() ? '[' : '{');
  for (auto at = j.begin(); at != j.end(); ++at) {
    if (at != j.begin()) text += one_line ? ", " : ",";
    text += inner;
    if (j.is_object()) text += in_one_line(at.key()) + ": ";
    text += in_lines(*at, margin + "  ");
  }
  return text + (one_line ? "" : "\n" + margin) + (j.is_array() ? "]" : "}");
}

}  // namespace

json parse_json(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& why, std::size_t byte) {
    throw UserError(Place{.file = file}, fmt::format("{} at byte {}", why, byte));
  };
  if (const std::size_t byte = too_deep(text); byte != std::string_view::npos)
    refuse(fmt::format("not readable as JSON: nested deeper than {} levels", deepest_json), byte);
  try {
    return json::parse(text, NoNameTwice(file));
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
std::string print_json_lists_in_lines(const nlohmann::ordered_json& document) { return in_lines(document, ""); }

}  // namespace pimento
