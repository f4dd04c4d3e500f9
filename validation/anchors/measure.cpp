#include "validation/anchors/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "isa/cost/cost.hpp"
#include "isa/program/program.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/network/traffic.hpp"

namespace pimento::validation {
namespace {

constexpr int few = 32, many = 64;  ///< products of the two runs whose difference is taken

isa::Instruction product(const Experiment& e, int number, Bytes inputs) {
  isa::Instruction i;
  i.opcode = isa::Opcode::mvm;
  i.type_a = e.input;
  i.type_d = ElementType::i32;
  i.len = static_cast<decltype(i.len)>(e.rows);
  i.count = 1;
  i.dst = static_cast<std::int32_t>(inputs + Bytes{number} * 4 * e.columns);
  return i;
}

isa::Instruction load(const Experiment& e, const isa::Chip& chip, CoreId core, int number) {
  isa::Instruction i;
  i.opcode = isa::Opcode::load;
  i.len = static_cast<decltype(i.len)>(e.bytes);
  i.count = 1;
  i.a = static_cast<std::int32_t>((std::int64_t{core} * many + number) * e.bytes % (chip.global_memory.capacity / 2));
  return i;
}

isa::Program program_of(const isa::Chip& chip, const Experiment& e, int times) {
  isa::Program p;
  p.model = "anchor";
  p.numerics = Numerics::quantised;
  p.chip = chip.fingerprints;
  const isa::cost::TileShape shape = isa::cost::tile_shape(chip, e.rows, e.columns);
  const bool products = e.kind == Experiment::Kind::products;
  if (products) {
    isa::Tile& tile = p.tiles.emplace_back();
    tile.rows = e.rows;
    tile.cols = e.columns;
    tile.crossbar_rows = shape.crossbar_rows;
    tile.crossbar_cols = shape.crossbar_cols;
    tile.type = chip.numerics.weight_bits > 8 ? ElementType::i16 : ElementType::i8;
    tile.weights = isa::Blob<std::uint8_t>::own(
        std::vector<std::uint8_t>(static_cast<std::size_t>(e.rows * e.columns * size_of(tile.type))));
  }
  const Bytes inputs = (Bytes{e.rows} * size_of(e.input) + 63) / 64 * 64;
  for (int c = 0; c < chip.cores; ++c) {
    isa::CoreProgram& core = p.cores.emplace_back();
    if (products) core.groups.push_back({0, shape.crossbar_rows, shape.crossbar_cols});
    std::vector<isa::Instruction> all;
    for (int n = 0; n < times; ++n)
      all.push_back(products ? product(e, n, inputs) : load(e, chip, static_cast<CoreId>(c), n));
    core.instructions = isa::Blob<isa::Instruction>::own(std::move(all));
  }
  return p;
}

bool matches(const std::vector<std::string>& names, const std::string& component, const std::string& event) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n == component || n == component + "/" + event; });
}
bool counts(const Experiment& e, const std::string& component, const std::string& event) {
  return (e.only.empty() || matches(e.only, component, event)) && !matches(e.without, component, event);
}

struct Run {
  double ns = 0;
  Cycles cycles = 0;
  Picojoules energy = 0, all_energy = 0;  ///< of what the experiment counts; of all but what it leaves out
  std::string unknown;                    ///< keys, among what counts
};

class Measurement {
 public:
  Measurement(const isa::Chip& chip, const Experiment& experiment) : chip_(chip), e_(experiment) {}

  /// One more product on every core.
  double ns() { return (long_run().ns - short_run().ns) / (many - few); }
  double operations() const { return 2.0 * e_.rows * e_.columns * chip_.cores; }
  double energy() {
    if (!long_run().unknown.empty())
      throw UserError(fmt::format("chip '{}': the account misses {}", chip_.name, long_run().unknown));
    return (long_run().energy - short_run().energy) / (many - few);
  }
  double cores() const { return chip_.cores; }
  double share() { return energy() * (many - few) / (long_run().all_energy - short_run().all_energy); }
  Run alone() const { return run(1); }
  double gigabytes() { return static_cast<double>(e_.bytes) * chip_.cores / ns(); }
  double power_mw() { return energy() / ns() / (e_.per_core ? chip_.cores : 1); }
  double mebibytes() const {
    const isa::Crossbar& x = chip_.core.crossbar;
    return double(chip_.cores) * chip_.core.crossbars * x.rows * x.cols * x.cell_bits / 8 / (1 << 20);
  }
  double area() const {
    double sum = 0;
    const auto add = [&](const std::string& name, const std::optional<double>& each, double times) {
      if (!counts(e_, name, "area")) return;
      if (!each) throw UserError(fmt::format("chip '{}': the area of {} is unknown", chip_.name, name));
      sum += *each * times;
    };
    add("cores", chip_.area.core_mm2, chip_.cores);
    add("network", chip_.area.network_mm2, 1);
    add("global memory", chip_.area.global_memory_mm2, 1);
    for (const isa::Part& part : chip_.parts)
      add(part.name, part.area_mm2, static_cast<double>(part.count) * (part.per_core ? chip_.cores : 1));
    return sum / (e_.per_core ? chip_.cores : 1);
  }
  double energy_of_a_flit() const {
    if (!chip_.network.hop_energy_pj)
      throw UserError(fmt::format("chip '{}': network.hop_energy is unknown", chip_.name));
    return *chip_.network.hop_energy_pj * sim::measure_load(chip_, traffic(), e_.load, never_saturated).hops +
           e_.ejection;
  }
  double network_latency() const {
    const sim::TrafficOptions options = traffic();
    const auto ends = static_cast<double>(e_.ends);
    if (!e_.to_itself) return ends + sim::measure_load(chip_, options, e_.load, never_saturated).mean;
    const double n = chip_.cores, apart = (n - 1) / n;
    const isa::Network& network = chip_.network;
    const double own = static_cast<double>(network.handshake_cycles + network.router_cycles + e_.flits);
    return ends + apart * sim::measure_load(chip_, options, apart * e_.load, never_saturated).mean + own / n;
  }

 private:
  static constexpr double never_saturated = 1e5;
  sim::TrafficOptions traffic() const {
    sim::TrafficOptions options;
    options.pattern = sim::pattern_of(e_.pattern);
    options.message_flits = e_.flits;
    return options;
  }
  Run run(int times) const {
    const isa::Program program = program_of(chip_, e_, times);
    isa::verify_program(program, chip_);
    sim::Options options;
    options.timing_only = true;
    const sim::Result result = sim::simulate(program, chip_, options);
    if (result.stop != sim::StopReason::finished) throw InternalError(result.explanation);
    Run r;
    r.cycles = result.cycles;
    r.ns = static_cast<double>(result.time_fs) / 1e6;
    for (const sim::EnergyEntry& entry : result.energy) {
      const Picojoules all = entry.per_event.value_or(0) * static_cast<double>(entry.count);
      if (!matches(e_.without, entry.component, entry.event)) r.all_energy += all;
      if (!counts(e_, entry.component, entry.event)) continue;
      r.energy += all;
      if (!entry.per_event) r.unknown += (r.unknown.empty() ? "" : ", ") + entry.key;
    }
    return r;
  }
  const Run& short_run() { return short_.cycles == 0 ? short_ = run(few) : short_; }
  const Run& long_run() { return long_.cycles == 0 ? long_ = run(many) : long_; }

  const isa::Chip& chip_;
  const Experiment& e_;
  Run short_, long_;
};

const std::map<std::string, std::function<double(Measurement&)>>& products() {
  static const std::map<std::string, std::function<double(Measurement&)>> all{
      {"GOPS", [](Measurement& m) { return m.operations() / m.ns(); }},
      {"TOPS", [](Measurement& m) { return m.operations() / m.ns() / 1e3; }},
      {"TOPS/W", [](Measurement& m) { return m.operations() / m.energy(); }},
      {"GOPS/W", [](Measurement& m) { return m.operations() / m.energy() * 1e3; }},
      {"fJ/MAC", [](Measurement& m) { return m.energy() / (m.operations() / 2) * 1e3; }},
      {"nJ", [](Measurement& m) { return m.energy() / m.cores() / 1e3; }},
      {"mW", [](Measurement& m) { return m.power_mw(); }},
      {"W", [](Measurement& m) { return m.power_mw() / 1e3; }},
      {"share", [](Measurement& m) { return m.share(); }},
      {"cycles", [](Measurement& m) { return static_cast<double>(m.alone().cycles); }},
      {"ns", [](Measurement& m) { return m.alone().ns; }},
      {"us", [](Measurement& m) { return m.alone().ns / 1e3; }},
      {"mm2", [](Measurement& m) { return m.area(); }},
      {"GOPS/mm2", [](Measurement& m) { return m.operations() / m.ns() / m.area(); }},
      {"TOPS/mm2", [](Measurement& m) { return m.operations() / m.ns() / m.area() / 1e3; }},
      {"MiB", [](Measurement& m) { return m.mebibytes(); }},
      {"MiB/mm2", [](Measurement& m) { return m.mebibytes() / m.area(); }}};
  return all;
}

}  // namespace

const std::vector<std::string>& measured_units() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"GB/s", "pJ/flit"};
    for (const auto& [name, ignored] : products()) all.push_back(name);
    return all;
  }();
  return names;
}

double measure(const isa::Chip& chip, const Experiment& e, const std::string& unit) {
  Measurement m(chip, e);
  if (e.kind == Experiment::Kind::loads && unit == "GB/s") return m.gigabytes();
  if (e.kind == Experiment::Kind::traffic && unit == "cycles") return m.network_latency();
  if (e.kind == Experiment::Kind::traffic && unit == "pJ/flit") return m.energy_of_a_flit();
  const auto at = products().find(unit);
  if (e.kind != Experiment::Kind::products || at == products().end())
    throw UserError(fmt::format("this experiment has no figure in {}{}", unit, suggestion(unit, measured_units())));
  return at->second(m);
}

}  // namespace pimento::validation
