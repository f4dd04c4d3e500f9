#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/support/error.hpp"
#include "isa/support/json.hpp"
#include "validation/golden/golden.hpp"

namespace pimento::validation {
namespace {
using Json = nlohmann::ordered_json;

GoldenChange change_of(const nlohmann::ordered_json& j) {
  GoldenChange change{j.at("kind").get<std::string>(), j.at("why").get<std::string>(), {}, {}};
  for (const auto& [name, pair] : j.at("changed").items())
    change.changed.push_back({name, pair.at(0).get<std::string>(), pair.at(1).get<std::string>()});
  for (const auto& [name, reason] : j.at("worse").items()) change.worse.emplace_back(name, reason.get<std::string>());
  return change;
}

}  // namespace

std::string to_json(const Golden& golden) {
  Json history = Json::array();
  for (const GoldenChange& change : golden.history) {
    Json changed = Json::object(), worse = Json::object();
    for (const GoldenChange::Figure& f : change.changed) changed[f.name] = {f.before, f.after};
    for (const auto& [name, reason] : change.worse) worse[name] = reason;
    history.push_back({{"kind", change.kind}, {"why", change.why}, {"changed", changed}, {"worse", worse}});
  }
  const Json document{{"schema", "pimento.golden"},
                      {"schema_version", golden_schema_version},
                      {"record", Json::parse(proof::to_json(golden.record))},
                      {"history", history}};
  return print_json_lists_in_lines(document) + "\n";
}

Golden parse_golden(const std::string& json, const std::string& file) {
  parse_json(json, file);  // refuses what nests too deep or is no JSON, with the byte
  try {
    const auto document = Json::parse(json);
    if (document.at("schema") != "pimento.golden" || document.at("schema_version") != golden_schema_version)
      throw UserError({.file = file},
                      fmt::format("expected a golden record of schema version {}", golden_schema_version));
    Golden golden;
    golden.record = proof::parse_record(print_json(document.at("record")), file);
    for (const auto& change : document.at("history")) golden.history.push_back(change_of(change));
    return golden;
  } catch (const nlohmann::json::exception& fault) {
    throw UserError({.file = file}, fmt::format("not a golden record: {}", fault.what()));
  }
}

}  // namespace pimento::validation
