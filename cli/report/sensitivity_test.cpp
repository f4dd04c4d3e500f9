// Does every cost and physics key move a figure, in the right direction? One row per key: a key without a row fails by
// name. Each row runs one small program on tiny-4 before and after the change; programs are written by hand, so that
// nothing but the machine answers.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/report/report.hpp"

using namespace pimento;

namespace {

using Values = std::map<std::string, std::string>;

/// Every unit at work: core 0 computes and sends to its far corner, which is late; core 2 is before it at the global
/// memory.
const char* const mixed = R"(
.model "mixed"
.numerics quantised
.node "n"
.tile rows 32 cols 8 crossbars 1 1 type i8 bytes 256 reals 0
.tile rows 64 cols 8 crossbars 2 1 type i8 bytes 512 reals 0
.core 0
.group crossbars 1 1 tile 0
.group crossbars 2 1 tile 1
.range 0 17 node 0
  vadd [4096]:i8, [0]:i8, [512]:i8, len 64
  load [0], [0], len 2048
  sldi R1, imm 16
  sadd R2, R1, R1
  vadd [5120]:i8, [1024]:i8, [1536]:i8, len 512
  vexp [8192]:f32, [8192]:f32, len 64
  vgather [12288]:i8, [0]:i8, [2048]:i32, x16 len 8, bound 16
  program group 0, tile 0
  mvm [16384]:i32, [4096]:u8, len 32, group 0
  mvm [16640]:i32, [5120]:u8, len 64, group 1
  send [4096], len 256, core 3, tag 1
  send [4352], len 256, core 3, tag 2
  send [5120], len 256, core 3, tag 3
  vadd [20480]:i8, [4096]:i8, [5120]:i8, len 1024
  vrelu [20480]:i8, [20480]:i8, len 1024
  sync core 3, event 1, value 1
  store [8192], [20480], len 1024
.core 1
.core 2
.range 0 1 node 0
  load [0], [4096], len 2048
.core 3
.range 0 6 node 0
  vadd [8192]:i8, [0]:i8, [512]:i8, len 4096
  recv [0], len 256, core 0, tag 1
  recv [256], len 256, core 0, tag 2
  recv [512], len 256, core 0, tag 3
  vadd [1024]:i8, [0]:i8, [256]:i8, len 256
  wait core 0, event 1, value 1
)";

/// Two messages that may be on their way at the same time.
const char* const two_messages = R"(
.model "two"
.numerics quantised
.core 0
  send [0], len 1024, core 1, tag 1
  send [1024], len 1024, core 2, tag 2
.core 1
  recv [0], len 1024, core 0, tag 1
.core 2
  recv [0], len 1024, core 0, tag 2
.core 3
)";

/// A few instructions alone on core 0.
std::string on_core_0(const std::string& lines) {
  return ".model \"few\"\n.numerics quantised\n.node \"n\"\n.core 0\n" + lines + ".core 1\n.core 2\n.core 3\n";
}

const std::string products_on_core_0 = R"(
.model "products"
.numerics quantised
.tile rows 32 cols 8 crossbars 1 1 type i8 bytes 256 reals 0
.core 0
.group crossbars 1 1 tile 0
)";
const std::string signed_product =
    products_on_core_0 + "  mvm [16384]:i32, [4096]:i8, len 32, group 0\n.core 1\n.core 2\n.core 3\n";
const std::string two_products = products_on_core_0 +
                                 "  mvm [16384]:i32, [4096]:u8, len 32, group 0\n"
                                 "  mvm [16640]:i32, [5120]:u8, len 32, group 0\n.core 1\n.core 2\n.core 3\n";

/// The unit of energies, powers and areas; nothing for all other keys.
std::string measured_in(const std::string& path) {
  if (path.starts_with("static_power.")) return "mW";
  if (path.starts_with("area.")) return "mm2";
  return path.ends_with("energy") ? "pJ" : "";
}

/// tiny-4 with every energy, power and area known, memories that take several cycles, and no overlap.
isa::Chip base_chip(const Values& also) {
  Values values{{"core.window", "1"},
                {"core.local_memory.banks", "1"},
                {"core.local_memory.read_latency", "4 cycles"},
                {"core.local_memory.write_latency", "4 cycles"},
                {"network.receive_buffer_messages", "1"}};
  for (const isa::KeyInfo& key : isa::chip_keys())
    if (const std::string unit = measured_in(key.path); !unit.empty()) values[key.path] = "2 " + unit;
  return isa::with_values(isa::with_values(isa::load_chip("tiny-4"), values), also);
}

double cycles(const cli::Report& r) { return static_cast<double>(r.result.cycles); }
double energy(const cli::Report& r) {
  CHECK(r.energy_complete());
  return r.energy_known();
}
double area(const cli::Report& r) {
  CHECK(r.area_complete());
  return r.area_known_mm2();
}
using Figure = double (*)(const cli::Report&);

struct Row {
  std::string key;
  Values change;  ///< of the key, and of what must change with it
  Figure figure = nullptr;
  int direction = 0;  ///< of the figure
  Values also = {};   ///< before and after
  /// No figure of a timing run: what it moves, and where that is shown.
  std::string elsewhere = "";
  std::string program = mixed;
};

Row up(const std::string& key, const std::string& value, const Values& also = {}) {
  return {key, {{key, value}}, cycles, +1, also};
}
Row down(const std::string& key, const std::string& value, const Values& also = {}) {
  return {key, {{key, value}}, cycles, -1, also};
}
Row with_program(Row row, const std::string& program) {
  row.program = program;
  return row;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> rows{
        up("core.clock", "3 GHz"),  // the same network and memory take more of its cycles
        down("core.window", "8"),
        up("core.scalar.latency", "9 cycles"),
        down("core.vector.lanes", "64"),
        up("core.vector.latency", "5 cycles"),
        up("core.vector.function_latency", "9 cycles"),
        down("core.local_memory.width", "64 B"),
        down("core.local_memory.ports", "4", {{"core.window", "8"}, {"core.local_memory.ports", "1"}}),
        down("core.local_memory.banks", "4"),
        up("core.local_memory.bank_interleave", "64 KiB",
           {{"core.window", "8"}, {"core.local_memory.ports", "4"}, {"core.local_memory.banks", "4"}}),
        up("core.local_memory.read_latency", "9 cycles"),
        up("core.local_memory.write_latency", "9 cycles"),
        down("core.crossbar.dac_bits", "4"),
        up("core.crossbar.rows_active", "8"),
        up("core.crossbar.read_latency", "100 ns"),
        up("core.crossbar.dac_latency", "9 cycles"),
        up("core.crossbar.sample_hold_latency", "9 cycles"),
        up("core.crossbar.shift_add_latency", "9 cycles"),
        up("core.crossbar.output_latency", "9 cycles"),
        up("core.crossbar.pipelined", "false"),
        up("core.crossbar.program_latency", "9 us"),
        down("core.crossbar.adc.per_crossbar", "32"),
        up("core.crossbar.adc.latency", "9 cycles"),
        up("core.array_group.row_add_latency", "99 cycles"),
        up("network.clock", "100 MHz"),
        {"network.topology",
         {{"network.topology", "table"},
          {"network.table", "[[0,9,9,9,9],[9,0,9,9,9],[9,9,0,9,9],[9,9,9,0,9],[9,9,9,9,0]]"}},
         cycles,
         +1},
        {"network.width", {{"network.width", "4"}, {"network.height", "1"}}, cycles, +1},
        {"network.height", {{"network.height", "4"}, {"network.width", "1"}}, cycles, +1},
        {"network.cores_per_router", {{"network.cores_per_router", "2"}, {"network.width", "1"}}, cycles, -1},
        up("network.tree_arity", "2", {{"network.topology", "tree"}, {"network.tree_arity", "4"}}),
        {"network.level", {{"network.level", "flit"}, {"network.virtual_channel_buffer", "1"}}, cycles, +1},
        up("network.virtual_channel_buffer", "1", {{"network.level", "flit"}}),
        up("network.flit", "1 B"),
        up("network.router_latency", "9 cycles"),
        up("network.link_latency", "9 cycles"),
        down("network.receive_buffer_messages", "4"),
        up("network.handshake_latency", "99 cycles"),
        up("network.table", "[[0,99,99,99,9],[9,0,9,9,9],[9,9,0,9,9],[9,9,9,0,9],[9,9,9,9,0]]",
           {{"network.topology", "table"},
            {"network.table", "[[0,9,9,9,9],[9,0,9,9,9],[9,9,0,9,9],[9,9,9,0,9],[9,9,9,9,0]]"}}),
        up("global_memory.clock", "100 MHz"),
        down("global_memory.width", "64 B"),
        {"global_memory.channels",
         {{"global_memory.channels", "2"}, {"global_memory.attached_to", "[0, 3]"}},
         cycles,
         -1},
        up("global_memory.read_latency", "9 cycles"),
        up("global_memory.write_latency", "9 cycles"),
        up("global_memory.attached_to", "[3]"),
    };
    const Values open_rows{{"global_memory.row_size", "256 B"},
                           {"global_memory.activate_latency", "3 cycles"},
                           {"global_memory.precharge_latency", "5 cycles"}};
    const std::vector<Row> rows_of_memory{
        {"global_memory.row_size", open_rows, cycles, +1},
        with_program(down("global_memory.banks", "2", open_rows),
                     on_core_0("  load [0], [0], len 16\n  load [0], [256], len 16\n  load [0], [0], len 16\n")),
        up("global_memory.activate_latency", "9 cycles", open_rows),
        up("global_memory.precharge_latency", "9 cycles", open_rows),
    };
    rows.insert(rows.end(), rows_of_memory.begin(), rows_of_memory.end());
    const Values table{{"network.receive_buffer_messages", "0"},
                       {"network.multicast", "false"},
                       {"network.topology", "table"},
                       {"network.table", "[[0,9,9,9,9],[9,0,9,9,9],[9,9,0,9,9],[9,9,9,0,9],[9,9,9,9,0]]"}};
    Values early = table;
    early["rules.sends_end_early"] = "true";
    const Values overlap{{"core.window", "8"}};
    const std::vector<Row> rules{
        up("rules.mvm_input_reads", "8"),
        down("rules.rounded_down", "true", {{"core.crossbar.rows_active", "24"}}),
        down("rules.load_data_free", "true"),
        up("rules.request_and_grant", "true", table),
        down("rules.sends_end_early", "true", table),
        with_program(up("rules.messages_in_turn", "true", early), two_messages),
        up("rules.first_issue", "9 cycles"),
        up("rules.start_latency", "9 cycles"),
        up("rules.retire_latency", "9 cycles"),
        up("rules.mvm_retire_latency", "9 cycles"),
        up("rules.network_retire_latency", "9 cycles"),
        with_program(down("rules.write_after_write_unchecked", "true", overlap),
                     on_core_0("  vadd [4096]:i8, [0]:i8, [1024]:i8, len 1024\n  fill [4096], len 1024, byte 0\n")),
        with_program(up("rules.write_after_read_waits_for_end", "true", overlap),
                     on_core_0("  vadd [4096]:i8, [0]:i8, [1024]:i8, len 1024\n  fill [0], len 1024, byte 0\n")),
        with_program(up("rules.touching_ranges_conflict", "true", overlap),
                     on_core_0("  vadd [4096]:i8, [0]:i8, [1024]:i8, len 1024\n  fill [5120], len 1024, byte 0\n")),
        with_program(down("rules.load_hazards_at_zero", "true", overlap),
                     on_core_0("  load [4096], [0], len 1024\n  vadd [8192]:i8, [4096]:i8, [1024]:i8, len 1024\n")),
    };
    rows.insert(rows.end(), rules.begin(), rules.end());
    const Values slow{{"core.supply.voltage", "0.5 V"}, {"core.supply.nominal", "1 V"}};
    Values slower = slow, cheaper = slow;
    slower["core.supply.time_exponent"] = "1";
    cheaper["core.supply.energy_exponent"] = "1";
    const Values overlapped{{"core.window", "8"}};
    const std::vector<Row> products{
        up("core.crossbar.adc.steps", "8",
           {{"core.crossbar.adc.step_latency", "9 cycles"}, {"core.crossbar.adc.steps", "4"}}),
        up("core.crossbar.adc.step_latency", "9 cycles",
           {{"core.crossbar.adc.step_latency", "2 cycles"}, {"core.crossbar.adc.steps", "8"}}),
        down("core.crossbar.adc.fewer_steps", "true",
             {{"core.crossbar.adc.step_latency", "9 cycles"}, {"core.crossbar.adc.steps", "8"}}),
        up("core.crossbar.input", "pulse_width"),
        with_program(down("core.crossbar.signed_inputs", "magnitude"), signed_product),
        up("core.crossbar.phases", "4"),
        up("core.crossbar.stages", "4"),
        with_program(down("core.crossbar.overlap", "true", overlapped), two_products),
        up("core.crossbar.row_latency", "9 ns"),
        up("core.crossbar.column_latency", "99 ns"),
        // at half the voltage the core takes twice as long, in time; networks and memories then take fewer of its
        // cycles
        down("core.supply.voltage", "0.25 V", slower),
        up("core.supply.nominal", "0.5 V", slower),
        down("core.supply.time_exponent", "2", slower),
        {"core.supply.energy_exponent", {{"core.supply.energy_exponent", "2"}}, energy, -1, cheaper},
        {"core.crossbar.mean_output",
         {{"core.crossbar.mean_output", "3"}},
         energy,
         +1,
         {{"core.crossbar.read_energy", "[2 pJ at 0, 9 pJ at 4]"}, {"core.crossbar.mean_output", "1"}}},
        {"parts", {{"parts", "[\"bus, 1 per core, 7 mW, 1 mm2\"]"}}, energy, +1},
    };
    rows.insert(rows.end(), products.begin(), products.end());
    for (const isa::KeyInfo& key : isa::chip_keys())
      if (key.path.starts_with("core.crossbar.nonideal."))
        rows.push_back({key.path, {}, nullptr, 0, {}, "values of crossbars (simulator/crossbar/devices_test.cpp)"});
    for (const isa::KeyInfo& key : isa::chip_keys())
      if (const std::string unit = measured_in(key.path); !unit.empty())
        rows.push_back({key.path, {{key.path, "3 " + unit}}, unit == "mm2" ? area : energy, +1});
    const auto elsewhere = [&](const std::string& key, const std::string& what) {
      rows.push_back({key, {}, nullptr, 0, {}, what});
    };
    elsewhere("name", "the first line of every report (cli/report/report_test.cpp)");
    elsewhere("description", "the list of `pimento chips`");
    elsewhere("network.virtual_channels", "messages that pass others (simulator/network/flit_level_test.cpp)");
    elsewhere("network.routing", "messages that go round others (simulator/network/flit_level_test.cpp)");
    elsewhere("core.crossbar.adc.bits", "values of crossbars whose ADC is not ideal (validation/whole/adc_test.cpp)");
    elsewhere("core.crossbar.adc.range", "values of crossbars whose ADC is not ideal (validation/whole/adc_test.cpp)");
    elsewhere("core.crossbar.adc.ideal", "values of crossbars (validation/whole/adc_test.cpp)");
    return rows;
  }();
  return all;
}

cli::Report report_of(const Row& row, const isa::Chip& chip) {
  const isa::Program program = isa::assemble(row.program, "program");
  isa::verify_program(program, chip);
  sim::Options options;
  options.timing_only = true;
  const sim::Result result = sim::simulate(program, chip, options);
  REQUIRE(result.stop == sim::StopReason::finished);
  return cli::make_report(program, chip, result);
}

}  // namespace

TEST_CASE("sensitivity: has every cost and physics key a row, and only those?") {
  std::set<std::string> listed;
  for (const Row& row : rows()) {
    CAPTURE(row.key);
    CHECK(listed.insert(row.key).second);
    const auto& keys = isa::chip_keys();
    CHECK(std::any_of(keys.begin(), keys.end(), [&](const isa::KeyInfo& key) {
      return key.path == row.key && key.key_class != isa::KeyClass::legality;
    }));
    CHECK((row.figure != nullptr) != !row.elsewhere.empty());
  }
  for (const isa::KeyInfo& key : isa::chip_keys())
    if (key.key_class != isa::KeyClass::legality) CHECK_MESSAGE(listed.count(key.path) == 1, key.path);
}

TEST_CASE("sensitivity: does every cost and physics key move its figure in the right direction?") {
  for (const Row& row : rows()) {
    if (row.figure == nullptr) continue;
    CAPTURE(row.key);
    const isa::Chip before = base_chip(row.also);
    const isa::Chip after = isa::with_values(before, row.change);
    const double from = row.figure(report_of(row, before));
    const double to = row.figure(report_of(row, after));
    CAPTURE(from);
    CAPTURE(to);
    CHECK((row.direction > 0 ? to > from : to < from));
  }
}
