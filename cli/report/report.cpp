#include "cli/report/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "isa/program/array_groups.hpp"
#include "isa/support/json.hpp"
#include "simulator/observe/interval.hpp"

namespace pimento::cli {
namespace {

std::vector<Layer> layers_of(const isa::Program& program, const sim::Result& result) {
  std::vector<std::set<std::size_t>> cores(program.nodes.size());
  for (std::size_t c = 0; c < program.cores.size(); ++c)
    for (const isa::NodeRange& range : program.cores[c].nodes) cores[range.node].insert(c);
  std::vector<Layer> layers;
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    const sim::NodeResult& node = result.nodes[n];
    Layer layer;
    layer.name = node.name;
    layer.first = node.first;
    layer.last = node.last;
    layer.cycles = node.cycles();
    layer.busy = node.busy;
    layer.cores = n < cores.size() ? static_cast<std::int64_t>(cores[n].size()) : 0;
    layer.instructions = node.instructions;
    layer.mvms = node.mvms;
    layer.vector_instructions = node.vector_instructions;
    layer.sent = node.sent;
    layer.loaded = node.loaded;
    layer.stored = node.stored;
    const double room = static_cast<double>(layer.cycles) * static_cast<double>(layer.cores);
    layer.utilisation = room > 0 ? static_cast<double>(layer.busy) / room : 0;
    layers.push_back(layer);
  }
  return layers;
}

/// Of the names in the program's settings; a layer's begins with its model's (in quotes when it is of an output alone).
std::vector<ModelPart> models_of(const Report& r) {
  std::vector<ModelPart> models;
  const nlohmann::json settings = parse_json_or_discard(r.settings_json);
  if (!settings.is_object() || !settings.contains("models") || !settings["models"].is_array()) return models;
  for (const auto& name : settings["models"]) {
    if (!name.is_string()) return {};
    ModelPart m{.name = name.get<std::string>()};
    const std::string prefix = m.name + "/", of_output = "output '" + prefix;
    for (const Layer& l : r.layers) {
      if (!l.name.starts_with(prefix) && !l.name.starts_with(of_output)) continue;
      m.first = m.layers == 0 ? l.first : std::min(m.first, l.first);
      m.last = std::max(m.last, l.last);
      ++m.layers;
      m.mvms += l.mvms;
      m.vector_instructions += l.vector_instructions;
      m.bytes += l.bytes();
    }
    models.push_back(std::move(m));
  }
  return models;
}

std::vector<Report::Unit> units_of(const sim::Result& result) {
  struct Column {
    const char* name;
    sim::UnitCycles sim::CoreResult::*unit;
  };
  const std::vector<Column> columns{{"control", &sim::CoreResult::control},
                                    {"scalar", &sim::CoreResult::scalar},
                                    {"vector", &sim::CoreResult::vector},
                                    {"matrix", &sim::CoreResult::matrix},
                                    {"transfer", &sim::CoreResult::transfer}};
  std::vector<Report::Unit> units;
  for (const Column& column : columns) {
    Report::Unit unit{column.name, {}};
    for (const sim::CoreResult& core : result.cores) {
      const sim::UnitCycles& u = core.*column.unit;
      unit.cycles.busy += u.busy;
      unit.cycles.stalled += u.stalled;
      unit.cycles.idle += u.idle;
    }
    units.push_back(unit);
  }
  return units;
}

std::vector<AreaPart> area_of(const isa::Chip& chip) {
  std::optional<double> cores = chip.area.core_mm2;
  if (cores) *cores *= chip.cores;
  std::vector<AreaPart> parts{{"cores", cores, "area.core"},
                              {"network", chip.area.network_mm2, "area.network"},
                              {"global memory", chip.area.global_memory_mm2, "area.global_memory"}};
  for (const isa::Part& part : chip.parts) {
    std::optional<double> all = part.area_mm2;
    if (all) *all *= static_cast<double>(part.count) * (part.per_core ? chip.cores : 1);
    parts.push_back({part.name, all, "parts: area of " + part.name});
  }
  return parts;
}

/// Of the program's settings, where it has such.
std::optional<Report::Spills> spills_of(const std::string& settings_json) {
  const nlohmann::json settings = parse_json_or_discard(settings_json);
  if (!settings.is_object() || !settings.contains("spills")) return {};
  const nlohmann::json& s = settings["spills"];
  const auto whole = [&](const char* key) {
    return s.is_object() && s.contains(key) && s[key].is_number_integer() ? s[key].get<std::int64_t>() : 0;
  };
  return Report::Spills{whole("stores"), whole("loads"), whole("cores"), whole("bytes_stored"), whole("bytes_loaded")};
}

/// A core without a program has ended before it began. None when the run did not count them.
std::optional<sim::IdleCycles> idle_of(const sim::Result& result, int cores) {
  sim::IdleCycles all;
  all.finished = (cores - static_cast<Cycles>(result.cores.size())) * result.cycles;
  for (const sim::CoreResult& core : result.cores) {
    if (!core.idle) return std::nullopt;
    for (const sim::IdleReason& reason : sim::idle_reasons) all.*reason.cycles += (*core.idle).*reason.cycles;
  }
  return all;
}

}  // namespace

bool Report::area_complete() const {
  return std::all_of(area.begin(), area.end(), [](const AreaPart& p) { return p.mm2.has_value(); });
}
double Report::area_known_mm2() const {
  return std::accumulate(area.begin(), area.end(), 0.0,
                         [](double sum, const AreaPart& p) { return sum + p.mm2.value_or(0); });
}
std::optional<double> Report::average_power_mw() const {
  if (!energy_complete() || result.time_fs == 0) return {};
  return energy_known() / (static_cast<double>(result.time_fs) / 1e6);  // pJ / ns
}
bool Report::energy_complete() const { return validation::is_complete(energy); }
Picojoules Report::energy_known() const { return validation::known_energy(energy); }

Report make_report(const isa::Program& program, const isa::Chip& chip, const sim::Result& result) {
  Report r;
  r.model = program.model;
  r.model_fingerprint = program.model_fingerprint;
  r.chip = chip.name;
  r.numerics = program.numerics;
  r.fingerprints = chip.fingerprints;
  r.settings_json = program.settings_json;
  r.chip_yaml = chip.yaml;
  r.result = result;
  r.result.outputs.clear();
  r.images = program.images;
  r.interval = sim::steady_interval(result);
  r.layers = layers_of(program, result);
  r.models = models_of(r);
  r.units = units_of(result);
  r.idle = idle_of(result, chip.cores);
  r.programming = isa::cost::initial_programming(chip, program);
  r.rewriting = isa::cost::rewriting(chip, program);
  r.spills = spills_of(program.settings_json);
  r.energy = validation::energy_of(result);
  r.area = area_of(chip);
  r.cores = chip.cores;
  r.crossbars_present = std::int64_t{chip.cores} * chip.core.crossbars;
  r.local_memory_capacity = chip.core.local_memory.capacity;
  r.global_memory_used = program.global_memory_used;
  r.has_rows = chip.global_memory.row_size > 0;
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const isa::CoreProgram& core = program.cores[c];
    const auto size = static_cast<std::int64_t>(core.instructions.size());
    r.emitted_instructions += size;
    r.largest_emitted = std::max(r.largest_emitted, size);
    for (const isa::Group& group : core.groups)
      if (group.tile != isa::no_tile) r.crossbars_used += isa::crossbars_of(group);
    if (core.local_memory_used > r.local_memory_high) {
      r.local_memory_high = core.local_memory_used;
      r.local_memory_core = static_cast<CoreId>(c);
    }
  }
  for (const sim::LinkResult& link : result.links) r.link_bytes += link.bytes;
  for (const sim::ChannelResult& channel : result.channels) {
    r.global_read += channel.read;
    r.global_written += channel.written;
  }
  return r;
}

}  // namespace pimento::cli
