#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "isa/chip/canonical.hpp"
#include "isa/chip/chip_for_tests.hpp"
#include "isa/chip/key.hpp"
#include "isa/chip/node.hpp"

using namespace pimento;
using namespace pimento::isa;
namespace {

Chip least() { return parse_chip(least_chip, "c.yaml"); }

/// Another legal value of a key on the least chip, found from its kind; "" when a rule between keys allows none alone.
std::string another(const Key& key, const Chip& chip) {
  static const std::map<std::string, std::string> chosen{{"core.vector.types", "[i8, i32, f32]"},
                                                         {"global_memory.attached_to", "[3]"},
                                                         {"core.crossbar.encoding", "flipped"},
                                                         {"core.crossbar.rows_active", "64"},
                                                         {"core.local_memory.width", "32 B"},
                                                         {"core.crossbar.cell_bits", "4"},
                                                         {"core.crossbar.dac_bits", "2"},
                                                         {"numerics.weight_bits", "16"},
                                                         {"core.crossbar.adc.per_crossbar", "2"},
                                                         {"core.crossbar.extra_columns", "2"},
                                                         {"parts", "[\"bus, 1 per core, 7 mW, unknown\"]"}};
  static const std::set<std::string> bound{
      "network.topology", "network.width",          "network.height",           "cores",
      "numerics.f32",     "global_memory.channels", "network.cores_per_router", "global_memory.row_size"};
  if (bound.count(key.path)) return "";
  if (const auto at = chosen.find(key.path); at != chosen.end()) return at->second;
  if (key.kind.is_text) return "other";
  if (!key.kind.words.empty()) return key.kind.words[key.text(chip) == key.kind.words[0] ? 1 : 0];
  if (!is_whole(key.kind.dimension)) return format_quantity(key.kind.real_high, key.kind.dimension);
  const std::string high = format_quantity(key.kind.high, key.kind.dimension);
  const std::string low = format_quantity(key.kind.low, key.kind.dimension);
  return key.path.starts_with("core.array_group") ? "2" + std::string(key.path.ends_with("latency") ? " cycles" : "")
         : key.text(chip) == high                 ? low
                                                  : high;
}

/// What a key needs beside it in order to do anything, in both chips.
const std::map<std::string, std::string>& beside(const std::string& path) {
  using Values = std::map<std::string, std::string>;
  static const Values none, table{{"core.crossbar.read_energy", "[1 pJ at 0, 2 pJ at 1e9]"}},
      supply{{"core.supply.voltage", "1 V"},
             {"core.supply.nominal", "1 V"},
             {"core.supply.time_exponent", "1"},
             {"core.supply.energy_exponent", "1"}},
      steps{{"core.crossbar.adc.steps", "8"}, {"core.crossbar.adc.step_latency", "2 cycles"}},
      converter{{"core.crossbar.adc.ideal", "false"}},
      devices{{"core.crossbar.nonideal.variation", "0.1"},
              {"core.crossbar.nonideal.drift_exponent", "0.1"},
              {"core.crossbar.nonideal.drift_age", "10"}};
  if (path == "core.crossbar.mean_output") return table;
  if (path.starts_with("core.supply.")) return supply;
  if (path.starts_with("core.crossbar.adc.") && path.find("step") != std::string::npos) return steps;
  if (path == "core.crossbar.adc.range") return converter;
  const bool needs_devices = path.ends_with(".seed") || path.find(".drift_") != std::string::npos;
  return needs_devices ? devices : none;
}

}  // namespace

TEST_CASE("chip: does the canonical text read back to the same chip?") {
  for (const std::string& text :
       {least_chip, changed("rows: 128", "rows: {value: 128, source: \"a \\\"b\\\": c # d\"}")}) {
    const Chip chip = parse_chip(text, "c.yaml");
    const Chip again = parse_chip(chip.yaml, "elsewhere.yaml");
    CHECK(again.yaml == chip.yaml);
    CHECK(again.fingerprints == chip.fingerprints);
    CHECK(again.sources == chip.sources);
  }
}

TEST_CASE("chip: does the canonical text hold every key that applies, unknown ones too?") {
  const Chip chip = least();
  const Node root = parse_yaml(chip.yaml, "c", "x");
  for (const Key& key : key_table()) {
    CAPTURE(key.path);
    const Node* at = &root;
    for (std::size_t from = 0; at && from <= key.path.size();) {
      const std::size_t dot = std::min(key.path.find('.', from), key.path.size());
      at = at->find(key.path.substr(from, dot - from));
      from = dot + 1;
    }
    CHECK((at != nullptr) == key.applies(chip));
  }
  CHECK(key_value(chip, "core.crossbar.read_energy") == "unknown");
  CHECK(key_value(chip, "core.crossbar.read_latency") == "30 ns");
  CHECK(key_value(chip, "network.table") == "not used");
  CHECK(key_value(chip, "core.vector.types") == "[i8, i32]");
}

TEST_CASE("chip: does each key move the fingerprint of its class and no other?") {
  std::set<std::string> skipped;
  for (const Key& key : key_table()) {
    const Chip chip = with_values(least(), beside(key.path));
    const std::string value = key.applies(chip) ? another(key, chip) : "";
    if (value.empty()) {
      skipped.insert(key.path);
      continue;
    }
    CAPTURE(key.path);
    CAPTURE(value);
    const Chip other = with_values(chip, {{key.path, value}});
    const auto moves = [&](KeyClass c) { return key.key_class == c && !key.is_label; };
    CHECK((other.fingerprints.legality != chip.fingerprints.legality) == moves(KeyClass::legality));
    CHECK((other.fingerprints.cost != chip.fingerprints.cost) == moves(KeyClass::cost));
    CHECK((other.fingerprints.physics != chip.fingerprints.physics) == moves(KeyClass::physics));
    if (!key.is_label) CHECK(differing_keys(chip, other, key.key_class) == std::vector<std::string>{key.path});
  }
  // what does not apply to the least chip, or is bound to another key
  CHECK(fmt::format("{}", fmt::join(skipped, " ")) ==
        "core.local_memory.bank_interleave cores global_memory.activate_latency global_memory.banks "
        "global_memory.channels global_memory.precharge_latency global_memory.row_size network.cores_per_router "
        "network.height network.routing network.table network.topology network.tree_arity "
        "network.virtual_channel_buffer network.virtual_channels network.width numerics.f32 rules.messages_in_turn "
        "rules.request_and_grant rules.sends_end_early");
  CHECK(key_table().size() > 60 + skipped.size());
}

TEST_CASE("chip: do rows of the global memory, and each of their keys, move the fingerprint of costs alone?") {
  const Chip flat = least();
  const Chip rows = with_values(flat, {{"global_memory.row_size", "1 KiB"},
                                       {"global_memory.activate_latency", "3 cycles"},
                                       {"global_memory.precharge_latency", "4 cycles"}});
  CHECK(rows.fingerprints.cost != flat.fingerprints.cost);
  CHECK(rows.fingerprints.legality == flat.fingerprints.legality);
  CHECK(rows.fingerprints.physics == flat.fingerprints.physics);
  CHECK(rows.global_memory.banks == 1);
  for (const auto& [its_key, value] : std::map<std::string, std::string>{{"row_size", "2 KiB"},
                                                                         {"banks", "4"},
                                                                         {"activate_latency", "5 cycles"},
                                                                         {"precharge_latency", "5 cycles"}}) {
    const auto& key = its_key;
    CAPTURE(key);
    const Chip other = with_values(rows, {{"global_memory." + key, value}});
    CHECK(other.fingerprints.cost != rows.fingerprints.cost);
    CHECK(differing_keys(rows, other, KeyClass::cost) == std::vector<std::string>{"global_memory." + key});
  }
  CHECK(with_values(rows, {{"global_memory.row_size", "0 B"}}).fingerprints == flat.fingerprints);
}

TEST_CASE("chip: do names, sources, spelling and order leave the fingerprints alone?") {
  const Fingerprints before = least().fingerprints;
  CHECK(parse_chip(changed("name: least", "name: other\ndescription: words"), "other.yaml").fingerprints == before);
  CHECK(parse_chip(changed("rows: 128", "rows: {value: 128, source: table 1}"), "c.yaml").fingerprints == before);
  CHECK(parse_chip(changed("30 ns", "30000 ps"), "c.yaml").fingerprints == before);
  CHECK(parse_chip(changed("clock: 1 GHz", "clock: 1 ns"), "c.yaml").fingerprints == before);
  CHECK(parse_chip(changed("    cell_bits: 2\n", "", changed("    rows: 128\n", "    cell_bits: 2\n    rows: 128\n")),
                   "c.yaml")
            .fingerprints == before);
  CHECK(parse_chip(changed("crossbars: 8", "crossbars: 8\n  window: 1"), "c.yaml").fingerprints == before);
}

TEST_CASE("chip: does a value set over a chip load as if it stood in the file?") {
  const Chip set = with_values(least(), {{"core.crossbar.rows", "64"}, {"core.crossbar.rows_active", "32"}});
  const Chip written = parse_chip(changed("rows: 128", "rows: 64\n    rows_active: 32"), "c.yaml");
  CHECK(set.yaml == written.yaml);
  CHECK(set.fingerprints == written.fingerprints);
  const Chip table = with_values(
      parse_chip(changed("cores: 4", "cores: 1", changed("width: 2", "width: 1", changed("height: 2", "height: 1"))),
                 "c.yaml"),
      {{"network.topology", "table"}, {"network.table", "[[0, 3], [4, 0]]"}});
  CHECK(key_value(table, "network.width") == "not used");
  CHECK(table.network.width == 0);
  CHECK((*table.network.table)[1][0] == 4);
}

TEST_CASE("chip: what do wrong values set over a chip answer?") {
  const auto complaint_about = [](const std::map<std::string, std::string>& values) -> std::string {
    try {
      with_values(least(), values);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  CHECK(complaint_about({{"core.windw", "2"}}) ==
        "core.windw=2: unknown chip key 'core.windw'; nearest: 'core.window'");
  CHECK(complaint_about({{"core.window", "two"}}) ==
        "core.window=two: 'core.window': expected a whole number without unit, got 'two'");
  CHECK(complaint_about({{"core.window", ""}}) == "core.window=: empty, expected a value");
  CHECK(complaint_about({{"core.window", "[1"}}).starts_with("core.window=[1: "));
  CHECK(complaint_about({{"network.table", "[[0]]"}}) ==
        "network.table=[[0]]: 'network.table': given but not used; it applies only with network.topology table");
  CHECK(complaint_about({{"network.width", "3"}}) ==
        "network.width=3: 'network.width': expected width * height to be 4 ('cores'), got 3 * 2 = 6");
  CHECK(complaint_about({{"core.crossbar.rows", "64"}}) ==
        "chip 'least': 'core.crossbar.rows_active': expected at most 64 (core.crossbar.rows), got 128");
}

TEST_CASE("chip: does the reference page hold every key once, with its class and range?") {
  const std::string page = chip_reference();
  CHECK(chip_keys().size() == key_table().size());
  for (const KeyInfo& key : chip_keys()) {
    CAPTURE(key.path);
    CHECK_FALSE(key.meaning.empty());
    CHECK_FALSE(key.range.empty());
    CHECK_FALSE(key.default_text.empty());
    CHECK(page.find(key.meaning) != std::string::npos);
    CHECK(page.find("`" + section_of(key.path) + "`") != (section_of(key.path).empty() ? 0 : std::string::npos));
  }
  CHECK_THROWS_WITH_AS(key_value(least(), "core.crossbar.row"),
                       "unknown chip key 'core.crossbar.row'; nearest: 'core.crossbar.rows'", UserError);
}
