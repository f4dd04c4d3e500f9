#include "isa/program/check_chip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/chip/canonical.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
/// "core.crossbar.rows (program 128, chip 256)" for every key that differs.
std::vector<std::string> legality_differences(const Program& program, const Chip& chip) {
  const Chip compiled_for = read_canonical(program.chip_yaml, "chip of the program");
  std::vector<std::string> all;
  for (const std::string& key : differing_keys(compiled_for, chip, KeyClass::legality))
    all.push_back(fmt::format("{} (program {}, chip {})", key, key_value(compiled_for, key), key_value(chip, key)));
  return all;
}

[[noreturn]] void refuse(const Program& program, const Chip& chip, std::size_t named) {
  const std::string place =
      fmt::format("program is for chip '{}', which differs from chip '{}' in ", program.chip_name, chip.name);
  if (program.chip_yaml.empty()) throw UserError(place + "what it can do; the program does not say in which keys");
  std::vector<std::string> keys = legality_differences(program, chip);
  if (keys.empty())
    throw UserError(place + "no key: the rule of the fingerprint changed; expected a program of this version");
  const std::size_t all = keys.size();
  if (named < all) keys.resize(named);
  std::string text = fmt::format("{}{} key{}: {}", place, all, all == 1 ? "" : "s", fmt::join(keys, ", "));
  if (named < all) text += fmt::format(" and {} more", all - named);
  throw UserError(text);
}
}  // namespace

std::vector<std::string> check_chip(const Program& program, const Chip& chip, std::size_t named) {
  if (program.chip.legality != chip.fingerprints.legality) refuse(program, chip, named);
  std::vector<std::string> differing;
  for (const std::string& entry : program.schedule_cost_keys) {
    const std::size_t equals = entry.find('=');
    const std::string key = entry.substr(0, equals);
    if (equals == std::string::npos || key_value(chip, key) != entry.substr(equals + 1)) differing.push_back(key);
  }
  return differing;
}

std::vector<std::string> check_chip(const Program& program, const Chip& chip) { return check_chip(program, chip, 3); }

}  // namespace pimento::isa
