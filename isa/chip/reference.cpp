// The reference page of the chip file, printed from the key table.
#include <fmt/format.h>

#include "isa/chip/key.hpp"
#include "isa/support/document.hpp"

namespace pimento::isa {
namespace {

std::string unit_of(const Key& key) {
  if (key.kind.is_text || !key.kind.words.empty()) return "";
  switch (key.kind.dimension) {
    case Dimension::count:
      return "";
    case Dimension::bytes:
      return "bytes";
    case Dimension::cycles:
      return key.form == Key::Form::table ? "network cycles" : key.kind.clock + " cycles";
    case Dimension::time:
      return "time";
    case Dimension::clock:
      return "frequency or period";
    case Dimension::energy:
      return "energy";
    case Dimension::power:
      return "power";
    case Dimension::area:
      return "area";
    case Dimension::voltage:
      return "voltage";
    case Dimension::ratio:
      return "";
  }
  return "";
}

const char* name_of(KeyClass key_class) {
  switch (key_class) {
    case KeyClass::legality:
      return "legality";
    case KeyClass::cost:
      return "cost";
    case KeyClass::physics:
      return "physics";
  }
  return "";
}

std::string default_of(const Key& key) {
  if (key.is_required) return "required";
  return key.kind.is_text ? "empty" : key.default_text;
}

constexpr const char* opening = R"(# The chip file

One YAML file describes a chip for compiler and simulator alike. Every key stands below with its unit, range, default and
class. A value is written as it is (`window: 4`) or with its source (`window: {value: 4, source: "assumed: ..."}`).
Quantities carry their unit: `30 ns`, `1.67 pJ`, `64 KiB`, `1 GHz`, `10 cycles`; plain counts have none. Cycles are those
of the clock that the unit column names, which is the `clock` of that section (`memory` is `global_memory.clock`). A
frequency becomes a period in whole femtoseconds.

An unknown key, a wrong unit, a value out of range, a duplicate, a missing key, or a key that the chosen topology has no
use for is an error with file, line and column. An optional energy, power, area or programming time that is not given (or
`unknown`) is unknown, never zero.

A time or an energy may be a list of points over the voltage of the cores, `[9.7 pJ at 0.85 V, 20.4 pJ at 1.2 V]`, read at
`core.supply.voltage`; an energy also one over the mean code of the outputs, `[3.4 pJ at 0, 7.8 pJ at 15]`, read at
`core.crossbar.mean_output`: linear between two points, an error outside of them, unknown where the place to read is
unknown. The core's other times and energies follow the power laws of `core.supply`.

Classes: a program made for one chip is refused by another that differs in a *legality* key, runs with a remark if they
differ in a *cost* key, and does not care about *physics*. The tool keeps one fingerprint per class.
)";

}  // namespace

const std::vector<KeyInfo>& chip_keys() {
  static const std::vector<KeyInfo> infos = [] {
    std::vector<KeyInfo> rows;
    for (const Key& key : key_table())
      rows.push_back({key.path, unit_of(key), key.kind.range, key.meaning, key.key_class, default_of(key)});
    return rows;
  }();
  return infos;
}

std::string chip_reference() {
  std::string page = opening, section = "?";
  for (const Key& key : key_table()) {
    if (section_of(key.path) != section) {
      section = section_of(key.path);
      page += fmt::format("\n## {}\n\n| key | unit | range | default | class | meaning |\n|---|---|---|---|---|---|\n",
                          section.empty() ? "top level" : "`" + section + "`");
    }
    const std::string name = section.empty() ? key.path : key.path.substr(section.size() + 1);
    const std::string when = key.applies_when.empty() ? "" : "; only " + key.applies_when;
    const std::string list = key.form == Key::Form::list ? "list of: " : "";
    page += fmt::format("| `{}` | {} | {}{} | {} | {} | {}{} |\n", name, unit_of(key), list, key.kind.range,
                        default_of(key), name_of(key.key_class), key.meaning, when);
  }
  return page;
}

DOCUMENT("isa/chip/CHIP.md", chip_reference);

}  // namespace pimento::isa
