#include "compiler/proof/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/json.hpp"

namespace pimento::proof {
namespace {
using Json = nlohmann::ordered_json;

/// Walks a document and says where it is not what a record is.
class Reader {
 public:
  Reader(const nlohmann::json& document, const std::string& file) : document_(document), file_(file) {}

  Record run() const {
    if (!document_.is_object()) refuse("record", "an object", document_);
    if (const auto schema = document_.find("schema"); schema != document_.end() && schema->is_string())
      throw UserError({.file = file_}, fmt::format("a '{}', not a record; expected what --record wrote",
                                                   schema->get_ref<const std::string&>()));
    const auto version = whole(document_, "schema_version");
    if (version != record_schema_version)
      throw UserError({.file = file_}, fmt::format("record of schema version {}; expected {}: compile again with this "
                                                   "version",
                                                   version, record_schema_version));
    Record r;
    r.model = text(document_, "model");
    r.model_fingerprint = text(document_, "model_fingerprint");
    r.chip = text(document_, "chip");
    r.chip_fingerprints = text(document_, "chip_fingerprints");
    each(document_, "chip_keys", [&](const std::string& key, const auto& of) { r.chip_keys[key] = text(of, key); });
    r.numerics = text(document_, "numerics");
    r.version = text(document_, "version");
    r.settings_json = print_json(member(document_, "settings"));
    const nlohmann::json& stages = member(document_, "stages");
    if (!stages.is_array()) refuse("stages", "a list", stages);
    for (const auto& stage : stages) r.stages.push_back(stage_of(stage));
    each(document_, "figures", [&](const std::string& name, const auto& of) {
      const nlohmann::json& value = of.at(name);
      if (name == "wall_s" || name == "cpu_s") seconds(of, name);
      if (value.is_number_integer())
        r.figures[name] = whole(of, name);
      else
        r.reals[name] = real(of, name);
    });
    each(document_, "lists", [&](const std::string& name, const auto& of) { r.lists[name] = list(of, name); });
    each(document_, "absent", [&](const std::string& name, const auto& of) { r.absent[name] = text(of, name); });
    if (r.figures.contains("simulated_cycles") && !r.figures.contains("timing_model"))
      throw UserError({.file = file_},
                      "not a record: 'simulated_cycles' without 'timing_model', the rules that they follow");
    return r;
  }

 private:
  StageRecord stage_of(const nlohmann::json& j) const {
    if (!j.is_object()) refuse("stages", "a list of objects", j);
    StageRecord stage{text(j, "name"), 0, 0, {}};
    if (j.contains("wall_s")) stage.wall_s = seconds(j, "wall_s");
    if (j.contains("cpu_s")) stage.cpu_s = seconds(j, "cpu_s");
    each(j, "counts", [&](const std::string& name, const auto& of) { stage.counts[name] = whole(of, name); });
    return stage;
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& expected, const nlohmann::json& got) const {
    throw UserError({.file = file_}, fmt::format("not a record: '{}': expected {}, got {}", what, expected,
                                                 got.is_null()     ? "nothing"
                                                 : got.is_number() ? got.dump()
                                                                   : std::string(got.type_name())));
  }
  const nlohmann::json& member(const nlohmann::json& of, const std::string& name) const {
    static const nlohmann::json nothing;
    if (!of.contains(name)) refuse(name, "a value", nothing);
    return of.at(name);
  }
  std::string text(const nlohmann::json& of, const std::string& name) const {
    const nlohmann::json& j = member(of, name);
    if (!j.is_string()) refuse(name, "a text", j);
    return j.get<std::string>();
  }
  std::int64_t whole(const nlohmann::json& of, const std::string& name) const {
    const nlohmann::json& j = member(of, name);
    return whole_of(j, name, "a whole number");
  }
  /// Up to 2^53 either way: sums of them are numbers too.
  std::int64_t whole_of(const nlohmann::json& j, const std::string& name, const std::string& expected) const {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    if (!j.is_number_integer()) refuse(name, expected, j);
    const std::int64_t value = j.get<std::int64_t>();
    const bool fits = j.is_number_unsigned() ? j.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                             : -most <= value && value <= most;
    if (!fits) throw UserError({.file = file_}, fmt::format("not a record: '{}': {} is beyond 2^53", name, j.dump()));
    return value;
  }
  double real(const nlohmann::json& of, const std::string& name) const {
    const nlohmann::json& j = member(of, name);
    if (!j.is_number()) refuse(name, "a number", j);
    return j.get<double>();
  }
  /// Refuses times below 0.
  double seconds(const nlohmann::json& of, const std::string& name) const {
    const double value = real(of, name);
    if (value < 0) refuse(name, "seconds, 0 or more", of.at(name));
    return value;
  }
  std::vector<std::int64_t> list(const nlohmann::json& of, const std::string& name) const {
    const nlohmann::json& j = member(of, name);
    if (!j.is_array()) refuse(name, "a list", j);
    std::vector<std::int64_t> values;
    for (const auto& item : j) {
      values.push_back(whole_of(item, name, "a list of whole numbers"));
    }
    return values;
  }
  template <class Take>
  void each(const nlohmann::json& of, const std::string& name, Take&& take) const {
    const nlohmann::json& j = member(of, name);
    if (!j.is_object()) refuse(name, "an object", j);
    for (const auto& [key, unused] : j.items()) take(key, j);
  }

  const nlohmann::json& document_;
  const std::string& file_;
};

constexpr std::size_t longest_value = 64;

/// What a chip says that does not name the key.
bool is_default(const std::string& key, const std::string& value) {
  if (value == "unknown") return true;
  const auto& rows = isa::chip_keys();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const isa::KeyInfo& k) { return k.path == key; });
  return row != rows.end() && !row->default_text.empty() && row->default_text == value;
}

}  // namespace

void Record::identify(const isa::Chip& on) {
  chip = on.name;
  chip_fingerprints = hex(on.fingerprints.legality) + hex(on.fingerprints.cost) + hex(on.fingerprints.physics);
  chip_keys.clear();
  for (const isa::KeyInfo& key : isa::chip_keys()) {
    if (key.key_class == isa::KeyClass::physics || key.path == "name" || key.path == "description") continue;
    const std::string value = isa::key_value(on, key.path);
    if (value == "not used") continue;
    chip_keys[key.path] = value.size() > longest_value ? "hash " + hex(hash64(value)) : value;
  }
}

std::string to_json(const Record& record) {
  // Made as what they are: this library turns null into an object in a way that a failing allocation cannot end in.
  auto j = Json::object();
  j["schema_version"] = record_schema_version;
  j["model"] = record.model;
  j["model_fingerprint"] = record.model_fingerprint;
  j["chip"] = record.chip;
  j["chip_fingerprints"] = record.chip_fingerprints;
  j["chip_keys"] = Json::object();
  for (const auto& [key, value] : record.chip_keys) j["chip_keys"][key] = value;
  j["numerics"] = record.numerics;
  j["version"] = record.version;
  j["settings"] = record.settings_json.empty() ? Json::object() : Json::parse(record.settings_json);
  j["stages"] = Json::array();
  for (const StageRecord& stage : record.stages) {
    auto s = Json::object();
    s["name"] = stage.name;
    if (stage.wall_s != 0 || stage.cpu_s != 0) s["wall_s"] = stage.wall_s, s["cpu_s"] = stage.cpu_s;
    s["counts"] = Json::object();
    for (const auto& [name, value] : stage.counts) s["counts"][name] = value;
    j["stages"].push_back(std::move(s));
  }
  j["figures"] = Json::object();
  for (const auto& [name, value] : record.figures) j["figures"][name] = value;
  for (const auto& [name, value] : record.reals) j["figures"][name] = value;
  j["lists"] = Json::object();
  for (const auto& [name, values] : record.lists) {
    j["lists"][name] = Json::array();
    for (const std::int64_t value : values) j["lists"][name].push_back(value);
  }
  j["absent"] = Json::object();
  for (const auto& [name, reason] : record.absent) {
    const bool is_known = record.figures.contains(name) || record.reals.contains(name) || record.lists.contains(name);
    PIMENTO_CHECK(!is_known, fmt::format("record: '{}' has a value and is absent: {}", name, reason));
    j["absent"][name] = reason;
  }
  return print_json_lists_in_lines(j) + "\n";
}

Record parse_record(const std::string& json, const std::string& file) {
  const nlohmann::json document = parse_json(json, file);
  return Reader(document, file).run();
}
Record read_record(const std::string& file) { return parse_record(read_file(file), file); }

std::vector<std::string> changed_keys(const Record& before, const Record& after) {
  std::vector<std::string> all;
  for (const auto& [key, value] : before.chip_keys) {
    const auto at = after.chip_keys.find(key);
    if (at == after.chip_keys.end() ? !is_default(key, value) : at->second != value)
      all.push_back(
          fmt::format("{} {} -> {}", key, value, at == after.chip_keys.end() ? "not used" : at->second.c_str()));
  }
  for (const auto& [key, value] : after.chip_keys)
    if (!before.chip_keys.contains(key) && !is_default(key, value))
      all.push_back(fmt::format("{} not used -> {}", key, value));
  return all;
}

}  // namespace pimento::proof
