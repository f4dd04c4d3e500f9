#pragma once
// The report of one run: figures that add up, once as JSON (for tools, schema version 1) and once as a table (for
// people). Both are views on this structure; it is made from a program, its chip and a simulation's result.
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/proof/record.hpp"
#include "isa/cost/programming.hpp"
#include "isa/program/program.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/check.hpp"
#include "validation/cases/run_figures.hpp"

namespace pimento::cli {

inline constexpr int report_schema_version = 1;

/// One ONNX node. Layers run at the same time, so their cycles do not add up to the run's; their counts do.
struct Layer {
  std::string name;
  Cycles first = 0, last = 0, cycles = 0;  ///< core clock: first issue, last end, between them
  Cycles busy = 0;                         ///< over all cores and units
  std::int64_t cores = 0;                  ///< that hold instructions of it
  std::int64_t instructions = 0, mvms = 0, vector_instructions = 0;
  Bytes sent = 0, loaded = 0, stored = 0;
  Bytes bytes() const { return sent + loaded + stored; }
  double utilisation =
      0;  ///< busy / (cycles * cores): how much of its time its cores worked for it; above 1 when units overlap
};

/// One of several models on the chip: they run at the same time, so their cycles do not add up to the run's.
struct ModelPart {
  std::string name;
  Cycles first = 0, last = 0;  ///< core clock: first issue of its layers, last end
  std::int64_t layers = 0, mvms = 0, vector_instructions = 0;
  Bytes bytes = 0;  ///< sent, loaded and stored
};

/// One part of the chip's area.
struct AreaPart {
  std::string part;
  std::optional<double> mm2;
  std::string key;  ///< the chip key that gives it
};

struct Report {
  std::string model, model_fingerprint, chip, mode;
  Numerics numerics = Numerics::quantised;
  isa::Fingerprints fingerprints;
  std::vector<std::string>
      other_costs;                ///< cost keys in which the chip differs from the one the program was scheduled for
  sim::Result result;             ///< without its outputs
  std::vector<ModelPart> models;  ///< none: there is one model
  std::vector<Layer> layers;
  struct Unit {
    std::string name;
    sim::UnitCycles cycles;  ///< over all cores: busy + stalled + idle = cycles * cores
  };
  std::vector<Unit> units;
  std::optional<sim::IdleCycles> idle;  ///< over all cores; what is left of cycles_of_all_cores() some unit was busy
  std::int64_t cores = 0;
  Cycles cycles_of_all_cores() const { return result.cycles * cores; }
  std::int64_t emitted_instructions = 0, largest_emitted = 0;
  Bytes link_bytes = 0, global_read = 0, global_written = 0;
  std::int64_t crossbars_used = 0, crossbars_present = 0;
  Bytes local_memory_high = 0, local_memory_capacity = 0;
  CoreId local_memory_core = 0;
  Bytes global_memory_used = 0;
  bool has_rows = false;               ///< the chip's global memory: its accesses are counted by what they found open
  isa::cost::Programming programming;  ///< of the weights, before cycle 0: in no other figure
  isa::cost::Rewriting rewriting;      ///< while the program runs: part of the figures above
  /// What the compiler had no local memory for, per image: part of the figures above.
  struct Spills {
    std::int64_t stores = 0, loads = 0, cores = 0;
    Bytes stored = 0, loaded = 0;
  };
  std::optional<Spills> spills;  ///< none: every value stays in local memory, or the program does not say
  std::vector<validation::EnergyPart> energy;
  bool energy_complete() const;
  Picojoules energy_known() const;
  std::optional<double> average_power_mw() const;  ///< when the energy is complete
  std::vector<AreaPart> area;
  bool area_complete() const;
  double area_known_mm2() const;
  std::optional<validation::NumericalCheck> check;
  std::optional<proof::Record> compile;
  std::int64_t images = 1;            ///< of a stream
  std::optional<double> interval;     ///< of a stream: simulator/observe/interval.hpp
  std::optional<pim::Bounds> bounds;  ///< of a program compiled here; no run takes fewer cycles
  std::uint64_t seed = 0;
  std::string settings_json, chip_yaml;
};

Report make_report(const isa::Program& program, const isa::Chip& chip, const sim::Result& result);
std::string to_json(const Report& report);
std::string to_table(const Report& report);

}  // namespace pimento::cli
