#pragma once
// The chip: one YAML file, read by compiler and simulator alike (DESIGN section 3). A value that nobody gave and that
// has no sensible default is std::nullopt ("unknown"), never zero. Times are integer femtoseconds or cycles of the
// clock named beside the field.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::isa {

/// Class of a key: what a program compiled for one value may still do on a chip with another (DESIGN section 3).
enum class KeyClass : std::uint8_t { legality, cost, physics };

struct Clock {
  std::string name;            ///< "core", "network", "memory", or a name of the user's
  Femtoseconds period_fs = 0;  ///< 1 GHz is 1'000'000 fs
};

struct LocalMemory {
  Bytes capacity = 0;              ///< legality
  Bytes width = 0;                 ///< bytes of one access of one port (cost)
  int ports = 1;                   ///< accesses at once; each unit's access takes one port for its whole time (cost)
  int banks = 1;                   ///< cost: indexed accesses are taken to conflict in full
  Bytes bank_interleave = 0;       ///< consecutive bytes of one bank; 0: phases share ports alone (cost)
  Cycles read_latency_cycles = 1;  ///< core clock, per access of `width` bytes
  Cycles write_latency_cycles = 1;
  std::optional<Picojoules> read_energy_pj, write_energy_pj;  ///< per access of `width` bytes
};

struct VectorUnit {
  int lanes = 1;                        ///< elements per pass (cost)
  Cycles latency_cycles = 1;            ///< core clock, per pass
  Cycles function_latency_cycles = 1;   ///< core clock, per pass of exp, erf, division, ... (cost)
  std::vector<ElementType> types;       ///< legality: types that the vector unit computes with
  std::optional<Picojoules> energy_pj;  ///< per element operation
};

struct ScalarUnit {
  Cycles latency_cycles = 1;
  int address_registers = 32;  ///< legality
  std::optional<Picojoules> energy_pj;
};

enum class WeightEncoding : std::uint8_t { offset, differential, flipped };

/// What the largest code stands for: the largest sum that a bit line can have, or what suits the sums that come.
enum class AdcRange : std::uint8_t { full_scale, calibrated };

struct Adc {
  int bits = 0;                           ///< physics for values unless `ideal`
  int per_crossbar = 1;                   ///< converters that share the columns of one crossbar; 0: none (cost)
  Cycles latency_cycles = 1;              ///< core clock, per conversion
  int steps = 0;                          ///< bits that a conversion decides one after the other (cost)
  Cycles step_latency_cycles = 0;         ///< core clock, for each of them, beside `latency_cycles`
  bool fewer_steps = false;               ///< a later slice's conversion takes fewer, by the bits of those before it
  AdcRange range = AdcRange::full_scale;  ///< physics
  bool ideal = true;                      ///< no clipping, no rounding: the crossbar equals the integer reference
  std::optional<Picojoules> energy_pj;    ///< per conversion
};

/// How a digit of an input comes onto its word line, and so what a slice of b bits takes: one read; 2^b - 1 reads, a
/// pulse each; or a pulse as long as the digit in a window of 2^b reads.
enum class InputForm : std::uint8_t { bits, pulse_count, pulse_width };
/// Signed inputs are shifted to begin at 0, or come as magnitude and sign, which takes a bit less.
enum class InputSign : std::uint8_t { offset, magnitude };

/// What devices do that sums of integers do not: all of it off by default. simulator/crossbar/README.md has the
/// arithmetic.
struct Nonideal {
  std::int64_t seed = 1;
  double variation = 0;                   ///< sigma of a cell's conductance, relative to it
  double stuck_at_0 = 0, stuck_at_1 = 0;  ///< fractions of the cells
  double read_noise = 0;                  ///< sigma of one read of a line, relative to the line's full scale
  double drift_exponent = 0, drift_spread = 0, drift_age = 1;  ///< g * age^-exponent; the exponent's relative sigma
  double wire_resistance = 0;  ///< of the wire between two cells, times a cell's largest conductance
  bool any() const {
    return variation > 0 || stuck_at_0 > 0 || stuck_at_1 > 0 || read_noise > 0 ||
           (drift_exponent > 0 && drift_age > 1) || wire_resistance > 0;
  }
};

struct Crossbar {
  int rows = 0, cols = 0;  ///< legality
  int cell_bits = 0;       ///< legality
  int dac_bits = 1;        ///< input bits applied per slice (cost)
  int rows_active = 0;     ///< rows driven at once; <= rows (cost, and physics for the ADC's range)
  WeightEncoding encoding = WeightEncoding::offset;
  int extra_columns = 0;  ///< columns that a weight takes beside those of its cells (legality)
  InputForm input = InputForm::bits;
  InputSign signed_inputs = InputSign::offset;
  int input_bits = 0;    ///< bits of an input that are applied; 0: those of its element type (legality)
  int phases = 1;        ///< times that each slice is applied (cost)
  int stages = 0;        ///< pipeline registers behind the conversion, or in a column without one (cost)
  bool overlap = false;  ///< the next product's input is read, and enters, while this one is finished (cost)
  Femtoseconds row_latency_fs = 0, column_latency_fs = 0;  ///< of a read: per row between registers, per column
  Femtoseconds read_latency_fs = 0;                        ///< one read of all bit lines, before conversion
  Cycles dac_latency_cycles = 0, sample_hold_cycles = 0, shift_add_cycles = 0, output_cycles = 0;  ///< core clock
  bool pipelined = true;  ///< reads of one slice overlap the conversions of the slice before
  Adc adc;
  std::optional<Picojoules> read_energy_pj;  ///< per active crossbar and slice
  std::optional<Picojoules> dac_energy_pj, shift_add_energy_pj;
  std::optional<double> mean_output;               ///< for energies that are a table over the mean code of the outputs
  std::optional<Femtoseconds> program_latency_fs;  ///< to write one row of cells
  std::optional<Picojoules> program_energy_pj;     ///< to write one cell
  Nonideal nonideal;
};

struct ArrayGroup {
  int max_rows = 1, max_columns = 1;  ///< in crossbars (legality)
  Cycles row_add_cycles = 0;          ///< adding up one more row of crossbars (cost)
};

/// The voltage of the cores. Times of the core go by (nominal / volts)^time_exponent, its energies by
/// (volts / nominal)^energy_exponent, except where a key is a table over the voltage.
struct Supply {
  std::optional<double> volts, nominal_volts;
  double time_exponent = 0, energy_exponent = 0;
};

enum class LoopSupport : std::uint8_t { none, hardware };

struct Core {
  int window = 1;                ///< instructions issued and not retired at once (1: no overlap), cost
  Bytes instruction_memory = 0;  ///< legality
  LoopSupport loops = LoopSupport::hardware;
  int loop_depth = 4;  ///< legality
  int crossbars = 0;   ///< crossbars of one core (legality)
  ScalarUnit scalar;
  VectorUnit vector;
  LocalMemory local_memory;
  Crossbar crossbar;
  ArrayGroup array_group;
  Supply supply;
  Clock clock;
};

/// What the network moves: whole messages that hold a link for one cycle per flit, or each flit by itself.
enum class NetworkLevel : std::uint8_t { message, flit };

/// Which shortest way a message may take through a mesh. The last two leave a router by the link with most room among
/// those that a turn model allows.
enum class Routing : std::uint8_t { xy, west_first, odd_even };

struct Network {
  std::string topology;       ///< "mesh", "torus", "table", ... (registry of the simulator)
  int width = 0, height = 0;  ///< of a mesh or torus: routers row-major
  int cores_per_router = 1;   ///< of a mesh, torus or ring
  int tree_arity = 0;         ///< of a tree: cores of a leaf, and children of each router above (cost)
  NetworkLevel level = NetworkLevel::message;
  int virtual_channels = 2;                   ///< flit level: of each link (cost)
  int virtual_channel_buffer = 8;             ///< flit level: flits (cost)
  Routing routing = Routing::xy;              ///< flit level
  Bytes flit = 0;                             ///< bytes that a link moves per network cycle (cost)
  Cycles router_cycles = 1, link_cycles = 1;  ///< network clock, per hop, head flit
  bool multicast = false;                     ///< legality: `mcast` exists
  int receive_buffer_messages =
      0;  ///< per (source, destination) pair; 0 is rendezvous: a send ends when its receive takes it
  Cycles handshake_cycles = 0;  ///< network clock, added to each message (request and grant)
  /// `table`: network cycles per flit, [source][destination]; index `cores` is the global memory.
  std::shared_ptr<const std::vector<std::vector<Cycles>>> table;
  Clock clock;
  std::optional<Picojoules> hop_energy_pj;  ///< per flit and hop
};

struct GlobalMemory {
  Bytes capacity = 0;
  Bytes width = 0;  ///< bytes per access
  int channels = 1;
  Cycles read_latency_cycles = 1, write_latency_cycles = 1;  ///< memory clock, per access
  Bytes row_size = 0;  ///< of a row that a bank holds open; 0: every access takes its latency and no more (cost)
  int banks = 1;       ///< of a channel: rows go round them (cost)
  Cycles activate_cycles = 0, precharge_cycles = 0;  ///< memory clock: opening a row; closing the one before (cost)
  /// Network nodes (core positions) at which the channels sit; empty with `table`, whose last row is the memory.
  std::vector<CoreId> attached_to;
  Clock clock;
  std::optional<Picojoules> read_energy_pj, write_energy_pj;  ///< per access
};

struct ChipNumerics {
  int weight_bits = 8;
  int activation_bits = 8;
  bool f32 = false;  ///< legality: the machine has 4-byte float elements in its matrix path
};

/// Where another simulator's code differs from its documents, or from sense. All of it off is this project's machine.
struct Rules {
  int mvm_input_reads = 1;         ///< times that an MVM's input is read from local memory
  bool rounded_down = false;       ///< DAC slices, row turns and conversions per ADC are rounded down, not up
  bool load_data_free = false;     ///< the data of a load take no time on the network
  bool request_and_grant = false;  ///< a send asks, and reads its data once the receiver has answered; a flit each
  bool sends_end_early = false;    ///< a send ends when its data have left local memory, a sync after one cycle
  bool messages_in_turn = false;   ///< what a core sends leaves one after the other
  Cycles first_issue = 0;          ///< core clock: when the first instruction may issue
  Cycles start_cycles = 0;         ///< from the issue of a vector, matrix or transfer instruction to its start
  Cycles retire_cycles = 0;        ///< from its end to its retirement
  Cycles mvm_retire_cycles = 0, network_retire_cycles = 0;  ///< more of them: an MVM; store and wait
  bool write_after_write_unchecked = false;
  bool write_after_read_waits_for_end = false;  ///< not only until the earlier instruction has read
  bool touching_ranges_conflict = false;        ///< ranges that end where the other begins
  bool load_hazards_at_zero = false;            ///< hazards take the local address of a load or store as 0
  bool operator==(const Rules&) const = default;
};

struct StaticPower {
  std::optional<double> core_mw, network_mw, global_memory_mw;
};
struct Area {
  std::optional<double> core_mm2, network_mm2, global_memory_mm2;
};

/// A component whose power and area the chip's figures do not otherwise hold: "eDRAM bus, 1 per core, 7 mW, 0.09 mm2".
struct Part {
  std::string name;
  std::int64_t count = 1;
  bool per_core = false;
  std::optional<double> power_mw, area_mm2;  ///< of one
};

/// Where a number came from, by full key ("core.crossbar.read_latency").
using Sources = std::map<std::string, std::string>;

struct Fingerprints {
  std::uint64_t legality = 0, cost = 0, physics = 0;
  bool operator==(const Fingerprints&) const = default;
};

struct Chip {
  std::string name, description;
  int cores = 0;
  Core core;
  Network network;
  GlobalMemory global_memory;
  ChipNumerics numerics;
  Rules rules;
  StaticPower static_power;
  Area area;
  std::vector<Part> parts;
  Sources sources;
  /// By key: what stands in the file where the field holds what follows from it at this supply and activity.
  std::map<std::string, std::string> as_given;
  Fingerprints fingerprints;
  std::string yaml;  ///< effective configuration, canonical text (every key, defaults included)

  /// Bits of an input that word lines see: a magnitude has one less, but not none.
  int applied_bits(ElementType input) const {
    const int bits = core.crossbar.input_bits > 0 ? core.crossbar.input_bits : 8 * size_of(input);
    return is_signed(input) && core.crossbar.signed_inputs == InputSign::magnitude && bits > 1 ? bits - 1 : bits;
  }
  /// DAC steps of one input element: ceil(bits / dac_bits).
  int input_slices(ElementType input) const {
    return (applied_bits(input) + core.crossbar.dac_bits - 1) / core.crossbar.dac_bits;
  }
  /// Columns of cells that one weight takes: ceil(weight bits / cell bits), twice that when differential.
  int cell_columns() const {
    const int slices = (numerics.weight_bits + core.crossbar.cell_bits - 1) / core.crossbar.cell_bits;
    return core.crossbar.encoding == WeightEncoding::differential ? 2 * slices : slices;
  }
  /// Physical columns that one weight takes.
  int columns_per_weight() const { return cell_columns() + core.crossbar.extra_columns; }
  /// Weights that one word line of one crossbar holds.
  int weights_per_crossbar_row() const { return core.crossbar.cols / columns_per_weight(); }
};

/// Loads a chip by file path or by the name of a shipped chip (configs/chips/NAME.yaml).
/// Throws UserError with file:line:column, the unknown key and its nearest, expected and got.
Chip load_chip(const std::string& name_or_path);
Chip parse_chip(const std::string& yaml, const std::string& file_name);
/// Names of the shipped chips, sorted. The folder: $PIMENTO_CONFIGS, else the source tree's, else the installed one.
std::vector<std::string> shipped_chips();
std::string chips_folder();

/// One row of the key table: what is loaded, checked, dumped, documented and fingerprinted.
struct KeyInfo {
  std::string path, unit, range, meaning;
  KeyClass key_class;
  std::string default_text;
};
const std::vector<KeyInfo>& chip_keys();
/// Value of a key as canonical text ("30 ns"; "unknown"; "not used" when the topology or another choice has no use for
/// it).
std::string key_value(const Chip& chip, const std::string& path);
/// Keys of one class that both chips use and whose values differ.
std::vector<std::string> differing_keys(const Chip& a, const Chip& b, KeyClass key_class);
/// The chip with some keys set ("core.window" -> "4"), checked like a file. What a changed choice has no use for is
/// dropped.
Chip with_values(const Chip& chip, const std::map<std::string, std::string>& values);
/// Whether an energy of the chip is a table over the mean code of outputs that nobody gave (core.crossbar.mean_output):
/// a run with values then measures it.
bool measures_mean_output(const Chip& chip);
/// Markdown reference of all keys (`pimento docs`).
std::string chip_reference();

}  // namespace pimento::isa
