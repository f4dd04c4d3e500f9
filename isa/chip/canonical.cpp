#include "isa/chip/canonical.hpp"

#include <fmt/format.h>

#include <map>

#include "isa/chip/key.hpp"
#include "isa/chip/node.hpp"
#include "isa/support/hash.hpp"

namespace pimento::isa {
namespace {

std::string value_of(const Key& key, const Chip& chip) { return key.applies(chip) ? key.text(chip) : "not used"; }

}  // namespace

std::string canonical_yaml(const Chip& chip) {
  std::string yaml, open;  // `open`: the section that the last line stands in
  for (const Key& key : key_table()) {
    if (!key.applies(chip)) continue;
    const std::string section = section_of(key.path);
    // Announce the parts of the section's path that are not open yet.
    std::size_t depth = 0;
    for (std::size_t from = 0; from < section.size(); ++depth) {
      const std::size_t dot = std::min(section.find('.', from), section.size());
      if (open.compare(0, dot, section, 0, dot) != 0 || (open.size() > dot && open[dot] != '.') || open.size() < dot)
        yaml += fmt::format("{}{}:\n", std::string(2 * depth, ' '), section.substr(from, dot - from));
      from = dot + 1;
    }
    open = section;
    const std::string value = key.kind.is_text ? quoted(key.text(chip)) : key.text(chip);
    const std::string name = section.empty() ? key.path : key.path.substr(section.size() + 1);
    const auto source = chip.sources.find(key.path);
    yaml += fmt::format("{}{}: ", std::string(2 * depth, ' '), name);
    yaml += source == chip.sources.end() ? value + "\n"
                                         : fmt::format("{{value: {}, source: {}}}\n", value, quoted(source->second));
  }
  return yaml;
}

Fingerprints fingerprints_of(const Chip& chip) {
  std::map<std::string, const Key*> sorted;
  for (const Key& key : key_table())
    if (!key.is_label && key.applies(chip) && !(key.is_option && key.text(chip) == key.default_text))
      sorted[key.path] = &key;
  std::map<KeyClass, Hasher> hashers;
  for (const KeyClass c : {KeyClass::legality, KeyClass::cost, KeyClass::physics}) hashers[c];
  for (const auto& [path, key] : sorted) hashers[key->key_class].add(path).add("=").add(key->text(chip)).add("\n");
  return {hashers[KeyClass::legality].value(), hashers[KeyClass::cost].value(), hashers[KeyClass::physics].value()};
}

std::string key_value(const Chip& chip, const std::string& path) { return value_of(key_at(path), chip); }

std::vector<std::string> differing_keys(const Chip& a, const Chip& b, KeyClass key_class) {
  std::vector<std::string> paths;
  for (const Key& key : key_table())
    if (key.key_class == key_class && !key.is_label && key.applies(a) && key.applies(b) && key.text(a) != key.text(b))
      paths.push_back(key.path);
  return paths;
}

}  // namespace pimento::isa
