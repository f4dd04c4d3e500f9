#include "compiler/proof/record.hpp"

#include <nlohmann/json.hpp>

#include "isa/support/json.hpp"

namespace pimento::proof {

std::string to_json(const Record& record) {
  // Made as what they are: this library turns null into an object in a way that a failing allocation cannot end in.
  auto j = nlohmann::ordered_json::object();
  j["schema_version"] = record_schema_version;
  j["model"] = record.model;
  j["model_fingerprint"] = record.model_fingerprint;
  j["chip"] = record.chip;
  j["chip_fingerprint"] = record.chip_fingerprint;
  j["numerics"] = record.numerics;
  j["version"] = record.version;
  j["settings"] = record.settings_json.empty() ? nlohmann::ordered_json::object()
                                               : nlohmann::ordered_json::parse(record.settings_json);
  j["wall_s"] = record.wall_s;
  j["peak_resident_bytes"] = record.peak_resident;
  j["stages"] = nlohmann::ordered_json::array();
  for (const StageRecord& stage : record.stages) {
    auto s = nlohmann::ordered_json::object();
    s["name"] = stage.name;
    s["wall_s"] = stage.wall_s;
    s["counts"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : stage.counts) s["counts"][name] = value;
    j["stages"].push_back(std::move(s));
  }
  j["figures"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : record.figures) j["figures"][name] = value;
  for (const auto& [name, value] : record.reals) j["figures"][name] = value;
  j["lists"] = nlohmann::ordered_json::object();
  for (const auto& [name, values] : record.lists) j["lists"][name] = values;
  j["absent"] = nlohmann::ordered_json::object();
  for (const auto& [name, reason] : record.absent) j["absent"][name] = reason;
  return print_json(j) + "\n";
}

}  // namespace pimento::proof
