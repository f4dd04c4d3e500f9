#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "isa/peers/load.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {

const std::vector<std::string> config_keys{"core_cnt",       "array_group_map",  "adc_count",
                                           "cell_precision", "xbar_array_count", "xbar_size"};

void must_be(JsonReader& reader, const char* key, const char* chip_key, std::int64_t wanted, std::int64_t got) {
  if (wanted != got) reader.fail(fmt::format("config.{}: chip has {} ({}), got {}", key, wanted, chip_key, got));
}

std::map<CoreId, std::vector<std::int32_t>> read_groups(JsonReader& reader, const Chip& chip) {
  std::map<CoreId, std::vector<std::int32_t>> all;
  bool first = true;
  std::string_view key;
  reader.expect('{');
  while (reader.next_key(first, key)) {
    const auto core = core_number(key, "core");
    if (!core) reader.fail(fmt::format("config.array_group_map: expected 'core<number>', got '{}'", key));
    const auto [mine, is_new] = all.try_emplace(*core);
    if (!is_new) reader.fail(fmt::format("config.array_group_map: core {} stands twice", *core));
    bool first_item = true;
    std::int64_t sum = 0;
    reader.expect('[');
    while (reader.next_item(first_item)) {
      const std::int32_t crossbars = reader.whole32();
      if (crossbars < 1 || crossbars > chip.core.array_group.max_columns)
        reader.fail(fmt::format("core {}, array group {}: expected 1 to {} crossbars, got {}", *core,
                                mine->second.size(), chip.core.array_group.max_columns, crossbars));
      mine->second.push_back(crossbars);
      sum += crossbars;
    }
    if (sum > chip.core.crossbars)
      reader.fail(
          fmt::format("core {}: array groups take {} crossbars, a core has {}", *core, sum, chip.core.crossbars));
  }
  return all;
}

}  // namespace

Config read_config(JsonReader& reader, const Chip& chip, std::vector<std::string>& warnings) {
  Config config;
  std::map<CoreId, std::vector<std::int32_t>> groups;
  std::set<std::string, std::less<>> seen;
  bool first = true;
  std::string_view key;
  reader.expect('{');
  while (reader.next_key(first, key)) {
    if (!seen.emplace(key).second) reader.fail(fmt::format("config.{}: the key stands twice", key));
    const auto& x = chip.core.crossbar;
    if (key == "core_cnt") {
      config.core_count = reader.whole32();
      if (config.core_count < 1 || config.core_count > chip.cores)
        reader.fail(fmt::format("config.core_cnt: expected 1 to {}, the cores of chip '{}', got {}", chip.cores,
                                chip.name, config.core_count));
    } else if (key == "array_group_map") {
      groups = read_groups(reader, chip);
    } else if (key == "xbar_array_count") {
      must_be(reader, "xbar_array_count", "core.crossbars", chip.core.crossbars, reader.whole32());
    } else if (key == "cell_precision") {
      must_be(reader, "cell_precision", "core.crossbar.cell_bits", x.cell_bits, reader.whole32());
    } else if (key == "xbar_size") {
      reader.expect('[');
      must_be(reader, "xbar_size", "core.crossbar.rows", x.rows, reader.whole32());
      reader.expect(',');
      must_be(reader, "xbar_size", "core.crossbar.cols", x.cols, reader.whole32());
      reader.expect(']');
    } else if (key == "adc_count") {
      if (const std::int32_t adcs = reader.whole32(); adcs != x.adc.per_crossbar)
        warnings.push_back(fmt::format("{}: config.adc_count is {}, chip '{}' has {} (core.crossbar.adc.per_crossbar)",
                                       reader.path(), adcs, chip.name, x.adc.per_crossbar));
    } else {
      reader.fail(fmt::format("unknown key '{}' in 'config'{}", key, suggestion(key, config_keys)));
    }
  }
  if (!seen.contains("core_cnt")) reader.fail("config.core_cnt is missing");
  config.groups.resize(static_cast<std::size_t>(config.core_count));
  for (auto& [core, mine] : groups) {
    if (core >= config.groups.size())
      reader.fail(fmt::format("config.array_group_map: core {}, core_cnt is {}", core, config.core_count));
    config.groups[core] = std::move(mine);
  }
  return config;
}

}  // namespace pimento::isa::peers
