// From YAML to a Chip in four steps, each with its own kind of error: walk the tree against the key table, refuse what
// the chosen topology has no use for, refuse what is missing, check what must hold between keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/chip/canonical.hpp"
#include "isa/chip/check.hpp"
#include "isa/chip/chip.hpp"
#include "isa/chip/key.hpp"
#include "isa/chip/node.hpp"
#include "isa/chip/supply.hpp"
#include "isa/chip/table.hpp"
#include "isa/chip/unused.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {

/// The sections of the file and the names that each may hold, in the order of the table.
const std::map<std::string, std::vector<std::string>>& sections() {
  static const std::map<std::string, std::vector<std::string>> map = [] {
    std::map<std::string, std::vector<std::string>> result;
    for (const Key& key : key_table())
      for (std::string path = key.path; !path.empty(); path = section_of(path)) {
        const std::string section = section_of(path);
        const std::string name = section.empty() ? path : path.substr(section.size() + 1);
        auto& names = result[section];
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    return result;
  }();
  return map;
}

std::string joined(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

class Loader {
 public:
  explicit Loader(std::string file) : file_(std::move(file)) {}

  Chip load(const Node& root, const std::set<std::string>* insisted, bool refuses_idle_keys = true) {
    chip_ = named_clocks();
    walk(root, "");
    check_use(root, insisted);
    check_missing();
    set_at_supply();
    if (refuses_idle_keys) check_effect(insisted);
    if (chip_.core.crossbar.rows_active == 0) chip_.core.crossbar.rows_active = chip_.core.crossbar.rows;
    if (table_) load_table();
    if (const auto finding = check_across_keys(chip_)) refuse(place_of(finding->path), finding->path, finding->message);
    chip_.fingerprints = fingerprints_of(chip_);
    chip_.yaml = canonical_yaml(chip_);
    return std::move(chip_);
  }

 private:
  static Chip named_clocks() {
    Chip chip;
    chip.core.clock.name = "core";
    chip.network.clock.name = "network";
    chip.global_memory.clock.name = "memory";
    return chip;
  }

  [[noreturn]] static void refuse(const Place& place, const std::string& path, const std::string& message) {
    throw UserError(place, fmt::format("'{}': {}", path, message));
  }

  void walk(const Node& node, const std::string& section) {
    const auto& names = sections().at(section);
    if (node.kind != Node::Kind::mapping)
      throw UserError(node.place,
                      fmt::format("{}expected a section with keys ({}), got {}",
                                  section.empty() ? "" : "'" + section + "': ", fmt::join(names, ", "), shown(node)));
    places_[section] = node.place;
    for (const auto& [name, value] : node.entries) {
      const std::string path = joined(section, name.text);
      if (std::find(names.begin(), names.end(), name.text) == names.end()) refuse_unknown(name, section, names);
      if (sections().count(path))
        walk(value, path);
      else
        take(key_at(path), name, value);
    }
  }

  [[noreturn]] static void refuse_unknown(const Node& name, const std::string& section,
                                          const std::vector<std::string>& names) {
    std::string hint = suggestion(name.text, names);
    if (nearest(name.text, names).empty())  // a key in the wrong section is named with its right place
      for (const Key& key : key_table())
        if (key.path.ends_with("." + name.text) || key.path == name.text) {
          hint = fmt::format("; there is '{}'", key.path);
          break;
        }
    throw UserError(name.place, fmt::format("unknown key '{}' {}{}", name.text,
                                            section.empty() ? "at top level" : "in '" + section + "'", hint));
  }

  /// A value as it stands, or {value, source}.
  void take(const Key& key, const Node& name, const Node& given) {
    if (left_out_.count(key.path)) return;
    const Node* value = &given;
    if (given.kind == Node::Kind::mapping) {
      static const std::vector<std::string> inside{"value", "source"};
      for (const auto& [part, ignored] : given.entries)
        if (std::find(inside.begin(), inside.end(), part.text) == inside.end())
          throw UserError(part.place, fmt::format("unknown key '{}' in '{}'{}", part.text, key.path,
                                                  suggestion(part.text, inside)));
      value = given.find("value");
      if (!value)
        refuse(given.place, key.path,
               fmt::format("expected {} or {{value, source}}, got a mapping without value", expectation(key)));
      if (const Node* source = given.find("source")) {
        if (source->kind != Node::Kind::scalar || source->text.empty())
          refuse(source->place, key.path, fmt::format("expected a text as source, got {}", shown(*source)));
        chip_.sources[key.path] = source->text;
      }
    }
    places_[key.path] = name.place;
    given_.push_back(&key);
    set(key, *value);
  }

  void set(const Key& key, const Node& value) {
    if (key.form == Key::Form::table) {
      table_ = value;
      return;
    }
    const auto wrong_kind = [&](const Node& node) {
      refuse(node.place, key.path, fmt::format("expected {}, got {}", expectation(key), shown(node)));
    };
    std::vector<std::string> items;
    if (key.form == Key::Form::list) {
      if (value.kind != Node::Kind::sequence) wrong_kind(value);
      for (const Node& item : value.items) {
        if (item.kind != Node::Kind::scalar) wrong_kind(item);
        items.push_back(item.text);
      }
      if (items.empty() && key.default_text != "[]")
        refuse(value.place, key.path, "expected at least one item, got an empty list");
    } else if (value.kind == Node::Kind::sequence && takes_points(key)) {
      for (const Node& item : value.items)
        if (item.kind != Node::Kind::scalar) wrong_kind(item);
      points_[key.path] = value;
      return;
    } else {
      if (value.kind != Node::Kind::scalar) wrong_kind(value);
      items.push_back(value.text);
    }
    const Refusal refusal = key.set_items(chip_, items);
    if (!refusal.message.empty())
      refuse(key.form == Key::Form::list ? value.items[refusal.item].place : value.place, key.path, refusal.message);
  }

  /// A key that was given and has no effect is an error; in with_values only if it was among the values, else it is
  /// left out and the tree is walked once more.
  void check_use(const Node& root, const std::set<std::string>* insisted) {
    if (chip_.network.topology.empty()) return;  // missing, which is said next
    for (const Key* key : given_) {
      if (key->applies(chip_)) continue;
      if (!insisted || insisted->count(key->path))
        refuse(place_of(key->path), key->path,
               fmt::format("given but not used; it applies only {}", key->applies_when));
      left_out_.insert(key->path);
    }
    if (left_out_.empty()) return;
    chip_ = named_clocks();
    places_.clear();
    given_.clear();
    points_.clear();
    table_.reset();
    walk(root, "");
  }

  void check_missing() const {
    for (const Key& key : key_table())
      if (key.is_required && key.applies(chip_) && !places_.count(key.path))
        throw UserError(place_of(key.path),
                        fmt::format("missing key '{}' ({}); expected {}", key.path, key.meaning, expectation(key)));
  }

  /// Tables over the supply or the outputs give their value there; what is none goes by the supply's laws.
  void set_at_supply() {
    for (const Key& key : key_table()) {
      if (!takes_points(key) || !key.applies(chip_)) continue;
      std::vector<PointText> texts;
      if (const auto at = points_.find(key.path); at != points_.end())
        for (const Node& item : at->second.items) texts.push_back({item.text, item.place});
      const std::string given = key.text(chip_);
      const std::optional<AtSupply> found = at_supply(key, chip_, given, texts);
      if (!found) continue;
      const Place place = texts.empty() ? place_of(key.path) : found->place;
      if (!found->error.empty()) refuse(place, key.path, found->error);
      if (const Refusal refusal = key.set_items(chip_, {found->value}); !refusal.message.empty())
        refuse(place, key.path, "at this supply: " + refusal.message);
      chip_.as_given[key.path] = found->given;
    }
  }

  /// A key that does nothing for want of another is an error, too; in with_values only if it was among the values.
  void check_effect(const std::set<std::string>* insisted) const {
    const auto is_given = [&](const std::string& path) {
      if (!insisted) return places_.count(path) > 0;
      const Key& key = key_at(path);  // a chip's text holds every key: only what is none of the defaults was meant
      return insisted->count(path) > 0 || key.text(chip_) != key.default_text;
    };
    for (const Key* key : given_) {
      if (key->text(chip_) == key->default_text || (insisted && !insisted->count(key->path))) continue;
      if (const std::optional<std::string> missing = missing_for(key->path, chip_, is_given))
        refuse(place_of(key->path), key->path, fmt::format("given without effect; it needs {}", *missing));
    }
  }

  void load_table() {
    chip_.network.table =
        std::make_shared<const LatencyTable>(read_table(*table_, file_, chip_.network.clock.period_fs));
  }

  /// Of the key, else of the innermost section that stands in the file.
  Place place_of(std::string path) const {
    for (;; path = section_of(path)) {
      if (const auto at = places_.find(path); at != places_.end()) return at->second;
      if (path.empty()) return {file_, 0, 0, ""};
    }
  }

  std::string file_;
  Chip chip_;
  std::map<std::string, Place> places_;  ///< of every section and key in the file
  std::vector<const Key*> given_;        ///< in the file's order
  std::set<std::string> left_out_;
  std::optional<Node> table_;
  std::map<std::string, Node> points_;  ///< by key: a table over the supply's voltage or the outputs' mean code
};

/// Puts `value` at `path`, over whatever stands there.
void put(Node& root, const std::string& path, Node value) {
  Node* at = &root;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string name = path.substr(from, dot - from);
    auto entry =
        std::find_if(at->entries.begin(), at->entries.end(), [&](const auto& e) { return e.key.text == name; });
    if (entry == at->entries.end()) {
      Node key{Node::Kind::scalar, name, {}, {}, value.place}, inside{Node::Kind::mapping, "", {}, {}, value.place};
      at->entries.push_back({std::move(key), std::move(inside)});
      entry = std::prev(at->entries.end());
    }
    entry->key.place = value.place;
    at = &entry->value;
    from = dot + 1;
  }
  *at = std::move(value);
}

void place_all(Node& node, const Place& place) {
  node.place = place;
  for (Node& item : node.items) place_all(item, place);
  for (auto& [key, value] : node.entries) place_all(key, place), place_all(value, place);
}

}  // namespace

Chip parse_chip(const std::string& yaml, const std::string& file_name) {
  return Loader(file_name).load(parse_yaml(yaml, file_name, "a chip description"), nullptr);
}

Chip read_canonical(const std::string& yaml, const std::string& file_name) {
  return Loader(file_name).load(parse_yaml(yaml, file_name, "a chip description"), nullptr, false);
}

Chip with_values(const Chip& chip, const std::map<std::string, std::string>& values) {
  Node root = parse_yaml(chip.yaml, "chip " + chip.name, "a chip description");
  place_all(root, {"", 0, 0, "chip '" + chip.name + "'"});
  std::set<std::string> insisted;
  for (const auto& [path, text] : values) {
    const Place place{"", 0, 0, fmt::format("{}={}", path, text)};
    try {
      key_at(path);
    } catch (const UserError& error) {
      throw UserError(place, error.what());
    }
    Node value;
    try {
      value = parse_yaml(text, "", "a value");
    } catch (const UserError& error) {
      throw UserError(place, error.what());
    }
    place_all(value, place);
    put(root, path, std::move(value));
    insisted.insert(path);
  }
  return Loader("").load(root, &insisted);
}

}  // namespace pimento::isa
