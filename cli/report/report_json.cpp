#include <nlohmann/json.hpp>

#include "cli/report/report.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/json.hpp"

namespace pimento::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const sim::UnitCycles& u) { return {{"busy", u.busy}, {"stalled", u.stalled}, {"idle", u.idle}}; }

/// Cycles of core clock; null when they were not counted.
Json to_json(const std::optional<sim::IdleCycles>& idle, Cycles all) {
  if (!idle) return nullptr;
  return {{"active", all - idle->sum()},  {"idle_message", idle->receive}, {"idle_receiver", idle->send},
          {"idle_memory", idle->memory},  {"idle_event", idle->event},     {"idle_start", idle->latency},
          {"idle_ended", idle->finished}, {"not_simulated", idle->stopped}};
}

Json layers_json(const Report& r) {
  Json rows = Json::array();
  for (const Layer& l : r.layers)
    rows.push_back({{"name", l.name},
                    {"first", l.first},
                    {"last", l.last},
                    {"cycles", l.cycles},
                    {"busy", l.busy},
                    {"cores", l.cores},
                    {"utilisation", l.utilisation},
                    {"instructions", l.instructions},
                    {"mvms", l.mvms},
                    {"vector_instructions", l.vector_instructions},
                    {"sent_bytes", l.sent},
                    {"loaded_bytes", l.loaded},
                    {"stored_bytes", l.stored}});
  return rows;
}

Json models_json(const Report& r) {
  Json rows = Json::array();
  for (const ModelPart& m : r.models)
    rows.push_back({{"name", m.name},
                    {"first", m.first},
                    {"last", m.last},
                    {"layers", m.layers},
                    {"mvms", m.mvms},
                    {"vector_instructions", m.vector_instructions},
                    {"bytes", m.bytes}});
  return rows;
}

Json cores_json(const Report& r) {
  Json rows = Json::array();
  for (const sim::CoreResult& c : r.result.cores)
    rows.push_back({{"instructions", c.instructions},
                    {"end", c.end},
                    {"control", to_json(c.control)},
                    {"scalar", to_json(c.scalar)},
                    {"vector", to_json(c.vector)},
                    {"matrix", to_json(c.matrix)},
                    {"transfer", to_json(c.transfer)},
                    {"time", to_json(c.idle, r.result.cycles)}});
  return rows;
}

Json network_json(const Report& r) {
  Json links = Json::array();
  for (const sim::LinkResult& l : r.result.links)
    links.push_back({{"name", l.name}, {"bytes", l.bytes}, {"busy_network_cycles", l.busy}});
  return {{"messages", r.result.messages},
          {"injected_bytes", r.result.injected},
          {"delivered_bytes", r.result.delivered},
          {"link_bytes", r.link_bytes},
          {"links", links}};
}

Json memory_json(const Report& r) {
  Json channels = Json::array();
  for (const sim::ChannelResult& c : r.result.channels) {
    Json channel{
        {"requests", c.requests}, {"read_bytes", c.read}, {"written_bytes", c.written}, {"busy_memory_cycles", c.busy}};
    if (r.has_rows) {
      channel["row_hits"] = c.rows.hits;
      channel["row_misses"] = c.rows.misses;
      channel["row_conflicts"] = c.rows.conflicts;
    }
    channels.push_back(std::move(channel));
  }
  return {{"used_bytes", r.global_memory_used},
          {"read_bytes", r.global_read},
          {"written_bytes", r.global_written},
          {"channels", channels}};
}

Json energy_json(const Report& r) {
  Json parts = Json::array();
  for (const validation::EnergyPart& p : r.energy)
    parts.push_back({{"component", p.component}, {"known_pj", p.known}, {"unknown", p.unknown}});
  Json account = Json::array();
  for (const sim::EnergyEntry& e : r.result.energy)
    account.push_back({{"component", e.component},
                       {"event", e.event},
                       {"count", e.count},
                       {"pj_per_event", e.per_event ? Json(*e.per_event) : Json(nullptr)},
                       {"key", e.key},
                       {"source", e.source}});
  return {{"schema_version", 1},
          {"known_pj", r.energy_known()},
          {"complete", r.energy_complete()},
          {"average_power_mw", r.average_power_mw() ? Json(*r.average_power_mw()) : Json(nullptr)},
          {"parts", parts},
          {"account", account}};
}

Json area_json(const Report& r) {
  Json parts = Json::array();
  for (const AreaPart& p : r.area)
    parts.push_back({{"part", p.part}, {"mm2", p.mm2 ? Json(*p.mm2) : Json(nullptr)}, {"key", p.key}});
  return {{"known_mm2", r.area_known_mm2()}, {"complete", r.area_complete()}, {"parts", parts}};
}

Json bound_json(const pim::Bound& bound, double cycles) {
  Json parts = Json::object();
  for (const pim::Bound::Part& p : bound.parts) parts[p.name] = p.cycles;
  const bool known = bound.cycles() > 0;
  return {{"cycles", bound.cycles()},
          {"binds", known ? Json(bound.largest()->name) : Json(nullptr)},
          {"ratio", known ? Json(cycles / static_cast<double>(bound.cycles())) : Json(nullptr)},
          {"parts", parts}};
}
Json bounds_json(const Report& r) {
  if (!r.bounds) return nullptr;
  const auto cycles = static_cast<double>(r.result.cycles);
  return {{"hardware", bound_json(r.bounds->hardware, cycles)},
          {"mapping", bound_json(r.bounds->mapping, cycles)},
          {"one_window", r.bounds->one_window ? bound_json(*r.bounds->one_window, cycles) : Json(nullptr)}};
}

Json stream_json(const Report& r) {
  Json ends = Json::array();
  for (const Cycles end : r.result.image_ends) ends.push_back(end);
  return {{"images", r.images},
          {"interval_cycles", r.interval ? Json(*r.interval) : Json(nullptr)},
          {"bound", r.bounds && r.interval ? bound_json(r.bounds->interval, *r.interval) : Json(nullptr)},
          {"one_window_bound", r.bounds && r.interval && r.bounds->one_window_interval
                                   ? bound_json(*r.bounds->one_window_interval, *r.interval)
                                   : Json(nullptr)},
          {"solver_interval_cycles", r.compile && r.compile->figures.contains("solver_interval_cycles")
                                         ? Json(r.compile->figures.at("solver_interval_cycles"))
                                         : Json(nullptr)},
          {"image_ends", ends}};
}

Json programming_json(const isa::cost::Programming& p) {
  return {{"array_groups", p.groups},
          {"cells", p.cells},
          {"cycles", p.cycles ? Json(*p.cycles) : Json(nullptr)},
          {"energy_pj", p.energy ? Json(*p.energy) : Json(nullptr)},
          {"unknown", p.unknown}};
}

Json check_json(const validation::NumericalCheck& check) {
  Json outputs = Json::array();
  for (const validation::Comparison& c : check.outputs) {
    Json row{{"output", c.output},
             {"type", ir::to_string(c.type)},
             {"max_absolute_error", c.max_absolute},
             {"max_relative_error", c.max_relative},
             {"absolute_maximum", c.absolute_maximum},
             {"sqnr_db", c.sqnr_db ? Json(*c.sqnr_db) : Json(nullptr)},
             {"differing", c.differing}};
    if (c.first)
      row["first_difference"] = {
          {"index", c.first->index}, {"expected", c.first->expected}, {"got", c.first->got}, {"writer", c.writer}};
    outputs.push_back(row);
  }
  return {{"reference", check.reference},
          {"criterion", check.criterion},
          {"passed", check.passed},
          {"first_diverging", check.diverging},
          {"outputs", outputs}};
}

Json clocks_json(const Report& r) {
  Json clocks = Json::array();
  for (const sim::ClockResult& c : r.result.clocks)
    clocks.push_back({{"name", c.name}, {"period_fs", c.period_fs}, {"cycles", c.cycles}});
  return clocks;
}

}  // namespace

std::string to_json(const Report& r) {
  Json j{{"schema", "pimento.report"}, {"schema_version", report_schema_version}, {"version", PIMENTO_VERSION}};
  j["model"] = r.model;
  j["model_fingerprint"] = r.model_fingerprint;
  j["chip"] = r.chip;
  j["numerics"] = std::string(to_string(r.numerics));
  j["mode"] = r.mode;
  j["stop"] = std::string(sim::to_string(r.result.stop));
  j["cycles"] = r.result.cycles;
  j["time_fs"] = r.result.time_fs;
  j["clocks"] = clocks_json(r);
  j["bounds"] = bounds_json(r);
  if (r.images > 1) j["stream"] = stream_json(r);
  j["scheduled_for_other_costs"] = r.other_costs;
  j["instructions"] = {{"executed", r.result.instructions},
                       {"largest_core_executed", r.result.largest_core},
                       {"emitted", r.emitted_instructions},
                       {"largest_core_emitted", r.largest_emitted}};
  j["mvms"] = r.result.mvms;
  j["vector_instructions"] = r.result.vector_instructions;
  j["network"] = network_json(r);
  j["global_memory"] = memory_json(r);
  j["crossbars"] = {{"used", r.crossbars_used}, {"present", r.crossbars_present}};
  j["local_memory"] = {{"high_water_bytes", r.local_memory_high},
                       {"core", r.local_memory_core},
                       {"capacity_bytes", r.local_memory_capacity}};
  Json units = Json::object();
  for (const Report::Unit& u : r.units) units[u.name] = to_json(u.cycles);
  j["units"] = units;
  j["core_time"] = to_json(r.idle, r.cycles_of_all_cores());
  if (!r.models.empty()) j["models"] = models_json(r);
  j["layers"] = layers_json(r);
  j["cores"] = cores_json(r);
  j["energy"] = energy_json(r);
  j["area"] = area_json(r);
  j["weight_programming"] = programming_json(r.programming);
  j["weight_rewriting"] = programming_json(r.rewriting);
  j["weight_rewriting"]["bytes"] = r.rewriting.bytes;
  if (r.spills)
    j["spills"] = {{"cores", r.spills->cores},
                   {"stores", r.spills->stores},
                   {"bytes_stored", r.spills->stored},
                   {"loads", r.spills->loads},
                   {"bytes_loaded", r.spills->loaded}};
  j["numerical_check"] = r.check ? check_json(*r.check) : Json(nullptr);
  j["compile"] = r.compile ? Json::parse(proof::to_json(*r.compile)) : Json(nullptr);
  const Json settings = parse_json_or_discard(r.settings_json);
  j["configuration"] = {{"seed", r.seed},
                        {"program_settings", settings.is_discarded() ? Json(r.settings_json) : settings},
                        {"chip_yaml", r.chip_yaml},
                        {"chip_fingerprints",
                         {{"legality", hex(r.fingerprints.legality)},
                          {"cost", hex(r.fingerprints.cost)},
                          {"physics", hex(r.fingerprints.physics)}}}};
  return print_json(j) + "\n";
}

}  // namespace pimento::cli
