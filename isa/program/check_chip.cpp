#include <fmt/format.h>

#include "isa/program/program.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
/// "  core.crossbar.rows: program 128, chip 256" for every key that differs.
std::string legality_differences(const Program& program, const Chip& chip) {
  if (program.chip_yaml.empty()) return "\n  the program does not say which keys";
  const Chip compiled_for = parse_chip(program.chip_yaml, "chip of the program");
  std::string text;
  for (const std::string& key : differing_keys(compiled_for, chip, KeyClass::legality))
    text += fmt::format("\n  {}: program {}, chip {}", key, key_value(compiled_for, key), key_value(chip, key));
  return text.empty() ? "\n  no key differs: the rule of the fingerprint changed; compile the model again" : text;
}
}  // namespace

std::vector<std::string> check_chip(const Program& program, const Chip& chip) {
  if (program.chip.legality != chip.fingerprints.legality)
    throw UserError(fmt::format("program is for chip '{}', which differs from chip '{}' in what it can do{}",
                                program.chip_name, chip.name, legality_differences(program, chip)));
  std::vector<std::string> differing;
  for (const std::string& entry : program.schedule_cost_keys) {
    const std::size_t equals = entry.find('=');
    const std::string key = entry.substr(0, equals);
    if (equals == std::string::npos || key_value(chip, key) != entry.substr(equals + 1)) differing.push_back(key);
  }
  return differing;
}

}  // namespace pimento::isa
