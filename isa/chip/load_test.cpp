#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "isa/chip/chip_for_tests.hpp"
#include "isa/chip/table.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::isa;

TEST_CASE("chip: does the least chip load, with its defaults?") {
  const Chip chip = parse_chip(least_chip, "c.yaml");
  CHECK(chip.core.clock.period_fs == 1'000'000);
  CHECK(chip.core.clock.name == "core");
  CHECK(chip.global_memory.clock.name == "memory");
  CHECK(chip.core.crossbar.read_latency_fs == 30'000'000);
  CHECK(chip.core.crossbar.rows_active == 128);  // all rows
  CHECK(chip.core.window == 1);
  CHECK(chip.core.local_memory.capacity == 16 * 1024);
  CHECK(chip.core.vector.types == std::vector{ElementType::i8, ElementType::i32});
  CHECK(chip.global_memory.attached_to == std::vector<CoreId>{0});
  CHECK_FALSE(chip.core.crossbar.read_energy_pj);
  CHECK_FALSE(chip.core.crossbar.program_latency_fs);
  CHECK(chip.columns_per_weight() == 4);         // 8 bits over 2-bit cells
  CHECK(chip.weights_per_crossbar_row() == 16);  // 64 columns
}

TEST_CASE("chip: what do unknown keys answer?") {
  CHECK(complaint(changed("  crossbar:", "  crosbar:")) ==
        "c.yaml:9:3: unknown key 'crosbar' in 'core'; nearest: 'crossbar'");
  CHECK(complaint(changed("cores: 4", "coers: 4")) == "c.yaml:2:1: unknown key 'coers' at top level; nearest: 'cores'");
  CHECK(complaint(changed("  crossbars: 8", "  crossbars: 8\n  flit: 8 B")) ==
        "c.yaml:7:3: unknown key 'flit' in 'core'; there is 'network.flit'");
  CHECK(complaint(changed("  flit: 8 B", "  flit: 8 B\n  colour: red")) ==
        "c.yaml:21:3: unknown key 'colour' in 'network'; known: clock, topology, width, height, cores_per_router, "
        "tree_arity, level, virtual_channels, virtual_channel_buffer, routing, flit, router_latency, link_latency, "
        "multicast, receive_buffer_messages, handshake_latency, table, hop_energy");
  CHECK(complaint(changed("rows: 128", "rows: {value: 128, sorce: x}")) ==
        "c.yaml:10:24: unknown key 'sorce' in 'core.crossbar.rows'; nearest: 'source'");
  CHECK(complaint(changed("rows: 128", "<<: 128")) ==
        "c.yaml:10:5: unknown key '<<' in 'core.crossbar'; known: rows, cols, cell_bits, dac_bits, rows_active, "
        "encoding, extra_columns, input, signed_inputs, input_bits, phases, stages, overlap, row_latency, "
        "column_latency, read_latency, dac_latency, sample_hold_latency, shift_add_latency, output_latency, pipelined, "
        "read_energy, dac_energy, shift_add_energy, program_latency, program_energy, mean_output, adc, nonideal");
}

TEST_CASE("chip: what do keys of rows answer without rows, and rows without their times?") {
  const auto with = [](const std::string& line) {
    return complaint(changed("  attached_to:", line + "\n  attached_to:"));
  };
  CHECK(with("  banks: 4") ==
        "c.yaml:25:3: 'global_memory.banks': given but not used; it applies only with global_memory.row_size");
  CHECK(with("  activate_latency: 3 cycles") ==
        "c.yaml:25:3: 'global_memory.activate_latency': given but not used; it applies only with "
        "global_memory.row_size");
  CHECK(with("  row_size: 1 KiB") ==
        "c.yaml:22:3: missing key 'global_memory.activate_latency' (opening a row, before an access to one that is not "
        "open); expected cycles of the memory clock in 0 .. 1000000000");
  CHECK(with("  row_size: 1 KiB\n  activate_latency: 3 cycles\n  precharge_latency: 4 cycles") == "");
}

TEST_CASE("chip: what do keys answer that do nothing for want of another?") {
  const auto of_core = [](const std::string& lines) {
    return complaint(changed("  crossbars: 8", "  crossbars: 8\n" + lines));
  };
  const auto of_adc = [](const std::string& keys) {
    return complaint(changed("latency: 10 cycles}", "latency: 10 cycles, " + keys + "}"));
  };
  const auto of_devices = [](const std::string& keys) {
    return complaint(changed("    read_latency: 30 ns", "    read_latency: 30 ns\n    nonideal: {" + keys + "}"));
  };
  CHECK(of_core("  supply: {nominal: 1 V}") ==
        "c.yaml:7:12: 'core.supply.nominal': given without effect; it needs core.supply.voltage");
  CHECK(of_core("  supply: {voltage: 1 V}") ==
        "c.yaml:7:12: 'core.supply.voltage': given without effect; it needs core.supply.nominal and an exponent, or a "
        "table over the voltage");
  CHECK(of_core("  supply: {voltage: 1 V, time_exponent: 1}")
            .ends_with("it needs core.supply.nominal and an exponent, or a table over the voltage"));
  CHECK(of_core("  supply: {time_exponent: 1}") ==
        "c.yaml:7:12: 'core.supply.time_exponent': given without effect; it needs core.supply.voltage and "
        "core.supply.nominal");
  CHECK(of_core("  supply: {energy_exponent: 1}").ends_with("it needs core.supply.voltage and core.supply.nominal"));
  CHECK(of_core("  supply: {voltage: 1 V, nominal: 1 V, energy_exponent: 2}") == "");
  CHECK(of_adc("steps: 8")
            .ends_with("'core.crossbar.adc.steps': given without effect; it needs "
                       "core.crossbar.adc.step_latency"));
  CHECK(of_adc("step_latency: 2 cycles").ends_with("without effect; it needs core.crossbar.adc.steps"));
  CHECK(of_adc("fewer_steps: true").ends_with("without effect; it needs core.crossbar.adc.steps"));
  CHECK(of_adc("steps: 8, step_latency: 2 cycles, fewer_steps: true") == "");
  CHECK(of_adc("range: calibrated").ends_with("without effect; it needs core.crossbar.adc.ideal false"));
  CHECK(of_adc("range: calibrated, ideal: false") == "");
  CHECK(of_devices("seed: 7").find("given without effect; it needs something that is drawn") != std::string::npos);
  CHECK(of_devices("seed: 7, variation: 0.1") == "");
  CHECK(of_devices("drift_exponent: 0.1").ends_with("it needs core.crossbar.nonideal.drift_age"));
  CHECK(of_devices("drift_age: 10").ends_with("it needs core.crossbar.nonideal.drift_exponent"));
  CHECK(of_devices("drift_spread: 0.1, drift_age: 10")
            .ends_with("it needs core.crossbar.nonideal.drift_exponent and drift_age"));
  CHECK(of_devices("drift_exponent: 0.1, drift_age: 10, drift_spread: 0.1") == "");
  CHECK(complaint(changed("    read_latency: 30 ns", "    read_latency: 30 ns\n    mean_output: 3"))
            .ends_with("'core.crossbar.mean_output': given without effect; it needs a table over the mean code of the "
                       "outputs"));
}

TEST_CASE("chip: may a value set over a chip do nothing, where a sweep passes through none?") {
  const auto complaint_about = [](const std::map<std::string, std::string>& values) -> std::string {
    try {
      with_values(parse_chip(least_chip, "c.yaml"), values);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  CHECK(complaint_about({{"core.crossbar.nonideal.seed", "7"}}).find("given without effect") != std::string::npos);
  // of devices that vary by 0.1, 0.05 and 0, none is refused
  CHECK(complaint_about({{"core.crossbar.nonideal.seed", "7"}, {"core.crossbar.nonideal.variation", "0"}}) == "");
  // and what the chip has may lose its effect
  const Chip noisy = with_values(parse_chip(least_chip, "c.yaml"),
                                 {{"core.crossbar.nonideal.seed", "7"}, {"core.crossbar.nonideal.variation", "0.1"}});
  CHECK(with_values(noisy, {{"core.crossbar.nonideal.variation", "0"}}).core.crossbar.nonideal.seed == 7);
}

TEST_CASE("chip: what do wrong values answer?") {
  CHECK(
      complaint(changed("30 ns", "30")) ==
      "c.yaml:13:19: 'core.crossbar.read_latency': expected a time with unit (fs, ps, ns, us, ms, s), got '30', which "
      "has no unit");
  CHECK(complaint(changed("30 ns", "30 pJ")) ==
        "c.yaml:13:19: 'core.crossbar.read_latency': expected a time with unit (fs, ps, ns, us, ms, s), got '30 pJ'; "
        "nearest unit: 'ps'");
  CHECK(complaint(changed("30 ns", "30 s")) ==
        "c.yaml:13:19: 'core.crossbar.read_latency': expected a time in 1 ps .. 1 ms, got '30 s'");
  CHECK(complaint(changed("latency: 2 cycles", "latency: 2")) ==
        "c.yaml:7:31: 'core.vector.latency': expected a number of cycles ('10 cycles'), got '2', which has no unit");
  CHECK(complaint(changed("latency: 2 cycles", "latency: 0 cycles")) ==
        "c.yaml:7:31: 'core.vector.latency': expected cycles of the core clock in 1 .. 1000000000, got '0 cycles'");
  CHECK(complaint(changed("rows: 128", "rows: 0")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number in 1 .. 65536, got '0'");
  CHECK(complaint(changed("rows: 128", "rows: 128 B")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number without unit, got '128 B'");
  CHECK(complaint(changed("rows: 128", "rows: 100000000000000000000000000000000000")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number without unit, got "
        "'100000000000000000000000000000000000'");
  CHECK(complaint(changed("rows: 128", "rows: .inf")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number without unit, got '.inf'");
  CHECK(complaint(changed("topology: mesh", "topology: mash")) ==
        "c.yaml:17:13: 'network.topology': expected one of: mesh, torus, ring, crossbar, tree, table, got 'mash'; "
        "nearest: 'mesh'");
  CHECK(complaint(changed("flit: 8 B", "flit: 8 B\n  multicast: yes")) ==
        "c.yaml:21:14: 'network.multicast': expected one of: false, true, got 'yes'");
  CHECK(complaint(changed("[i8, i32]", "[i8, i33]")) ==
        "c.yaml:7:53: 'core.vector.types': expected one of: u8, i8, u16, i16, u32, i32, i64, bool, f16, bf16, f32, got "
        "'i33'; nearest: 'i32'");
  CHECK(complaint(changed("capacity: 16 KiB", "capacity: 16 KB")) ==
        "c.yaml:8:28: 'core.local_memory.capacity': expected a size with unit (B, KiB, MiB, GiB, TiB), got '16 KB'; "
        "nearest unit: 'KiB'");
  CHECK(complaint(changed("clock: 1 GHz", "clock: 1000")) ==
        "c.yaml:4:10: 'core.clock': expected a frequency (Hz, kHz, MHz, GHz) or a period (fs, ps, ns, us), got '1000', "
        "which has no unit");
  CHECK(
      complaint(changed("clock: 1 GHz", "clock: 1 THz")) ==
      "c.yaml:4:10: 'core.clock': expected a frequency (Hz, kHz, MHz, GHz) or a period (fs, ps, ns, us), got '1 THz'");
  CHECK(complaint(changed("flit: 8 B", "flit: 8 B\n  hop_energy: -1 pJ")) ==
        "c.yaml:21:15: 'network.hop_energy': expected an energy in 0 pJ .. 1 J, got '-1 pJ'");
}

TEST_CASE("chip: what do values of the wrong kind answer?") {
  CHECK(complaint(changed("rows: 128", "rows: [128]")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number in 1 .. 65536, got a sequence");
  CHECK(complaint(changed("rows: 128", "rows:")) ==
        "c.yaml:10:5: 'core.crossbar.rows': expected a whole number in 1 .. 65536, got nothing");
  CHECK(complaint(changed("rows: 128", "rows: ~")) ==
        "c.yaml:10:5: 'core.crossbar.rows': expected a whole number in 1 .. 65536, got nothing");
  CHECK(complaint(changed("rows: 128", "rows: {source: table 1}")) ==
        "c.yaml:10:11: 'core.crossbar.rows': expected a whole number in 1 .. 65536 or {value, source}, got a mapping "
        "without value");
  CHECK(complaint(changed("rows: 128", "rows: {value: 128, source: ''}")) ==
        "c.yaml:10:32: 'core.crossbar.rows': expected a text as source, got ''");
  CHECK(complaint(changed("adc: {bits: 8, latency: 10 cycles}", "adc: 8")) ==
        "c.yaml:14:10: 'core.crossbar.adc': expected a section with keys (bits, per_crossbar, latency, steps, "
        "step_latency, fewer_steps, range, ideal, "
        "energy), "
        "got '8'");
  CHECK(complaint(changed("[i8, i32]", "i8")) ==
        "c.yaml:7:48: 'core.vector.types': expected a list, each item one of: u8, i8, u16, i16, u32, i32, i64, bool, "
        "f16, bf16, f32, got 'i8'");
  CHECK(complaint(changed("[0]", "[]")) ==
        "c.yaml:25:16: 'global_memory.attached_to': expected at least one item, got an empty list");
  CHECK(complaint(changed("[0]", "[[0]]")) ==
        "c.yaml:25:17: 'global_memory.attached_to': expected a list, each item a whole number in 0 .. 65535, got a "
        "sequence");
  CHECK(complaint("- a\n- b\n") ==
        "c.yaml:1:1: expected a section with keys (name, description, cores, parts, core, network, global_memory, "
        "numerics, "
        "rules, static_power, area), got a sequence");
  CHECK(complaint("[a]: 1\n") == "c.yaml:1:1: expected a key, got a sequence");
}

TEST_CASE("chip: what do missing keys answer?") {
  CHECK(
      complaint(changed("    rows: 128\n", "")) ==
      "c.yaml:10:5: missing key 'core.crossbar.rows' (word lines of one array); expected a whole number in 1 .. 65536");
  CHECK(
      complaint(changed("    adc: {bits: 8, latency: 10 cycles}\n", "")) ==
      "c.yaml:10:5: missing key 'core.crossbar.adc.bits' (resolution; of no effect on values while `ideal`); expected "
      "a whole number in 1 .. 32");
  CHECK(complaint(changed("  topology: mesh\n", "")) ==
        "c.yaml:16:3: missing key 'network.topology' (mesh, torus (x before y), ring, tree: routers and links; "
        "crossbar: a "
        "link into each core, from all others; all contended; table: a latency per pair, not contended); expected one "
        "of: "
        "mesh, torus, ring, crossbar, tree, table");
  CHECK(complaint(changed("  width: 2\n", "")) ==
        "c.yaml:16:3: missing key 'network.width' (columns of the mesh or torus; routers stand row by row); expected a "
        "whole number "
        "in 1 .. 1024");
  CHECK(complaint("name: x\n") ==
        "c.yaml:1:1: missing key 'cores' (cores of the chip); expected a whole number in 1 .. 65536");
}

TEST_CASE("chip: what do keys without effect answer?") {
  CHECK(complaint(changed("flit: 8 B", "flit: 8 B\n  table: [[0]]")) ==
        "c.yaml:21:3: 'network.table': given but not used; it applies only with network.topology table");
  CHECK(complaint(changed("topology: mesh", "topology: table")) ==
        "c.yaml:18:3: 'network.width': given but not used; it applies only with network.topology mesh or torus");
  CHECK(complaint(changed("flit: 8 B", "flit: 8 B\n  virtual_channels: 3")) ==
        "c.yaml:21:3: 'network.virtual_channels': given but not used; it applies only with network.level flit");
  CHECK(complaint(changed("crossbars: 8", "crossbars: 8\n  loops: none\n  loop_depth: 2")) ==
        "c.yaml:8:3: 'core.loop_depth': given but not used; it applies only with core.loops hardware");
}

TEST_CASE("chip: what do rules between keys answer?") {
  CHECK(complaint(changed("cores: 4", "cores: 8")) ==
        "c.yaml:18:3: 'network.width': expected width * height to be 8 ('cores'), got 2 * 2 = 4");
  CHECK(complaint(changed("height: 2", "height: 2\n  cores_per_router: 2")) ==
        "c.yaml:18:3: 'network.width': expected width * height * 2 (cores_per_router) to be 4 ('cores'), got 2 * 2 * 2 "
        "(cores_per_router) = 8");
  const auto without_size = [](const std::string& topology) {
    return changed("  topology: mesh\n  width: 2\n  height: 2\n", "  topology: " + topology + "\n");
  };
  CHECK(complaint(without_size("ring\n  cores_per_router: 3")) ==
        "c.yaml:18:3: 'network.cores_per_router': expected a divisor of 4 ('cores'), got 3");
  CHECK(complaint(without_size("ring\n  level: flit\n  virtual_channels: 1")) ==
        "c.yaml:19:3: 'network.virtual_channels': expected at least 2 on a ring, where one can deadlock, got 1");
  CHECK(complaint(without_size("crossbar\n  level: flit\n  router_latency: 0 cycles")) ==
        "c.yaml:19:3: 'network.router_latency': expected at least 1 cycle with network.level flit, got 0");
  CHECK(
      complaint(without_size("crossbar\n  link_latency: 0 cycles\n  router_latency: 0 cycles")) ==
      "c.yaml:18:3: 'network.link_latency': expected router_latency and link_latency to be 1 cycle at least together");
  CHECK(complaint(without_size("tree")) ==
        "c.yaml:16:3: missing key 'network.tree_arity' (cores at a router of the lowest row, and routers below each "
        "router "
        "of the rows above, up to one); expected a whole number in 2 .. 1024");
  CHECK(complaint(changed("rows: 128", "rows: 128\n    rows_active: 129")) ==
        "c.yaml:11:5: 'core.crossbar.rows_active': expected at most 128 (core.crossbar.rows), got 129");
  CHECK(complaint(changed("cell_bits: 2", "cell_bits: 9")) ==
        "c.yaml:12:5: 'core.crossbar.cell_bits': expected at most 8 (numerics.weight_bits), got 9");
  CHECK(complaint(changed("rows: 128", "rows: 128\n    dac_bits: 9")) ==
        "c.yaml:11:5: 'core.crossbar.dac_bits': expected at most 8 (numerics.activation_bits), got 9");
  CHECK(complaint(changed("cols: 64", "cols: 3")) ==
        "c.yaml:11:5: 'core.crossbar.cols': expected at least 4 columns, which one weight takes, got 3");
  CHECK(complaint(changed("bits: 8, latency", "bits: 8, per_crossbar: 65, latency")) ==
        "c.yaml:14:20: 'core.crossbar.adc.per_crossbar': expected at most 64 (core.crossbar.cols), got 65");
  CHECK(complaint(changed("crossbars: 8", "crossbars: 8\n  array_group: {max_rows: 9}")) ==
        "c.yaml:7:17: 'core.array_group.max_rows': expected at most 8 (core.crossbars), got 9");
  CHECK(complaint(changed("crossbars: 8", "crossbars: 8\n  array_group: {max_columns: 9}")) ==
        "c.yaml:7:17: 'core.array_group.max_columns': expected at most 8 (core.crossbars), got 9");
  CHECK(complaint(changed("width: 16 B}", "width: 32 KiB}")) ==
        "c.yaml:8:36: 'core.local_memory.width': expected at most 16384 (core.local_memory.capacity), got 32768");
  CHECK(complaint(changed("[i8, i32]", "[i8]")) ==
        "c.yaml:7:41: 'core.vector.types': expected i32 among the types, since partial sums travel as i32");
  CHECK(complaint(changed("[i8, i32]", "[i8, i32, i8]")) ==
        "c.yaml:7:41: 'core.vector.types': expected each type once, got 'i8' twice");
  CHECK(complaint(changed("[0]", "[4]")) ==
        "c.yaml:25:3: 'global_memory.attached_to': expected cores below 4 ('cores'), got 4");
  CHECK(complaint(changed("[0]", "[0, 1]")) ==
        "c.yaml:25:3: 'global_memory.attached_to': expected a core for each of 1 (global_memory.channels), got 2");
  CHECK(complaint(changed("[0]", "[1, 1]\n  channels: 2")) ==
        "c.yaml:25:3: 'global_memory.attached_to': expected a different core for each channel");
  CHECK(complaint(least_chip + "numerics: {f32: true}\n") ==
        "c.yaml:26:12: 'numerics.f32': expected f32 in core.vector.types, got a vector unit without it");
}
