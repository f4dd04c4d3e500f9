#include "isa/support/json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "isa/support/error.hpp"

using namespace pimento;

namespace {
std::string message_of(const std::string& text) {
  try {
    parse_json(text, "a.json");
  } catch (const UserError& refusal) {
    return refusal.what();
  }
  return "no error";
}
std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }
}  // namespace

TEST_CASE("json: what is said about text that is none?") {
  CHECK(message_of("{\"a\": 1}") == "no error");
  CHECK(message_of("{\"a\" 1}") == "a.json: not readable as JSON at byte 6");
  CHECK(message_of("") == "a.json: not readable as JSON at byte 1");
  CHECK(message_of("[1e999]") == "a.json: not readable as JSON: a number is out of range");
  CHECK(message_of("[\"\xff\"]").starts_with("a.json: not readable as JSON at byte "));
}

TEST_CASE("json: is depth limited, so that printing cannot exhaust the stack?") {
  CHECK(message_of(nested(deepest_json)) == "no error");
  CHECK(message_of(nested(deepest_json + 1)) ==
        "a.json: not readable as JSON: nested deeper than 64 levels at byte 64");
  CHECK(message_of(nested(1'000'000)).find("nested deeper") != std::string::npos);
  CHECK(message_of("[\"" + std::string(100, '[') + "\\\"[\"]") == "no error");  // brackets in texts do not count
  CHECK(parse_json_or_discard(nested(1'000'000)).is_discarded());
  CHECK(parse_json_or_discard("[").is_discarded());
  CHECK(parse_json_or_discard("[1]") == nlohmann::json({1}));
}

TEST_CASE("json: is a text that is not UTF-8 printed, mended?") {
  CHECK(print_json(nlohmann::json("a\xff")) == "\"a\xef\xbf\xbd\"");
  CHECK(print_json(nlohmann::ordered_json{{"b", 1}, {"a", "\xff"}}) == "{\n  \"b\": 1,\n  \"a\": \"\xef\xbf\xbd\"\n}");
}

TEST_CASE("json: is a name that an object says twice refused, and one that two objects say not?") {
  CHECK(message_of(R"({"a": 1, "b": {"a": 2}, "a": 3})") == "a.json: 'a' stands twice in one object");
  CHECK(message_of(R"([{"a": 1}, {"a": {"a": 2}}, {"b": 3}])") == "no error");
}
