// The keys of the chip file, struct by struct: name, field, range, class, sentence. See key.hpp for what is made of
// them.
#include <algorithm>

#include "isa/chip/key.hpp"
#include "isa/chip/table.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {

constexpr auto legality = KeyClass::legality;
constexpr auto cost = KeyClass::cost;
constexpr auto physics = KeyClass::physics;

Kind energy() { return in(Dimension::energy, "0 pJ", "1 J"); }
Kind power() { return in(Dimension::power, "0 mW", "1000 W"); }
Kind area() { return in(Dimension::area, "0 mm2", "100000 mm2"); }
Kind width() { return in(Dimension::bytes, "1 B", "64 KiB"); }
Kind ratio(const char* low, const char* high) { return in(Dimension::ratio, low, high); }
Kind volts() { return in(Dimension::voltage, "50 mV", "10 V"); }
Kind clock() { return in(Dimension::clock, "1 MHz", "100 GHz"); }
Kind latency(std::int64_t low = 0) { return cycles("core", low); }

Kind element_types() {
  std::vector<std::string> names;
  for (int i = 0; i < element_type_count; ++i) names.emplace_back(to_string(static_cast<ElementType>(i)));
  return choice(std::move(names));
}

bool is_mesh(const Chip& chip) { return chip.network.topology == "mesh"; }
bool is_grid(const Chip& chip) { return is_mesh(chip) || chip.network.topology == "torus"; }
bool is_grid_or_ring(const Chip& chip) { return is_grid(chip) || chip.network.topology == "ring"; }
bool is_tree(const Chip& chip) { return chip.network.topology == "tree"; }
bool is_table(const Chip& chip) { return chip.network.topology == "table"; }
bool has_routers(const Chip& chip) { return !is_table(chip); }
bool moves_flits(const Chip& chip) { return has_routers(chip) && chip.network.level == NetworkLevel::flit; }
bool has_local_banks(const Chip& chip) { return chip.core.local_memory.banks > 1; }
bool has_rows(const Chip& chip) { return chip.global_memory.row_size > 0; }
bool has_loops(const Chip& chip) { return chip.core.loops == LoopSupport::hardware; }
constexpr const char* with_grid = "with network.topology mesh or torus";
constexpr const char* with_grid_or_ring = "with network.topology mesh, torus or ring";
constexpr const char* with_tree = "with network.topology tree";
constexpr const char* with_routers = "with any network.topology but table";
constexpr const char* with_flits = "with network.level flit";
constexpr const char* with_rows = "with global_memory.row_size";
constexpr const char* with_table = "with network.topology table";

}  // namespace

void describe(Section<ScalarUnit>& s) {
  using T = ScalarUnit;
  s.key("latency", &T::latency_cycles, latency(1), cost, "one scalar instruction");
  s.key("address_registers", &T::address_registers, count(8, 254), legality, "registers for addresses and trip counts");
  s.key("energy", &T::energy_pj, energy(), physics, "one scalar instruction");
}

void describe(Section<VectorUnit>& s) {
  using T = VectorUnit;
  s.key("lanes", &T::lanes, count(1, 65536), cost, "elements of one pass").required();
  s.key("latency", &T::latency_cycles, latency(1), cost, "one pass of an arithmetic operation").required();
  s.key("function_latency", &T::function_latency_cycles, latency(1), cost,
        "one pass of exp, erf, division, square root and the like");
  s.list("types", &T::types, element_types(), legality, "element types that vector instructions compute with")
      .required();
  s.key("energy", &T::energy_pj, energy(), physics, "one operation on one element");
}

void describe(Section<LocalMemory>& s) {
  using T = LocalMemory;
  s.key("capacity", &T::capacity, in(Dimension::bytes, "1 KiB", "1 GiB"), legality, "bytes of one core").required();
  s.key("width", &T::width, width(), cost, "bytes of one access of one port").required();
  s.key("ports", &T::ports, count(1, 64), cost, "accesses at once; a unit holds one port for a whole read or write");
  s.key("banks", &T::banks, count(1, 1024), cost, "indexed accesses are taken to conflict in all of them");
  s.key("bank_interleave", &T::bank_interleave, in(Dimension::bytes, "0 B", "1 GiB"), cost,
        "bytes that follow each other in one bank; reads and writes hold the banks of their bytes; 0: ports alone")
      .option()
      .only("with core.local_memory.banks above 1", has_local_banks);
  s.key("read_latency", &T::read_latency_cycles, latency(1), cost, "one read of `width` bytes");
  s.key("write_latency", &T::write_latency_cycles, latency(1), cost, "one write of `width` bytes");
  s.key("read_energy", &T::read_energy_pj, energy(), physics, "one read of `width` bytes");
  s.key("write_energy", &T::write_energy_pj, energy(), physics, "one write of `width` bytes");
}

void describe(Section<Adc>& s) {
  using T = Adc;
  s.key("bits", &T::bits, count(1, 32), physics, "resolution; of no effect on values while `ideal`").required();
  s.key("per_crossbar", &T::per_crossbar, count(0, 65536), cost,
        "converters that share the columns of one crossbar; 0: none, columns end in digits");
  s.key("latency", &T::latency_cycles, latency(), cost, "one conversion").required();
  s.key("steps", &T::steps, count(0, 32), cost, "bits that a conversion decides one after the other").option();
  s.key("step_latency", &T::step_latency_cycles, latency(), cost, "each of them, beside `latency`").option();
  s.key("fewer_steps", &T::fewer_steps, flag(), cost,
        "the conversion of a later slice of an input takes fewer steps, by the bits of the slices before it")
      .option();
  s.key("range", &T::range, choice({"full_scale", "calibrated"}), physics,
        "what the largest code stands for: the largest sum that a bit line can have, or, for each tile, what suits the "
        "sums of a first run on the same inputs; of no effect while `ideal`");
  s.key("ideal", &T::ideal, flag(), physics, "no clipping and no rounding: the crossbar equals the integer reference");
  s.key("energy", &T::energy_pj, energy(), physics, "one conversion");
}

void describe(Section<Nonideal>& s) {
  using T = Nonideal;
  s.key("seed", &T::seed, count(0, 2147483647), physics, "of all that follows: the same seed, the same devices")
      .option();
  s.key("variation", &T::variation, ratio("0", "2"), physics, "sigma of a cell's conductance, relative to it").option();
  s.key("stuck_at_0", &T::stuck_at_0, ratio("0", "1"), physics, "fraction of the cells that hold nothing").option();
  s.key("stuck_at_1", &T::stuck_at_1, ratio("0", "1"), physics, "fraction of the cells that hold their largest level")
      .option();
  s.key("read_noise", &T::read_noise, ratio("0", "1"), physics,
        "sigma of one read of a line, relative to the line's full scale")
      .option();
  s.key("drift_exponent", &T::drift_exponent, ratio("0", "1"), physics,
        "conductances fall with the power law age^-exponent")
      .option();
  s.key("drift_spread", &T::drift_spread, ratio("0", "2"), physics, "sigma of a cell's exponent, relative to it")
      .option();
  s.key("drift_age", &T::drift_age, ratio("1", "1e12"), physics,
        "time since the cells were written, over the time at which they were measured")
      .option();
  s.key("wire_resistance", &T::wire_resistance, ratio("0", "1"), physics,
        "of the wire from one cell to the next, over the resistance of a cell at its largest level")
      .option();
}

void describe(Section<Supply>& s) {
  using T = Supply;
  s.key("voltage", &T::volts, volts(), cost, "of the cores; tables over the voltage are read here").option();
  s.key("nominal", &T::nominal_volts, volts(), cost, "the voltage at which times and energies of the core are given")
      .option();
  s.key("time_exponent", &T::time_exponent, ratio("0", "10"), cost,
        "times of the core (clock, read, row, column, program) go by (nominal / voltage)^this")
      .option();
  s.key("energy_exponent", &T::energy_exponent, ratio("0", "10"), physics,
        "energies of the core go by (voltage / nominal)^this")
      .option();
}

void describe(Section<Crossbar>& s) {
  using T = Crossbar;
  s.key("rows", &T::rows, count(1, 65536), legality, "word lines of one array").required();
  s.key("cols", &T::cols, count(1, 65536), legality, "bit lines of one array").required();
  s.key("cell_bits", &T::cell_bits, count(1, 16), legality, "bits that one cell holds").required();
  s.key("dac_bits", &T::dac_bits, count(1, 16), cost,
        "input bits applied at once; an input takes ceil(bits / this) slices");
  s.key("rows_active", &T::rows_active, count(1, 65536), cost, "word lines driven at once")
      .defaults_to("core.crossbar.rows");
  s.key("encoding", &T::encoding, choice({"offset", "differential", "flipped"}), legality,
        "how signed weights stand in cells; differential takes two columns for one");
  s.key("extra_columns", &T::extra_columns, count(0, 64), legality,
        "columns that each weight takes beside those of its cells, into which its sum grows")
      .option();
  s.key("input", &T::input, choice({"bits", "pulse_count", "pulse_width"}), cost,
        "how a digit of b bits comes onto its word line: a level, for one read; as pulses, for 2^b - 1 reads; as a "
        "pulse of its length, for 2^b reads")
      .option();
  s.key("signed_inputs", &T::signed_inputs, choice({"offset", "magnitude"}), cost,
        "shifted to begin at 0, or magnitude and sign, which takes a bit less")
      .option();
  s.key("input_bits", &T::input_bits, count(0, 16), legality,
        "bits of an input that are applied; 0: all of its element type")
      .option();
  s.key("phases", &T::phases, count(1, 64), cost, "times that each slice is applied, for signs and polarities")
      .option();
  s.key("stages", &T::stages, count(0, 64), cost,
        "further pipeline stages of a slice, behind its conversion or, without converters, along its column")
      .option();
  s.key("overlap", &T::overlap, flag(), cost,
        "registers at inputs and outputs: a product enters an array group while the one before is finished")
      .option();
  s.key("row_latency", &T::row_latency_fs, in(Dimension::time, "0 fs", "1 ms"), cost,
        "what each driven row of a stage adds to a read")
      .option();
  s.key("column_latency", &T::column_latency_fs, in(Dimension::time, "0 fs", "1 ms"), cost,
        "what each column of a weight adds to a read")
      .option();
  s.key("read_latency", &T::read_latency_fs, in(Dimension::time, "1 ps", "1 ms"), cost,
        "one read of all bit lines, before conversion")
      .required();
  s.key("dac_latency", &T::dac_latency_cycles, latency(), cost, "applying one input slice");
  s.key("sample_hold_latency", &T::sample_hold_cycles, latency(), cost, "holding the read columns for the converters");
  s.key("shift_add_latency", &T::shift_add_cycles, latency(), cost, "adding one converted column to its sum");
  s.key("output_latency", &T::output_cycles, latency(), cost, "writing one sum to the output buffer");
  s.key("pipelined", &T::pipelined, flag(), cost, "the read of a slice overlaps the conversions of the slice before");
  s.key("read_energy", &T::read_energy_pj, energy(), physics, "one input slice on one crossbar");
  s.key("dac_energy", &T::dac_energy_pj, energy(), physics, "one input slice on one row");
  s.key("shift_add_energy", &T::shift_add_energy_pj, energy(), physics, "adding one converted column");
  s.key("program_latency", &T::program_latency_fs, in(Dimension::time, "1 ps", "1 s"), cost,
        "writing one row of cells");
  s.key("program_energy", &T::program_energy_pj, energy(), physics, "writing one cell");
  s.key("mean_output", &T::mean_output, ratio("0", "1e9"), physics,
        "mean code of the outputs, at which tables of energies over it are read; unknown: that of the run's own values")
      .option();
  s.section("adc", &T::adc);
  s.section("nonideal", &T::nonideal);
}

void describe(Section<ArrayGroup>& s) {
  using T = ArrayGroup;
  s.key("max_rows", &T::max_rows, count(1, 1024), legality, "crossbars of one group that share their outputs");
  s.key("max_columns", &T::max_columns, count(1, 1024), legality, "crossbars of one group that share their inputs");
  s.key("row_add_latency", &T::row_add_cycles, latency(), cost, "adding up one more row of crossbars");
}

void describe(Section<Core>& s) {
  using T = Core;
  s.key("clock", &T::clock, clock(), cost, "of the cores; a frequency or a period").required();
  s.key("window", &T::window, count(1, 1024), cost, "instructions issued and not retired at once; 1 is no overlap");
  s.key("instruction_memory", &T::instruction_memory, in(Dimension::bytes, "1 KiB", "1 GiB"), legality, "of one core")
      .required();
  s.key("loops", &T::loops, choice({"none", "hardware"}), legality, "none models a machine without branches");
  s.key("loop_depth", &T::loop_depth, count(1, 16), legality, "loops within loops")
      .only("with core.loops hardware", has_loops);
  s.key("crossbars", &T::crossbars, count(1, 65536), legality, "arrays of one core").required();
  s.section("scalar", &T::scalar);
  s.section("vector", &T::vector);
  s.section("local_memory", &T::local_memory);
  s.section("crossbar", &T::crossbar);
  s.section("array_group", &T::array_group);
  s.section("supply", &T::supply);
}

void describe(Section<Network>& s) {
  using T = Network;
  s.key("clock", &T::clock, clock(), cost, "of links and routers; a frequency or a period").required();
  s.key(
       "topology", &T::topology, choice({"mesh", "torus", "ring", "crossbar", "tree", "table"}), cost,
       "mesh, torus (x before y), ring, tree: routers and links; crossbar: a link into each core, from all others; all "
       "contended; table: a latency per pair, not contended")
      .required();
  s.key("width", &T::width, count(1, 1024), cost, "columns of the mesh or torus; routers stand row by row")
      .required()
      .only(with_grid, is_grid);
  s.key("height", &T::height, count(1, 1024), cost, "rows of the mesh or torus").required().only(with_grid, is_grid);
  s.key("cores_per_router", &T::cores_per_router, count(1, 64), cost, "cores at one router, with consecutive numbers")
      .only(with_grid_or_ring, is_grid_or_ring);
  s.key("tree_arity", &T::tree_arity, count(2, 1024), cost,
        "cores at a router of the lowest row, and routers below each router of the rows above, up to one")
      .required()
      .only(with_tree, is_tree);
  s.key("level", &T::level, choice({"message", "flit"}), cost,
        "message: whole messages, each keeping a link for a cycle per flit; flit: input-queued routers with virtual "
        "channels and credits")
      .only(with_routers, has_routers);
  s.key("virtual_channels", &T::virtual_channels, count(1, 64), cost, "of each link; a torus or ring needs two")
      .only(with_flits, moves_flits);
  s.key("virtual_channel_buffer", &T::virtual_channel_buffer, count(1, 4096), cost,
        "flits that one virtual channel holds; fewer than the cycles of a credit's round trip slow a link down")
      .only(with_flits, moves_flits);
  s.key("routing", &T::routing, choice({"xy", "west_first", "odd_even"}), cost,
        "xy: x, then y; the others adapt: of the shortest ways that the turn model allows, the link with most room")
      .only("with network.topology mesh and network.level flit",
            [](const Chip& chip) { return is_mesh(chip) && moves_flits(chip); });
  s.key("flit", &T::flit, width(), cost, "bytes that a link moves in one cycle").required();
  s.key("router_latency", &T::router_cycles, cycles("network"), cost, "head flit through one router")
      .only(with_routers, has_routers);
  s.key("link_latency", &T::link_cycles, cycles("network"), cost, "head flit over one link")
      .only(with_routers, has_routers);
  s.key("multicast", &T::multicast, flag(), legality, "one send may have several destinations");
  s.key("receive_buffer_messages", &T::receive_buffer_messages, count(0, 1024), cost,
        "messages held per pair of source and destination; 0: a send ends when its receive takes it");
  s.key("handshake_latency", &T::handshake_cycles, cycles("network"), cost, "request and grant, added to each message");
  s.special("table", Key::Form::table, in(Dimension::cycles, "0 cycles", "1000000000 cycles"), cost,
            "network cycles per flit, a row per source and a column per destination, the global memory last; rows in "
            "place, or a file beside this one (.csv in cycles, .json as pimsim-nn has it in ns)",
            [](const Chip& chip) { return print_table(chip.network.table.get()); })
      .required()
      .only(with_table, is_table);
  s.key("hop_energy", &T::hop_energy_pj, energy(), physics, "one flit through one router and link")
      .only(with_routers, has_routers);
}

void describe(Section<GlobalMemory>& s) {
  using T = GlobalMemory;
  s.key("clock", &T::clock, clock(), cost, "of the global memory; a frequency or a period").required();
  s.key("capacity", &T::capacity, in(Dimension::bytes, "1 KiB", "1024 GiB"), legality, "bytes in all").required();
  s.key("width", &T::width, width(), cost, "bytes of one access").required();
  s.key("channels", &T::channels, count(1, 1024), cost, "accesses at once");
  s.key("read_latency", &T::read_latency_cycles, cycles("memory", 1), cost, "one read of `width` bytes");
  s.key("write_latency", &T::write_latency_cycles, cycles("memory", 1), cost, "one write of `width` bytes");
  s.key("row_size", &T::row_size, in(Dimension::bytes, "0 B", "1 MiB"), cost,
        "bytes of a row, one of which each bank keeps open for the next access; 0: no rows")
      .option();
  s.key("banks", &T::banks, count(1, 1024), cost, "of each channel; its rows go round them").only(with_rows, has_rows);
  s.key("activate_latency", &T::activate_cycles, cycles("memory"), cost,
        "opening a row, before an access to one that is not open")
      .required()
      .only(with_rows, has_rows);
  s.key("precharge_latency", &T::precharge_cycles, cycles("memory"), cost,
        "closing the row that is open instead, before that")
      .required()
      .only(with_rows, has_rows);
  s.list("attached_to", &T::attached_to, count(0, 65535), cost, "the core beside which each channel joins the network")
      .required()
      .only(with_routers, has_routers);
  s.key("read_energy", &T::read_energy_pj, energy(), physics, "one read of `width` bytes");
  s.key("write_energy", &T::write_energy_pj, energy(), physics, "one write of `width` bytes");
}

void describe(Section<ChipNumerics>& s) {
  using T = ChipNumerics;
  s.key("weight_bits", &T::weight_bits, count(1, 16), legality, "bits of one weight over its cells");
  s.key("activation_bits", &T::activation_bits, count(1, 16), legality, "bits of one activation");
  s.key("f32", &T::f32, flag(), legality, "matrix and vector units take 4-byte floats");
}

void describe(Section<Rules>& s) {
  using T = Rules;
  s.key("mvm_input_reads", &T::mvm_input_reads, count(1, 64), cost, "times that an MVM's input is read");
  s.key("rounded_down", &T::rounded_down, flag(), cost,
        "slices, row turns and conversions per ADC that do not divide evenly are rounded down");
  s.key("load_data_free", &T::load_data_free, flag(), cost, "the data of a load take no time on the network");
  s.key("request_and_grant", &T::request_and_grant, flag(), cost,
        "a send asks with one flit and reads its data once the receiver has answered with another")
      .only(with_table, is_table);
  s.key("sends_end_early", &T::sends_end_early, flag(), cost,
        "a send ends when its data have left local memory, a sync after one cycle")
      .only(with_table, is_table);
  s.key("messages_in_turn", &T::messages_in_turn, flag(), cost, "what a core sends leaves one after the other")
      .only(with_table, is_table);
  s.key("first_issue", &T::first_issue, latency(), cost, "when the first instruction may issue");
  s.key("start_latency", &T::start_cycles, latency(), cost,
        "from the issue of a vector, matrix or transfer instruction to its start");
  s.key("retire_latency", &T::retire_cycles, latency(), cost, "from its end to its retirement");
  s.key("mvm_retire_latency", &T::mvm_retire_cycles, latency(), cost, "the same, more for an MVM");
  s.key("network_retire_latency", &T::network_retire_cycles, latency(), cost, "the same, more for store and wait");
  s.key("write_after_write_unchecked", &T::write_after_write_unchecked, flag(), cost,
        "an instruction may overtake an earlier one that writes the same bytes");
  s.key("write_after_read_waits_for_end", &T::write_after_read_waits_for_end, flag(), cost,
        "a write waits for the end of an earlier instruction that reads there, not only for its reading");
  s.key("touching_ranges_conflict", &T::touching_ranges_conflict, flag(), cost,
        "ranges conflict also when one ends where the other begins");
  s.key("load_hazards_at_zero", &T::load_hazards_at_zero, flag(), cost,
        "hazards take the local address of a load or store as 0");
}

void describe(Section<StaticPower>& s) {
  using T = StaticPower;
  s.key("core", &T::core_mw, power(), physics, "one core, always");
  s.key("network", &T::network_mw, power(), physics, "the whole network, always");
  s.key("global_memory", &T::global_memory_mw, power(), physics, "the whole global memory, always");
}

void describe(Section<Area>& s) {
  using T = Area;
  s.key("core", &T::core_mm2, area(), physics, "one core");
  s.key("network", &T::network_mm2, area(), physics, "the whole network");
  s.key("global_memory", &T::global_memory_mm2, area(), physics, "the whole global memory");
}

void describe(Section<Chip>& s) {
  using T = Chip;
  s.key("name", &T::name, free_text(), physics, "shown in reports").required().label();
  s.key("description", &T::description, free_text(), physics, "shown in reports").label();
  s.key("cores", &T::cores, count(1, 65536), legality, "cores of the chip").required();
  s.list("parts", &T::parts, part(), physics,
         "components beside those that follow, each with the power that it always draws and its area: "
         "\"NAME, COUNT per core|chip, POWER, AREA\"; power and area may be unknown")
      .option();
  s.section("core", &T::core);
  s.section("network", &T::network);
  s.section("global_memory", &T::global_memory);
  s.section("numerics", &T::numerics);
  s.section("rules", &T::rules);
  s.section("static_power", &T::static_power);
  s.section("area", &T::area);
}

const std::vector<Key>& key_table() {
  static const std::vector<Key> table = [] {
    std::vector<Key> rows;
    Section<Chip> chip(rows, "", [](Chip& c) -> Chip& { return c; });
    describe(chip);
    return rows;
  }();
  return table;
}

const Key& key_at(const std::string& path) {
  std::vector<std::string> paths;
  for (const Key& key : key_table()) {
    if (key.path == path) return key;
    paths.push_back(key.path);
  }
  const std::string near = nearest(path, paths);
  throw UserError("unknown chip key '" + path + "'" + (near.empty() ? "" : "; nearest: '" + near + "'"));
}

std::string section_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

}  // namespace pimento::isa
