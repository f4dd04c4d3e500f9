#include <doctest/doctest.h>
#include <fmt/format.h>

#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using namespace pimento::isa;
using namespace pimento::isa::peers;

namespace {
const char* const shipped = R"({"chip_config": {
    "core_config": {"rob_size": 1, "period": 1,
      "matrix_config": {"xbar_array_count": 64, "period": 1, "pipeline_mode": true, "dac_resolution": 1, "dac_count": 128,
        "xbar_size": [128,128], "cell_precision": 8, "xbar_latency": 30, "sample_hold_latency_cycle": 1,
        "adc_resolution": 8, "adc_latency_cycle": 10, "adc_count": 2, "shift_adder_latency_cycle": 1,
        "output_buffer_latency_cycle": 1},
      "vector_width": 16, "vector_latency_cycle": 4,
      "local_memory_config": {"data_width": 64, "period": 1, "write_latency_cycle": 1, "read_latency_cycle": 1},
      "global_memory_switch_id": -10},
    "global_memory_config": {"data_width": 16, "period": 1, "write_latency_cycle": 1, "read_latency_cycle": 1},
    "network_config": {"bus_topology": "mesh", "bus_width": 8, "layout": [8, 8], "net_config_file_path": "net.json"},
    "core_cnt": 64, "global_memory_switch_id": -10},
  "sim_config": {"sim_mode": 0, "sim_time": 100}})";

/// The network table of a chip as pimsim-nn has it.
std::string table_json(const Chip& chip) {
  const auto& table = *chip.network.table;
  const auto id = [&](std::size_t n) { return n + 1 == table.size() ? std::string("-10") : std::to_string(n); };
  std::string text;
  for (std::size_t s = 0; s < table.size(); ++s) {
    text += fmt::format("{}\"{}\": {{", s == 0 ? "" : ", ", id(s));
    bool first = true;
    for (std::size_t d = 0; d < table.size(); ++d)
      if (d != s) text += fmt::format("{}\"{}\": {}", first ? "" : ", ", id(d), table[s][d]), first = false;
    text += "}";
  }
  return "{\"latency\": {" + text + "}}";
}
std::string about(const Folder& folder, const std::string& from, const std::string& to) {
  std::string text = shipped;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  const std::string path = folder.write("c.json", text.replace(at, from.size(), to));
  try {
    std::vector<std::string> warnings;
    load_peer_chip(path, PeerRules::documented, warnings);
    return "";
  } catch (const UserError& error) {
    const std::string message = error.what();
    return message.starts_with(path) ? message.substr(path.size() + 2) : message;
  }
}
}  // namespace

TEST_CASE("peers: is pimsim-nn's shipped chip file the chip that we ship?") {
  const Folder folder;
  const Chip ours = load_chip("pimsim-nn-64"), bent = load_chip("pimsim-nn-64-as-built");
  folder.write("net.json", table_json(ours));
  const std::string path = folder.write("chip.json", shipped);
  CHECK(file_kind(path) == FileKind::peer_chip);
  std::vector<std::string> warnings;
  const Chip documented = load_peer_chip(path, PeerRules::documented, warnings);
  CHECK(warnings.empty());
  CHECK(documented.name == "chip");
  CHECK(differing_keys(documented, ours, KeyClass::cost).empty());
  CHECK(differing_keys(documented, ours, KeyClass::legality) ==
        std::vector<std::string>{"core.instruction_memory", "core.vector.types", "core.local_memory.capacity"});
  const Chip as_built = load_peer_chip(path, PeerRules::as_built, warnings);
  CHECK(differing_keys(as_built, bent, KeyClass::cost).empty());
  CHECK(as_built.rules == bent.rules);
  CHECK(!(documented.rules == bent.rules));
}

TEST_CASE("peers: does every value of an imported chip say where it comes from?") {
  const Folder folder;
  folder.write("net.json", table_json(load_chip("pimsim-nn-64")));
  std::vector<std::string> warnings;
  const Chip chip = load_peer_chip(folder.write("chip.json", shipped), PeerRules::documented, warnings);
  for (const KeyInfo& key : chip_keys()) {
    CAPTURE(key.path);
    const std::string value = key_value(chip, key.path);
    if (value == "unknown" || value == "not used" || key.path == "name" || key.path == "description") continue;
    CHECK(chip.sources.contains(key.path));
  }
  CHECK(chip.sources.at("core.window") == "chip.json, rob_size");
  CHECK(chip.sources.at("core.crossbar.dac_latency") ==
        "pimsim-nn's default, since chip.json does not give dac_latency_cycle");
  CHECK(chip.sources.at("core.scalar.latency") == "assumed: this project's default; chip.json does not say");
}

TEST_CASE("peers: is PIMCOMP's chip, whose file comes without a network table, a mesh?") {
  const Folder folder;
  std::string text = shipped;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  };
  replace("\"rob_size\": 1, ", "");
  replace("\"cell_precision\": 8, \"xbar_latency\": 30", "\"cell_precision\": 2, \"xbar_latency\": 7");
  replace("\"adc_latency_cycle\": 10, \"adc_count\": 2", "\"adc_latency_cycle\": 20, \"adc_count\": 16");
  replace("\"vector_width\": 16", "\"vector_width\": 32");
  replace("\"write_latency_cycle\": 1, \"read_latency_cycle\": 1",
          "\"write_latency_cycle\": 30, \"read_latency_cycle\": 20");
  replace("\"bus_width\": 8, \"layout\": [8, 8]", "\"bus_width\": 32, \"layout\": [12, 12]");
  replace("\"core_cnt\": 64", "\"core_cnt\": 136");
  const std::string path = folder.write("config.json", text);
  std::vector<std::string> warnings;
  const Chip chip = load_peer_chip(path, PeerRules::documented, warnings), ours = load_chip("pimcomp-144");
  CHECK(warnings == std::vector<std::string>{
                        path + ": core_cnt is 136, a mesh of ours has a core at each of its 144 nodes",
                        path + ": " + folder.at("net.json") + " is not there; the mesh of 'layout' stands for it"});
  CHECK(differing_keys(chip, ours, KeyClass::cost) == std::vector<std::string>{"network.receive_buffer_messages",
                                                                               "global_memory.channels",
                                                                               "global_memory.attached_to"});
  CHECK(chip.columns_per_weight() == 4);
  CHECK_THROWS_WITH_AS(load_peer_chip(path, PeerRules::as_built, warnings),
                       doctest::Contains("expected the network's table, without which only --documented makes a chip"),
                       UserError);
  replace("[12, 12]", "[12, 0]");
  folder.write("config.json", text);
  CHECK_THROWS_WITH_AS(load_peer_chip(path, PeerRules::documented, warnings),
                       doctest::Contains("expected two extents of a mesh, since there is"), UserError);
}

TEST_CASE("peers: what is said about chip files that ask for something else?") {
  const Folder folder;
  folder.write("net.json", table_json(load_chip("pimsim-nn-64")));
  CHECK(about(folder, "rob_size", "rob_sise") == "unknown key 'chip_config.core_config.rob_sise'; nearest: 'rob_size'");
  CHECK(about(folder, "\"core_cnt\": 64", "\"core_cnt\": 63")
            .ends_with("expected 63 cores ('core_cnt') and the memory, got 65 nodes"));
  CHECK(about(folder, "\"xbar_array_count\": 64, \"period\": 1", "\"xbar_array_count\": 64") ==
        "'chip_config.core_config.matrix_config.period': expected 1 ns, the period of the core, since the matrix unit "
        "counts its cycles; got 0.78125 ns");
  CHECK(about(folder, "[128,128]", "128") ==
        "'chip_config.core_config.matrix_config.xbar_size': expected two whole numbers");
  CHECK(about(folder, "\"adc_count\": 2", "\"adc_count\": 0") ==
        "'chip_config.core_config.matrix_config.adc_count': expected at least 1, got 0");
  CHECK(about(folder, "\"core_cnt\": 64", "\"core_cnt\": \"64\"") ==
        "'chip_config.core_cnt': expected a number, got \"64\"");
  CHECK(about(folder, "[8, 8]", "[8]") == "'chip_config.network_config.layout': expected two whole numbers");
  CHECK(about(folder, "\"rob_size\": 1", "\"rob_size\": 1, \"scalar_static_power\": 3") == "");
}
