#include "isa/chip/shipped.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "isa/chip/canonical.hpp"
#include "isa/chip/chip_for_tests.hpp"
#include "isa/chip/key.hpp"
#include "isa/chip/table.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::isa;
namespace {

std::string complaint_of(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("shipped chips: is a chip read from the file that chip_file names?") {
  CHECK(chip_file("tiny-4") == chips_folder() + "/tiny-4.yaml");
  for (const char* path : {"tiny-4.yaml", "tiny-4.yml", "folder/tiny-4"}) CHECK(chip_file(path) == path);
  CHECK(load_chip("tiny-4").fingerprints == load_chip(chip_file("tiny-4")).fingerprints);
}

TEST_CASE("shipped chips: does each load, under its own name, and read back?") {
  const std::vector<std::string> names = shipped_chips();
  for (const char* expected :
       {"isaac", "pimcomp-144", "pimsim-nn-64", "pimsim-nn-64-wide", "puma", "sram-cim-64", "tiny-4"})
    CHECK(std::find(names.begin(), names.end(), expected) != names.end());
  for (const std::string& name : names) {
    CAPTURE(name);
    const Chip chip = load_chip(name);
    CHECK(chip.name == name);
    const Chip again = parse_chip(chip.yaml, "again.yaml");
    CHECK(again.fingerprints == chip.fingerprints);
    CHECK(again.yaml == chip.yaml);
    CHECK(load_chip(chips_folder() + "/" + name + ".yaml").yaml == chip.yaml);
  }
}

TEST_CASE("shipped chips: does every known value, default or not, have a source?") {
  for (const std::string& name : shipped_chips()) {
    const Chip chip = load_chip(name);
    for (const Key& key : key_table()) {
      if (key.is_label || !key.applies(chip) || key.text(chip) == "unknown") continue;
      const bool may_be_absent = key.is_option || key.path.starts_with("rules.");
      if (may_be_absent && key.text(chip) == key.default_text) continue;  // nothing of it
      CAPTURE(name);
      CAPTURE(key.path);
      CHECK(chip.sources.count(key.path) == 1);
    }
  }
}

TEST_CASE("shipped chips: is pimsim-nn-64 the machine that its authors ship?") {
  const Chip chip = load_chip("pimsim-nn-64");
  const Crossbar& x = chip.core.crossbar;
  CHECK(chip.cores == 64);
  // The published rule, by hand: 32 = dac 1 + read 30 + hold 1; 642 = 10 + 1 + 1 + 63 further columns per converter
  // * 10.
  const Cycles front = x.dac_latency_cycles + x.read_latency_fs / chip.core.clock.period_fs + x.sample_hold_cycles;
  const Cycles tail = x.shift_add_cycles + x.output_cycles;
  const Cycles back =
      x.adc.latency_cycles + tail + (x.cols / x.adc.per_crossbar - 1) * std::max(x.adc.latency_cycles, tail);
  CHECK(front + back + (chip.input_slices(ElementType::u8) - 1) * std::max(front, back) == 5168);
  const auto& table = *chip.network.table;
  CHECK(table.size() == 65);
  CHECK(table[0][1] == 4);
  CHECK(table[1][0] == 9);  // not symmetric
  CHECK(table[64][55] == 15);
  CHECK(table[55][3] == 22);
  CHECK(differing_keys(chip, load_chip("pimsim-nn-64-wide"), KeyClass::legality) ==
        std::vector<std::string>{"core.array_group.max_rows", "core.array_group.max_columns"});
}

TEST_CASE("shipped chips: what does an unknown name answer?") {
  const std::string message = complaint_of([] { load_chip("tiny-5"); });
  CHECK(message == "unknown chip 'tiny-5'; nearest: 'tiny-4' (a file is named with its .yaml)");
  CHECK(complaint_of([] { load_chip("no/such.yaml"); }) == "no/such.yaml: cannot read: No such file or directory");
}

TEST_CASE("shipped chips: does PIMENTO_CONFIGS name another folder, and an empty one an error?") {
  const auto folder = std::filesystem::temp_directory_path() / ("pimento_configs_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "chips");
  write_atomically((folder / "chips" / "mine.yaml").string(), changed("name: least", "name: mine"));
  ::setenv("PIMENTO_CONFIGS", folder.c_str(), 1);
  CHECK(shipped_chips() == std::vector<std::string>{"mine"});
  CHECK(load_chip("mine").name == "mine");
  ::setenv("PIMENTO_CONFIGS", "/nowhere", 1);
  CHECK(complaint_of([] { shipped_chips(); }) ==
        "PIMENTO_CONFIGS: expected a folder with chips/ in it, got '/nowhere'");
  ::unsetenv("PIMENTO_CONFIGS");
  std::filesystem::remove_all(folder);
}

TEST_CASE("table: do a file of numbers, a peer's JSON and rows in place give one table?") {
  const LatencyTable expected{{0, 4, 15}, {9, 0, 15}, {15, 16, 0}};
  CHECK(parse_table_csv("# comment\r\n0,4,15\r\n9,0,15\n\n15,16,0", "t.csv") == expected);
  const std::string json =
      R"({"latency": {"-10": {"1": 16, "0": 15}, "1": {"-10": 15, "0": 9}, "0": {"1": 4, "-10": 15}}})";
  CHECK(parse_table_json(json, "t.json", 1'000'000) == expected);
  // A network of 2 ns cycles: 9 ns are 5 cycles, 15 ns are 8.
  CHECK(parse_table_json(json, "t.json", 2'000'000) == LatencyTable{{0, 2, 8}, {5, 0, 8}, {8, 8, 0}});
  CHECK(print_table(&expected) == "[[0, 4, 15], [9, 0, 15], [15, 16, 0]]");
}

TEST_CASE("table: what do broken tables answer?") {
  const std::string one_core =
      changed("  width: 2\n  height: 2\n", "  table: [[0, 3], [4, 0]]\n",
              changed("  attached_to: [0]\n", "",
                      changed("topology: mesh", "topology: table", changed("cores: 4", "cores: 1"))));
  const auto with_table = [&](const std::string& table) {
    return complaint(changed("[[0, 3], [4, 0]]", table, one_core));
  };
  CHECK(with_table("[[0, 3], [4, 0]]") == "");
  CHECK(with_table("[[0, 3]]") ==
        "c.yaml:18:3: 'network.table': expected 2 rows (each core, then the global memory), got 1");
  CHECK(with_table("[[0, 3], [4]]") == "c.yaml:18:3: 'network.table': expected 2 columns in row 1, got 1");
  CHECK(with_table("[[0, 0], [4, 0]]") == "c.yaml:18:3: 'network.table': expected at least 1 cycle from 0 to 1, got 0");
  CHECK(with_table("[[1, 3], [4, 0]]") == "c.yaml:18:3: 'network.table': expected 0 cycles from 0 to 0, got 1");
  CHECK(with_table("[[0, x], [4, 0]]") ==
        "c.yaml:18:15: expected network cycles per flit, a whole number in 0 .. 1000000000, got 'x'");
  CHECK(with_table("[0, 3]") == "c.yaml:18:11: 'network.table': expected a row (a list of numbers), got '0'");
  CHECK(with_table("{a: 1}").starts_with("c.yaml:18:11: unknown key 'a' in 'network.table'"));
  CHECK(with_table("net.txt") == "c.yaml:18:10: 'network.table': expected a .csv or .json file, got 'net.txt'");
  CHECK(with_table("no.csv") == "c.yaml:18:10: 'network.table': no.csv: cannot read: No such file or directory");
  const auto csv = [](const char* text) { return complaint_of([&] { parse_table_csv(text, "t.csv"); }); };
  CHECK(csv("0,4\n9,,0\n") == "t.csv:2:3: expected network cycles per flit, a whole number in 0 .. 1000000000, got ''");
  const auto json = [](const char* text) { return complaint_of([&] { parse_table_json(text, "t.json", 1'000'000); }); };
  CHECK(json("{") == "t.json: not readable as JSON at byte 2");
  CHECK(json("{}") == R"(t.json: expected {"latency": {source: {destination: ns}}})");
  CHECK(json(R"({"latency": {"0": {}}})") == "t.json: expected one negative id, the global memory, got none");
  CHECK(json(R"({"latency": {"1": {}, "-1": {}}})") == "t.json: core 0 is missing");
  CHECK(json(R"({"latency": {"0": {}, "-1": {}}})") == "t.json: from '0' to '-1': no latency given");
  CHECK(json(R"({"latency": {"0": {"-1": 1.5}, "-1": {}}})") ==
        "t.json: from '0' to '-1': expected a whole number of ns, got 1.5");
  CHECK(json(R"({"latency": {"0": {"7": 1}, "-1": {}}})") == "t.json: from '0' to '7': no such node");
}
