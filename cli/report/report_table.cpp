#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report/report.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/json.hpp"

namespace pimento::cli {
namespace {

/// "1.2346 ms": four digits after the point at most, in the unit that leaves one to three before it.
std::string time_text(Femtoseconds fs) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit& u : {Unit{1e15, "s"}, Unit{1e12, "ms"}, Unit{1e9, "us"}})
    if (static_cast<double>(fs) >= u.size) return fmt::format("{:.4f} {}", static_cast<double>(fs) / u.size, u.name);
  return fmt::format("{:.4f} ns", static_cast<double>(fs) / 1e6);
}
std::string energy_text(Picojoules pj) {
  if (pj >= 1e9) return fmt::format("{:.4f} mJ", pj / 1e9);
  if (pj >= 1e6) return fmt::format("{:.4f} uJ", pj / 1e6);
  return fmt::format("{:.4f} nJ", pj / 1e3);
}
double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string head(const Report& r) {
  const sim::Result& s = r.result;
  std::string text = fmt::format("{} on {}, {}, {}\n", r.model, r.chip, to_string(r.numerics), r.mode);
  if (!r.other_costs.empty()) {
    text += "scheduled for other costs:";
    for (const std::string& key : r.other_costs) text += " " + key;
    text += "\n";
  }
  if (s.stop != sim::StopReason::finished) text += fmt::format("stopped: {}\n", sim::to_string(s.stop));
  text += fmt::format("\ncycles                {:>14}  (core clock), {}\n", s.cycles, time_text(s.time_fs));
  for (const sim::ClockResult& c : s.clocks)
    text += fmt::format("  clock {:<14}  {:>14}  cycles of {}\n", c.name, c.cycles, time_text(c.period_fs));
  text += fmt::format("instructions executed {:>14}  {} on the largest core\n", s.instructions, s.largest_core);
  text +=
      fmt::format("  emitted             {:>14}  {} on the largest core\n", r.emitted_instructions, r.largest_emitted);
  text += fmt::format("  matrix-vector       {:>14}\n  vector              {:>14}\n", s.mvms, s.vector_instructions);
  text += fmt::format("messages              {:>14}  {} bytes injected, {} delivered, {} over links in whole flits\n",
                      s.messages, s.injected, s.delivered, r.link_bytes);
  text += fmt::format("global memory         {:>14}  bytes used, {} read, {} written\n", r.global_memory_used,
                      r.global_read, r.global_written);
  for (std::size_t n = 0; r.has_rows && n < s.channels.size(); ++n) {
    const isa::cost::RowAccesses& rows = s.channels[n].rows;
    text += fmt::format(
        "  channel {:<12}  {:>14}  accesses to open rows, {} to closed banks, {} where another row was open\n", n,
        rows.hits, rows.misses, rows.conflicts);
  }
  text += fmt::format("crossbars             {:>14}  of {} ({:.1f} %)\n", r.crossbars_used, r.crossbars_present,
                      percent(r.crossbars_used, r.crossbars_present));
  text += fmt::format("local memory          {:>14}  bytes at most (core {}), of {}\n", r.local_memory_high,
                      r.local_memory_core, r.local_memory_capacity);
  return text;
}

/// "  hardware bound       139700  cycles (matrix products); the run took 4.10 times that".
std::string bounds_table(const Report& r) {
  if (!r.bounds) return "";
  const auto line = [&](const char* name, const pim::Bound& bound) {
    if (bound.cycles() == 0) return std::string();
    return fmt::format("{:<21} {:>14}  cycles at least ({}); the run took {:.2f} times that\n", name, bound.cycles(),
                       bound.largest()->name,
                       static_cast<double>(r.result.cycles) / static_cast<double>(bound.cycles()));
  };
  return "\n" + line("bound, any mapping", r.bounds->hardware) + line("bound, this mapping", r.bounds->mapping) +
         (r.bounds->one_window ? line("bound, one window", *r.bounds->one_window) : "");
}

/// The pace of a stream, and how much faster none can be.
std::string stream_table(const Report& r) {
  if (r.images == 1) return "";
  std::string text = fmt::format("\nimages                {:>14}  in a stream", r.images);
  if (r.result.stop == sim::StopReason::finished && !r.result.image_ends.empty())
    text +=
        fmt::format("; the first ends at {}, the last at {}", r.result.image_ends.front(), r.result.image_ends.back());
  text += "\n";
  if (!r.interval && r.compile && r.compile->absent.contains("interval_cycles"))
    text += fmt::format("  interval                   unknown  {}\n", r.compile->absent.at("interval_cycles"));
  if (!r.interval) return text;
  text += fmt::format("  interval            {:>14.1f}  core cycles from image to image in the steady state\n",
                      *r.interval);
  if (r.compile && r.compile->figures.contains("solver_interval_cycles"))
    text += fmt::format("  solver's optimum    {:>14}  cycles, of any copies within the budget of crossbars\n",
                        r.compile->figures.at("solver_interval_cycles"));
  if (!r.bounds || r.bounds->interval.cycles() == 0) return text;
  const auto line = [&](const char* name, const pim::Bound& bound) {
    return fmt::format("  {:<19} {:>14}  cycles at least ({}); the interval is {:.3f} times that\n", name,
                       bound.cycles(), bound.largest()->name, *r.interval / static_cast<double>(bound.cycles()));
  };
  text += line("bound, this mapping", r.bounds->interval);
  if (const auto& one = r.bounds->one_window_interval; one && one->cycles() > 0)
    text += line("bound, one window", *one);
  return text;
}

std::string units_table(const Report& r) {
  if (r.units.empty() || r.result.cores.empty()) return "";
  std::string text =
      fmt::format("\nunit        {:>16} {:>16} {:>16}   over {} cores\n", "busy", "stalled", "idle", r.cores);
  for (const Report::Unit& u : r.units)
    text += fmt::format("  {:<9} {:>16} {:>16} {:>16}   {:.1f} % busy\n", u.name, u.cycles.busy, u.cycles.stalled,
                        u.cycles.idle, percent(u.cycles.busy, u.cycles.busy + u.cycles.stalled + u.cycles.idle));
  return text;
}

/// Where the cores' time went: the lines add up to cycles times cores.
std::string idle_table(const Report& r) {
  if (!r.idle) return "";
  const Cycles all = r.cycles_of_all_cores();
  const auto row = [&](std::string_view name, Cycles cycles) {
    return fmt::format("  {:<19} {:>16}   {:.1f} %\n", name, cycles, percent(cycles, all));
  };
  std::string text = fmt::format("\n{:<21} {:>16}   of {} cores' {}\n", "core", "cycles", r.cores, all);
  text += row("active", all - r.idle->sum());
  for (const sim::IdleReason& reason : sim::idle_reasons)
    if (reason.cycles != &sim::IdleCycles::stopped || r.idle->stopped > 0)
      text += row(fmt::format("idle: {}", reason.name), (*r.idle).*reason.cycles);
  return text;
}

std::string model_table(const Report& r) {
  if (r.models.empty()) return "";
  std::size_t width = 5;
  for (const ModelPart& m : r.models) width = std::max(width, m.name.size());
  std::string text = fmt::format("\n{:<{}} {:>11} {:>11} {:>6} {:>9} {:>12}\n", "model", width, "first cycle",
                                 "last cycle", "layers", "MVMs", "bytes");
  for (const ModelPart& m : r.models)
    text += fmt::format("{:<{}} {:>11} {:>11} {:>6} {:>9} {:>12}\n", m.name, width, m.first, m.last, m.layers, m.mvms,
                        m.bytes);
  return text;
}

std::string layer_table(const Report& r) {
  if (r.layers.empty()) return "";
  std::size_t width = 5;
  for (const Layer& l : r.layers) width = std::max(width, std::min<std::size_t>(l.name.size(), 40));
  std::string text = fmt::format("\n{:<{}} {:>11} {:>11} {:>6} {:>9} {:>12} {:>12}\n", "layer", width, "first cycle",
                                 "cycles", "cores", "MVMs", "bytes", "utilisation");
  for (const Layer& l : r.layers) {
    const std::string name = l.name.size() > 40 ? l.name.substr(0, 37) + "..." : l.name;
    text += fmt::format("{:<{}} {:>11} {:>11} {:>6} {:>9} {:>12} {:>11.1f}%\n", name, width, l.first, l.cycles, l.cores,
                        l.mvms, l.bytes(), 100 * l.utilisation);
  }
  return text + "bytes: sent, loaded and stored; utilisation: busy cycles of its units by its cycles times its cores\n";
}

/// What is known of an energy; nothing known is said so, never printed as zero.
std::string known_text(Picojoules known, bool complete) {
  return known == 0 && !complete ? "unknown" : energy_text(known);
}

std::string energy_table(const Report& r) {
  if (r.energy.empty()) return "";
  std::string text = "\nenergy\n";
  for (const validation::EnergyPart& p : r.energy) {
    text += fmt::format("  {:<22} {:>16}", p.component, known_text(p.known, p.unknown.empty()));
    for (std::size_t i = 0; i < p.unknown.size(); ++i) text += (i == 0 ? "  without " : ", ") + p.unknown[i];
    text += "\n";
  }
  const bool partial = !r.energy_complete() && r.energy_known() > 0;
  return text +
         fmt::format("  {:<22} {:>16}{}\n", "total", known_text(r.energy_known(), r.energy_complete()),
                     partial ? "  of what is known; the parts above miss what they name" : "") +
         (r.average_power_mw() ? fmt::format("  {:<22} {:>13.4f} mW\n", "average power", *r.average_power_mw()) : "");
}

std::string area_table(const Report& r) {
  const bool nothing = !r.area_complete() && r.area_known_mm2() == 0;
  std::string text =
      fmt::format("\n{:<24} {:>16}", "area", nothing ? "unknown" : fmt::format("{:.4f} mm2", r.area_known_mm2()));
  bool first = true;
  for (const AreaPart& p : r.area)
    if (!p.mm2) {
      text += (first ? "  without " : ", ") + p.key;
      first = false;
    }
  return text + "\n";
}

/// "unknown without core.crossbar.program_energy"
std::string programming_lines(const Report& r, const isa::cost::Programming& p, const std::string& source) {
  const auto unknown = [&](const char* part) {
    for (const std::string& key : p.unknown)
      if (key.ends_with(part)) return fmt::format("unknown without {}", key);
    return std::string("unknown");
  };
  const Femtoseconds period = r.result.clocks.empty() ? 0 : r.result.clocks.front().period_fs;
  return fmt::format(
      "  cells  {:>16}  in {} array groups{}\n  time   {:>16}\n  energy {:>16}\n", p.cells, p.groups, source,
      p.cycles ? fmt::format("{} cycles, {}", *p.cycles, time_text(*p.cycles * period)) : unknown("latency"),
      p.energy ? energy_text(*p.energy) : unknown("energy"));
}

std::string programming_section(const Report& r) {
  if (r.programming.groups == 0) return "";
  return "\nweight programming, before cycle 0 and in no figure above (cores at once, the groups of a core in turn)\n" +
         programming_lines(r, r.programming, "");
}

/// What a program writes itself; a time that the chip does not give is missing from the cycles.
std::string rewriting_section(const Report& r) {
  if (r.rewriting.groups == 0) return "";
  const char* where = r.rewriting.cycles ? "part of every figure above (time: of the core that writes longest)"
                                         : "part of the figures above, save the time of writing cells";
  return fmt::format("\nweights written while the program runs, {}\n", where) +
         programming_lines(r, r.rewriting, fmt::format(", {} bytes from global memory", r.rewriting.bytes)) +
         "  the next input begins by writing what cycle 0 found\n";
}

std::string spill_section(const Report& r) {
  if (!r.spills) return "";
  return fmt::format(
      "\nspilled for want of local memory, part of every figure above ({} of {})\n"
      "  {} of {} bytes to global memory, {} of {} bytes from it{}\n",
      counted(r.spills->cores, "core"), r.cores, counted(r.spills->stores, "store"), r.spills->stored,
      counted(r.spills->loads, "load"), r.spills->loaded, r.images > 1 ? ", for every image" : "");
}

/// Names stand as they are: "lenet5, mlp".
std::string in_one_line(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  const auto is_name = [](const nlohmann::json& v) { return v.is_string(); };
  if (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_name))
    return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "compiled with pimento 0.1.0; numerics quantised; ranges recorded in the model; ..."
std::string settings_line(const Report& r) {
  const nlohmann::json j = parse_json_or_discard(r.settings_json);
  if (!j.is_object()) return "";
  std::string text = "compiled with";
  for (const auto& [key, value] : j.items()) {
    if ((value.is_object() && value.empty()) || key == "spills") continue;  // which have a section
    text += fmt::format("{} {} {}", text.ends_with("with") ? "" : ";", key, in_one_line(value));
  }
  return text + "\n";
}

std::string tail(const Report& r) {
  std::string text;
  if (r.check) text += "\nvalues " + validation::to_text(*r.check);
  if (r.compile)
    text += fmt::format("\ncompiled in {:.2f} s, peak memory {} MiB\n", r.compile->reals.at("wall_s"),
                        r.compile->figures.at("peak_resident_bytes") >> 20);
  text += settings_line(r);
  return text + fmt::format("chip {} (legality {}, cost {}), seed {}, pimento {}\n", r.chip,
                            hex(r.fingerprints.legality), hex(r.fingerprints.cost), r.seed, PIMENTO_VERSION);
}

}  // namespace

std::string to_table(const Report& r) {
  return head(r) + stream_table(r) + bounds_table(r) + units_table(r) + idle_table(r) + model_table(r) +
         layer_table(r) + energy_table(r) + area_table(r) + spill_section(r) + rewriting_section(r) +
         programming_section(r) + tail(r);
}

}  // namespace pimento::cli
