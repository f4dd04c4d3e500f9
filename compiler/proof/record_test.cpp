#include "compiler/proof/record.hpp"

#include <doctest/doctest.h>

#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::proof;

namespace {
Record some() {
  Record r;
  r.model = "m.onnx";
  r.model_fingerprint = "12";
  r.numerics = "exact";
  r.version = "0.1.0";
  r.settings_json = "{}";
  r.identify(isa::load_chip("tiny-4"));
  r.stages = {{"emit", 0.125, 0.0625, {{"operations", 3}}}};
  r.know("mvms", 7);
  r.know_real("energy_known_pj", 0.1);
  r.lists["graph_lanes"] = {3, 4};
  r.miss("simulated_cycles", "not simulated");
  return r;
}
std::string refusal(const std::string& text) {
  try {
    parse_record(text, "r.json");
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
std::string with(const std::string& from, const std::string& to) {
  std::string text = to_json(some());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
}  // namespace

TEST_CASE("record: does what was written read back?") {
  const std::string text = to_json(some());
  CHECK(to_json(parse_record(text, "r.json")) == text);
  CHECK(text.find("\"graph_lanes\": [3, 4]") != std::string::npos);
}

TEST_CASE("record: does a figure that becomes known lose its reason, and one that is missed its value?") {
  Record r = some();
  r.know("simulated_cycles", 5);
  CHECK(r.absent.empty());
  r.miss("simulated_cycles", "why");
  CHECK(r.figures.size() == 1);
}

TEST_CASE("record: is what is no record refused by entry?") {
  CHECK(refusal("[]") == "r.json: not a record: 'record': expected an object, got array");
  CHECK(refusal("{}") == "r.json: not a record: 'schema_version': expected a value, got nothing");
  CHECK(refusal(with("\"schema_version\": 2", "\"schema_version\": 1")) ==
        "r.json: record of schema version 1; expected 2: compile again with this version");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": null")) ==
        "r.json: not a record: 'mvms': expected a number, got nothing");
  CHECK(refusal(with("[3, 4]", "[3, 4.5]")) ==
        "r.json: not a record: 'graph_lanes': expected a list of whole numbers, got 4.5");
  CHECK(refusal(with("\"not simulated\"", "3")) == "r.json: not a record: 'simulated_cycles': expected a text, got 3");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": 9007199254740993")) ==
        "r.json: not a record: 'mvms': 9007199254740993 is beyond 2^53");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": -9007199254740993")) ==
        "r.json: not a record: 'mvms': -9007199254740993 is beyond 2^53");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": -9223372036854775808")) ==
        "r.json: not a record: 'mvms': -9223372036854775808 is beyond 2^53");
  CHECK_NOTHROW(proof::parse_record(with("\"mvms\": 7", "\"mvms\": -9007199254740992"), "r.json"));
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": 7, \"cpu_s\": -0.5")) ==
        "r.json: not a record: 'cpu_s': expected seconds, 0 or more, got -0.5");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": 7, \"wall_s\": -1")) ==
        "r.json: not a record: 'wall_s': expected seconds, 0 or more, got -1");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": 18446744073709551615")) ==
        "r.json: not a record: 'mvms': 18446744073709551615 is beyond 2^53");
  CHECK(refusal(with("\"mvms\": 7", "\"mvms\": 7, \"mvms\": 8")) == "r.json: 'mvms' stands twice in one object");
  for (const char* time : {"\"wall_s\": ", "\"cpu_s\": "})
    CHECK(refusal(with(time, std::string(time) + "-")).find("expected seconds, 0 or more, got -") != std::string::npos);
  CHECK(refusal(with("\"mvms\": 7", "\"simulated_cycles\": 7")) ==
        "r.json: not a record: 'simulated_cycles' without 'timing_model', the rules that they follow");
  CHECK(refusal(R"({"schema": "pimento.report", "schema_version": 2})") ==
        "r.json: a 'pimento.report', not a record; expected what --record wrote");
  CHECK(refusal("{").starts_with("r.json: not readable as JSON"));
}
