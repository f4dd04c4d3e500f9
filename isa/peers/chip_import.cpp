// pimsim-nn's chip file, or PIMCOMP's, as one of ours. Every key of it is known here: taken over, or refused when it
// asks for something that our chips do not have, or without meaning in either tool.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/chip/canonical.hpp"
#include "isa/chip/node.hpp"
#include "isa/chip/table.hpp"
#include "isa/peers/peers.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/json.hpp"

namespace pimento::isa::peers {
namespace {
using Json = nlohmann::json;
namespace fs = std::filesystem;

/// One object of the file. What is not asked for by the end is an unknown key.
class Section {
 public:
  Section(const Json& json, std::string path, const std::string& file)
      : json_(json), path_(std::move(path)), file_(file) {
    if (!json.is_object()) refuse(path_, "expected an object");
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& message) const {
    throw UserError(Place{.file = file_}, fmt::format("'{}': {}", key, message));
  }
  std::string full(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  bool has(const std::string& key) const { return json_.contains(key); }

  Section section(const std::string& key) {
    known_.insert(key);
    static const Json empty = Json::object();
    return Section(has(key) ? json_.at(key) : empty, full(key), file_);
  }
  double real(const std::string& key, double otherwise, double low = 0) {
    known_.insert(key);
    if (!has(key)) return otherwise;
    const Json& value = json_.at(key);
    if (!value.is_number()) refuse(full(key), fmt::format("expected a number, got {}", value.dump()));
    const auto number = value.get<double>();
    if (!(number >= low)) refuse(full(key), fmt::format("expected at least {}, got {}", low, number));
    return number;
  }
  std::int64_t whole(const std::string& key, std::int64_t otherwise, std::int64_t low = 0) {
    const double number = real(key, static_cast<double>(otherwise), static_cast<double>(low));
    if (number != std::trunc(number) || number > 1e15)
      refuse(full(key), fmt::format("expected a whole number, got {}", number));
    return static_cast<std::int64_t>(number);
  }
  bool flag(const std::string& key, bool otherwise) {
    known_.insert(key);
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_boolean()) refuse(full(key), "expected true or false");
    return json_.at(key).get<bool>();
  }
  std::string text(const std::string& key, const std::string& otherwise) {
    known_.insert(key);
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_string()) refuse(full(key), "expected a text");
    return json_.at(key).get<std::string>();
  }
  std::pair<std::int64_t, std::int64_t> pair(const std::string& key, std::int64_t first, std::int64_t second) {
    known_.insert(key);
    if (!has(key)) return {first, second};
    const Json& value = json_.at(key);
    if (!value.is_array() || value.size() != 2 || !value[0].is_number_integer() || !value[1].is_number_integer())
      refuse(full(key), "expected two whole numbers");
    return {value[0].get<std::int64_t>(), value[1].get<std::int64_t>()};
  }
  void ignore(const std::string& key) { known_.insert(key); }
  /// Powers of parts for which our chips have no key: noted when they are given and not 0.
  void note(const std::string& key, std::string& notes) {
    if (const double value = real(key, 0); value != 0)
      notes += fmt::format("# Not taken over: {} = {}\n", full(key), value);
  }
  void end() const {
    for (const auto& [key, value] : json_.items())
      if (!known_.contains(key))
        throw UserError(Place{.file = file_},
                        fmt::format("unknown key '{}'{}", full(key),
                                    suggestion(key, std::vector<std::string>(known_.begin(), known_.end()))));
  }

 private:
  const Json& json_;
  std::string path_;
  const std::string& file_;
  std::set<std::string> known_;
};

/// Lines of our file, each with where its number comes from.
class Lines {
 public:
  Lines(std::string source, const Json& document) : source_(std::move(source)), document_(document) {}
  void open(int depth, const char* name) { text_ += fmt::format("{:{}}{}:\n", "", 2 * depth, name); }
  void add(int depth, const char* key, const std::string& value, const std::string& from) {
    text_ += fmt::format("{:{}}{}: {{value: {}, source: {}}}\n", "", 2 * depth, key, value,
                         quoted(from.starts_with("assumed") ? from : where(from)));
  }
  void raw(const std::string& text) { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  /// A key that the file does not give has the value that pimsim-nn gives it.
  std::string where(const std::string& from) const {
    const std::string path = from.substr(0, from.find_first_of(":, "));
    const std::size_t dot = path.find('.');
    const bool given = dot == std::string::npos ? holds(document_, "", path, true)
                                                : holds(document_, path.substr(0, dot), path.substr(dot + 1), false);
    return given ? source_ + ", " + from : "pimsim-nn's default, since " + source_ + " does not give " + from;
  }
  /// Whether an object of that name, or any, has the key.
  static bool holds(const Json& json, const std::string& object, const std::string& key, bool inside) {
    if (!json.is_object()) return false;
    if (inside && json.contains(key)) return true;
    for (const auto& [name, value] : json.items())
      if (holds(value, object, key, object.empty() || name == object)) return true;
    return false;
  }

  std::string source_;
  const Json& document_;
  std::string text_;
};

std::string cycles(std::int64_t n) { return fmt::format("{} cycle{}", n, n == 1 ? "" : "s"); }
std::string ns(double period) { return fmt::format("{} ns", period); }

struct Memory {
  std::int64_t width = 16, read = 8, write = 10;
  double period = 1;
};
Memory read_memory(Section s, std::string& notes) {
  Memory m;
  m.width = s.whole("data_width", m.width, 1);
  m.period = s.real("period", m.period);
  m.read = s.whole("read_latency_cycle", m.read, 1);
  m.write = s.whole("write_latency_cycle", m.write, 1);
  s.ignore("memory_size");  // it has no effect there, and 1 MiB when it is not given
  for (const char* key : {"static_power", "read_dynamic_energy", "write_dynamic_energy"}) s.note(key, notes);
  s.end();
  return m;
}

void must_share_clock(const Section& section, double period, double core, const char* what) {
  if (period != core)
    section.refuse(section.full("period"),
                   fmt::format("expected {} ns, the period of the core, since {} counts its cycles; got {} ns", core,
                               what, period));
}

void add_matrix(Section s, double core_period, Lines& out, std::string& notes, std::int64_t& cell_bits,
                std::int64_t& columns, std::string& crossbars) {
  const double period = s.real("period", 1 / 1.28);
  must_share_clock(s, period, core_period, "the matrix unit");
  const auto [rows, cols] = s.pair("xbar_size", 128, 128);
  const std::int64_t drivers = s.whole("dac_count", 128, 1);
  cell_bits = s.whole("cell_precision", 2, 1);
  columns = s.whole("xbar_array_count", 1, 1);
  crossbars = std::to_string(columns);
  out.open(1, "crossbar");
  out.add(2, "rows", std::to_string(rows), "xbar_size");
  out.add(2, "cols", std::to_string(cols), "xbar_size");
  out.add(2, "cell_bits", std::to_string(cell_bits), "cell_precision");
  out.add(2, "dac_bits", std::to_string(s.whole("dac_resolution", 1, 1)), "dac_resolution");
  out.add(2, "rows_active", std::to_string(std::min(drivers, rows)), "dac_count");
  out.add(2, "read_latency", ns(s.real("xbar_latency", 30)), "xbar_latency");
  out.add(2, "dac_latency", cycles(s.whole("dac_latency_cycle", 1)), "dac_latency_cycle");
  out.add(2, "sample_hold_latency", cycles(s.whole("sample_hold_latency_cycle", 1)), "sample_hold_latency_cycle");
  out.add(2, "shift_add_latency", cycles(s.whole("shift_adder_latency_cycle", 1)), "shift_adder_latency_cycle");
  out.add(2, "output_latency", cycles(s.whole("output_buffer_latency_cycle", 1)), "output_buffer_latency_cycle");
  out.add(2, "pipelined", s.flag("pipeline_mode", true) ? "true" : "false", "pipeline_mode");
  out.open(2, "adc");
  out.add(3, "bits", std::to_string(s.whole("adc_resolution", 1, 1)), "adc_resolution");
  out.add(3, "per_crossbar", std::to_string(s.whole("adc_count", 1, 1)), "adc_count");
  out.add(3, "latency", cycles(s.whole("adc_latency_cycle", 1)), "adc_latency_cycle");
  for (const char* key : {"dac_static_power", "dac_dynamic_power", "xbar_read_power", "sample_hold_static_power",
                          "sample_hold_dynamic_power", "adc_static_power", "adc_dynamic_power",
                          "shift_adder_static_power", "shift_adder_dynamic_power", "input_buffer_static_power",
                          "input_buffer_dynamic_power", "output_buffer_static_power", "output_buffer_dynamic_power"})
    s.note(key, notes);
  s.end();
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string table_path(Section& network, const std::string& path) {
  const std::string name = network.text("net_config_file_path", "");
  return name.empty() ? "" : (fs::path(path).parent_path() / name).string();
}

/// Nodes of the mesh that stands for a table which is not there; 0 with a table.
std::int64_t mesh_nodes(Section& network, const std::string& path) {
  const std::string table = table_path(network, path);
  if (!table.empty() && is_there(table)) return 0;
  const auto [rows, columns] = network.pair("layout", 0, 0);
  return rows > 0 && columns > 0 && rows < 1024 && columns < 1024 ? rows * columns : 0;
}

void add_network(Section& network, const std::string& path, std::int64_t cores, PeerRules rules, Lines& out,
                 std::vector<std::string>& warnings) {
  out.open(0, "network");
  out.add(1, "clock", "1 ns", "assumed: network latencies are in ns");
  out.add(1, "flit", fmt::format("{} B", network.whole("bus_width", 16, 1)), "network_config.bus_width");
  out.add(1, "receive_buffer_messages", "0", "assumed: pimsim-nn's timing rules: a send waits for its receive");
  const std::string topology = network.text("bus_topology", "mesh");
  const auto [rows, columns] = network.pair("layout", 0, 0);
  const std::string table = table_path(network, path);
  network.end();
  if (!table.empty() && is_there(table)) {
    const LatencyTable latencies = parse_table_json(read_file(table), table, 1'000'000);
    if (latencies.size() != static_cast<std::size_t>(cores) + 1)
      throw UserError(Place{.file = table}, fmt::format("expected {} cores ('core_cnt') and the memory, got {} nodes",
                                                        cores, latencies.size()));
    out.add(1, "topology", "table", "net_config_file_path");
    out.add(1, "handshake_latency", "0 cycles", "assumed: the table says it all");
    out.add(1, "table", print_table(&latencies), "net_config_file_path, " + fs::path(table).filename().string());
    return;
  }
  const std::string missing = table.empty() ? "no 'net_config_file_path'" : table + " is not there";
  if (mesh_nodes(network, path) == 0)
    network.refuse(network.full("layout"), fmt::format("expected two extents of a mesh, since there is {}", missing));
  if (topology != "mesh") network.refuse(network.full("bus_topology"), fmt::format("expected mesh, got {}", topology));
  if (rules == PeerRules::as_built)
    network.refuse(network.full("net_config_file_path"),
                   "expected the network's table, without which only --documented makes a chip; " + missing);
  warnings.push_back(fmt::format("{}: {}; the mesh of 'layout' stands for it", path, missing));
  out.add(1, "topology", "mesh", "network_config.bus_topology");
  out.add(1, "width", std::to_string(columns), "network_config.layout");
  out.add(1, "height", std::to_string(rows), "network_config.layout");
  out.add(1, "router_latency", "1 cycle", "assumed: a single-stage router");
  out.add(1, "link_latency", "1 cycle", "assumed: one cycle per link");
  out.add(1, "handshake_latency", "2 cycles", "assumed: request and grant, one cycle each");
}

/// Says of each value that the file leaves to us that it does.
std::string with_all_sources(Chip chip, const std::string& file) {
  for (const KeyInfo& key : chip_keys()) {
    const std::string value = key_value(chip, key.path);
    const bool is_number = key.path != "name" && key.path != "description";
    if (is_number && value != "unknown" && value != "not used" && !chip.sources.contains(key.path))
      chip.sources[key.path] = "assumed: this project's default; " + file + " does not say";
  }
  return canonical_yaml(chip);
}

std::string as_built_rules() {
  std::string text = "rules:\n";
  const Chip chip = load_chip("pimsim-nn-64-as-built");
  for (const KeyInfo& key : chip_keys())
    if (key.path.starts_with("rules."))
      text += fmt::format("  {}: {{value: {}, source: {}}}\n", key.path.substr(6), key_value(chip, key.path),
                          quoted(chip.sources.at(key.path)));
  return text;
}

}  // namespace

std::string import_peer_chip(const std::string& path, PeerRules rules, std::vector<std::string>& warnings) {
  const std::string text = read_file(path);
  const Json document = parse_json(text, path);
  const std::string name = fs::path(path).stem().string();
  std::string notes;
  Section file(document, "", path);
  file.ignore("sim_config");
  Section chip = file.section("chip_config");
  file.end();
  Section core = chip.section("core_config");
  Section network = chip.section("network_config");
  const std::int64_t cores = chip.whole("core_cnt", 1, 1);
  const double period = core.real("period", 1);
  Lines out(fs::path(path).filename().string(), document);
  out.raw(fmt::format("name: {}\ndescription: {}\n", quoted(name), quoted("made of the chip file " + name)));
  const std::int64_t nodes = mesh_nodes(network, path);
  if (nodes != 0 && cores > nodes)
    chip.refuse("chip_config.core_cnt",
                fmt::format("expected at most {}, the nodes of 'layout', got {}", nodes, cores));
  if (nodes != 0 && cores < nodes)
    warnings.push_back(
        fmt::format("{}: core_cnt is {}, a mesh of ours has a core at each of its {} nodes", path, cores, nodes));
  nodes != 0 ? out.add(0, "cores", std::to_string(nodes), "network_config.layout")
             : out.add(0, "cores", std::to_string(cores), "core_cnt");
  out.open(0, "core");
  out.add(1, "clock", ns(period), "core_config.period");
  out.add(1, "window", std::to_string(core.whole("rob_size", 1, 1)), "rob_size");
  out.add(1, "instruction_memory", "1 GiB", "assumed: the peer has no limit");
  Section matrix = core.section("matrix_config");
  std::int64_t cell_bits = 0, count = 0;
  std::string crossbars;
  Lines matrix_lines(fs::path(path).filename().string(), document);
  add_matrix(matrix, period, matrix_lines, notes, cell_bits, count, crossbars);
  out.add(1, "crossbars", crossbars, "xbar_array_count");
  out.open(1, "vector");
  const std::string latency = cycles(core.whole("vector_latency_cycle", 8, 1));
  out.add(2, "lanes", std::to_string(core.whole("vector_width", 16, 1)), "vector_width");
  out.add(2, "latency", latency, "vector_latency_cycle");
  out.add(2, "function_latency", latency, "vector_latency_cycle: one latency for all operations");
  out.add(2, "types", "[u8, i8, u16, i16, u32, i32, i64, bool]", "assumed: the peer computes no values");
  out.open(1, "local_memory");
  Section local_section = core.section("local_memory_config");
  const Memory local = read_memory(local_section, notes);
  must_share_clock(local_section, local.period, period, "the local memory");
  out.add(2, "capacity", "16 MiB", "assumed: the peer has no limit");
  out.add(2, "width", fmt::format("{} B", local.width), "local_memory_config.data_width");
  out.add(2, "read_latency", cycles(local.read), "local_memory_config.read_latency_cycle");
  out.add(2, "write_latency", cycles(local.write), "local_memory_config.write_latency_cycle");
  out.raw(matrix_lines.text());
  out.open(1, "array_group");
  out.add(2, "max_columns", crossbars, "assumed: a group may take all crossbars of a core");
  for (const char* key : {"controller_static_power",
                          "controller_dynamic_power",
                          "inst_fetch_static_power",
                          "inst_fetch_dynamic_power",
                          "inst_decode_static_power",
                          "inst_decode_dynamic_power",
                          "inst_decode_offset_static_power",
                          "inst_decode_offset_dynamic_power",
                          "reg_file_static_power",
                          "reg_file_read_dynamic_power",
                          "reg_file_write_dynamic_power",
                          "scalar_static_power",
                          "scalar_dynamic_power",
                          "vector_alu_static_power",
                          "vector_alu_dynamic_energy",
                          "vector_reg_static_power",
                          "vector_reg_read_dynamic_energy",
                          "vector_reg_write_dynamic_energy",
                          "transfer_static_power",
                          "transfer_dynamic_power"})
    core.note(key, notes);
  core.ignore("global_memory_switch_id");
  chip.ignore("global_memory_switch_id");
  core.end();

  add_network(network, path, cores, rules, out, warnings);

  const Memory global = read_memory(chip.section("global_memory_config"), notes);
  chip.end();
  out.open(0, "global_memory");
  out.add(1, "clock", ns(global.period), "global_memory_config.period");
  out.add(1, "capacity", "4 GiB", "assumed: the peer has no limit");
  out.add(1, "width", fmt::format("{} B", global.width), "global_memory_config.data_width");
  out.add(1, "read_latency", cycles(global.read), "global_memory_config.read_latency_cycle");
  out.add(1, "write_latency", cycles(global.write), "global_memory_config.write_latency_cycle");
  if (nodes != 0) out.add(1, "attached_to", "[0]", "assumed: the first corner of the mesh");
  out.open(0, "numerics");
  out.add(1, "weight_bits", std::to_string(std::max<std::int64_t>(8, cell_bits)), "assumed: weights of 8 bits");
  out.add(1, "activation_bits", "8", "assumed: the peer's programs set 8-bit operands");
  if (rules == PeerRules::as_built) out.raw(as_built_rules());
  const std::string base = fs::path(path).filename().string();
  return fmt::format("# Made of {}. Its energies are not taken over: unknown, not zero.\n{}", base, notes) +
         with_all_sources(parse_chip(out.text(), path + ", as a chip of ours"), base);
}

Chip load_peer_chip(const std::string& path, PeerRules rules, std::vector<std::string>& warnings) {
  return parse_chip(import_peer_chip(path, rules, warnings), path + ", as a chip of ours");
}

}  // namespace pimento::isa::peers
