#pragma once
// The simulator's door: a program and a chip go in; cycles, values and where they went come out. Any number of
// simulations run one after another in one process (not at once: SystemC has one kernel). What a cycle is and what
// each unit does in it: simulator/README.md.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/cost/rows.hpp"
#include "isa/program/program.hpp"

namespace pimento::sim {

class Observer;

/// What stands in one input port before cycle 0: `Port::bytes()` bytes in the port's physical layout and type.
/// Exact numerics take `real`, one value per element; when it is empty, the bytes' real values are used.
struct PortData {
  std::vector<std::uint8_t> bytes;
  std::vector<float> real;
};

/// How far the run has come: told every few hundred milliseconds of wall time.
struct Progress {
  Cycles cycles = 0;  ///< core clock
  std::int64_t instructions = 0;
};

struct Options {
  bool timing_only = false;      ///< no values; the same cycles
  bool lockstep = false;         ///< the oracle: one cycle at a time, plain and slow
  bool counters = true;          ///< per core, per node, traffic, energy; without them only cycles and instructions
  bool record_contacts = false;  ///< Result::contacts
  bool track_writers = false;    ///< OutputData::writers
  Cycles max_cycles = 0;         ///< core clock; 0: no limit
  std::vector<PortData> inputs;  ///< one per Program::inputs; may be empty when timing_only
  std::function<void(const Progress&)> progress;
  Observer* observer = nullptr;             ///< told of every instruction; not with lockstep
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler: the run ends as `interrupted`
};

/// `unreceived`: every core has ended, but a message stands in a buffer that nobody emptied.
enum class StopReason : std::uint8_t { finished, deadlock, max_cycles, interrupted, unreceived };
std::string_view to_string(StopReason reason);

/// busy + stalled + idle is the run's cycles. Stalled: the unit holds an instruction that waits for a port, a message,
/// a credit or the memory.
struct UnitCycles {
  Cycles busy = 0, stalled = 0, idle = 0;
  bool operator==(const UnitCycles&) const = default;
};

/// A core's cycles in which none of its units is busy, by reason. Units wait one after the other for what is outside,
/// so every such cycle has one.
struct IdleCycles {
  Cycles receive = 0;   ///< for a message that has not arrived
  Cycles send = 0;      ///< for the receiver, or for a place in its buffer
  Cycles memory = 0;    ///< for the global memory: the way there, its queue and the way back
  Cycles event = 0;     ///< for other cores' syncs
  Cycles latency = 0;   ///< between issue and start, and before the first issue: the chip's rules
  Cycles finished = 0;  ///< its program has ended, or it has none
  Cycles stopped = 0;   ///< of a run that was ended early: beyond what the core had come to
  Cycles sum() const { return receive + send + memory + event + latency + finished + stopped; }
};
struct IdleReason {
  std::string_view name;  ///< "message"
  Cycles IdleCycles::*cycles;
};
inline constexpr std::array<IdleReason, 7> idle_reasons{{{"message", &IdleCycles::receive},
                                                         {"receiver", &IdleCycles::send},
                                                         {"global memory", &IdleCycles::memory},
                                                         {"event", &IdleCycles::event},
                                                         {"start", &IdleCycles::latency},
                                                         {"program ended", &IdleCycles::finished},
                                                         {"not simulated", &IdleCycles::stopped}}};

struct CoreResult {
  std::int64_t instructions = 0;  ///< executed
  Cycles end = 0;                 ///< when its last instruction retired
  UnitCycles control, scalar, vector, matrix, transfer;
  bool finished = false;
  /// Active cycles (some unit is busy) are the run's cycles less `idle->sum()`. None in lock-step and without counters.
  std::optional<IdleCycles> idle;
};

/// One ONNX node, over all cores.
struct NodeResult {
  std::string name;
  Cycles first = 0, last = 0;  ///< first issue, last end
  Cycles busy = 0;             ///< sum over its instructions of read, compute and write
  std::int64_t instructions = 0, mvms = 0, vector_instructions = 0;
  Bytes sent = 0, loaded = 0, stored = 0;
  Cycles cycles() const { return last - first; }
};

/// Traffic of one directed link: "mesh 3->4". Everything that crosses it is counted, requests to the global memory
/// included, in whole flits: a request of one byte occupies one.
struct LinkResult {
  std::string name;
  Bytes bytes = 0;  ///< flits times the flit's width
  Cycles busy = 0;  ///< network clock
};

struct ChannelResult {
  std::int64_t requests = 0;
  Bytes read = 0, written = 0;
  Cycles busy = 0;              ///< memory clock
  isa::cost::RowAccesses rows;  ///< of a memory with rows
  void add(const isa::cost::RowAccesses& found) {
    rows.hits += found.hits;
    rows.misses += found.misses;
    rows.conflicts += found.conflicts;
  }
};

/// One line of the energy account: total = count * per_event, unknown when the chip does not say.
struct EnergyEntry {
  std::string component, event;
  std::int64_t count = 0;
  std::optional<Picojoules> per_event;
  std::string key;     ///< the chip key that gives it
  std::string source;  ///< where the chip file has it from
};

/// Where an output byte was made: the instruction that computed it, however often it was moved afterwards.
struct Writer {
  CoreId core = 0;
  std::uint32_t instruction = 0xffffffffU;  ///< 0xffffffff: nobody wrote it
  bool operator==(const Writer&) const = default;
};

struct OutputData {
  std::vector<std::uint8_t> bytes;  ///< as they stand in global memory
  std::vector<float> real;          ///< exact numerics: one per element; else empty
  std::vector<Writer> writers;      ///< one per byte when asked for
};

/// An instruction whose time or effect involved another part of the chip, in program order of its core.
struct Contact {
  std::uint32_t instruction = 0;
  Cycles issue = 0, end = 0;  ///< core clock
  bool operator==(const Contact&) const = default;
};

struct ClockResult {
  std::string name;  ///< "core", "network", "memory"
  Femtoseconds period_fs = 0;
  Cycles cycles = 0;  ///< of this clock until the run's end, rounded up
};

struct Result {
  StopReason stop = StopReason::finished;
  /// deadlock: the wait-for graph, one line per core; unreceived: the messages; other early ends: where they stood
  std::string explanation;
  Cycles cycles = 0;  ///< core clock, from cycle 0 to the retirement of the last instruction
  Femtoseconds time_fs = 0;
  std::vector<ClockResult> clocks;
  std::vector<CoreResult> cores;
  std::vector<NodeResult> nodes;                    ///< index: Program::nodes
  std::int64_t instructions = 0, largest_core = 0;  ///< executed in all; on the core with most
  std::int64_t mvms = 0, vector_instructions = 0;
  std::int64_t messages = 0;            ///< sends and multicasts executed
  Bytes injected = 0, delivered = 0;    ///< bytes sent; the same times the destinations
  std::vector<LinkResult> links;        ///< those that carried anything
  std::vector<ChannelResult> channels;  ///< of the global memory
  std::vector<EnergyEntry> energy;
  /// By image (Program::images): when the last store into one of its outputs had ended, core clock; 0: there was none.
  std::vector<Cycles> image_ends;
  std::vector<OutputData> outputs;             ///< index: Program::outputs; empty when timing_only
  std::vector<std::vector<Contact>> contacts;  ///< per core, when recorded
};

/// Runs a verified program to its end. Throws UserError when program and chip or inputs do not fit, and when an
/// instruction does what its meaning forbids (an index out of bounds, an integer divided by zero, a receive whose
/// message has another tag or size): "core 3, instruction 17 'vgather ...': index 12, bound 10".
Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options = {});

struct Code;
/// A program decoded for one chip, to be run many times (sweeps of inputs, benchmarks). Program and chip must outlive
/// it.
class Loaded {
 public:
  /// Throws UserError as `simulate` does when program and chip do not fit.
  Loaded(const isa::Program& program, const isa::Chip& chip, bool timing_only);
  /// As `simulate`; options.timing_only must be what the program was loaded for.
  Result run(const Options& options) const;

 private:
  const isa::Program& program_;
  const isa::Chip& chip_;
  bool timing_only_;
  std::shared_ptr<const Code> code_;
};

}  // namespace pimento::sim
