// pimento noc: a chip's network alone, latency against offered load.
#include <filesystem>
#include <limits>
#include <map>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "cli/report/traffic.hpp"
#include "isa/support/file.hpp"
#include "isa/support/folder.hpp"

namespace pimento::cli {
namespace {

Status noc(const Arguments& a, Streams io) {
  TrafficReport report;
  report.options.pattern = sim::pattern_of(a.text("pattern", "uniform"));
  report.options.message_flits = a.integer("packet-flits", report.options.message_flits, 1, 1'000'000);
  report.options.seed = static_cast<std::uint64_t>(a.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  report.options.measured = a.integer("cycles", report.options.measured, 1, 1'000'000'000);
  report.options.warm_up = report.options.measured / 5;
  report.options.drain = report.options.measured * 2;
  std::vector<double> loads;
  if (a.given("load")) loads = loads_of(a.text("load"));
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : a.pairs("set")) values[key] = value;
  if (a.given("level") && values.contains("network.level"))
    throw UserError("--level: --set network.level is given as well; expected one of them");
  if (a.given("level")) values["network.level"] = a.choice("level", {"message", "flit"});
  report.chip = isa::with_values(find_chip(a.text("chip"), io), values);
  if (loads.empty()) loads = usual_loads(sim::load_bound(report.chip, report.options));
  report.curve = sim::measure_curve(report.chip, report.options, loads);
  if (a.given("out"))
    write_folder(a.text("out"), [&](const std::string& draft) {
      const std::filesystem::path to(draft);
      write_atomically((to / "noc.json").string(), to_json(report));
      write_atomically((to / "noc.csv").string(), to_csv(report));
      write_atomically((to / "noc.svg").string(), to_svg(report));
    });
  io.out << (a.flag("json") ? to_json(report) : to_table(report));
  return Status::done;
}

SUBCOMMAND("noc",
           "--chip CHIP [--set KEY=VALUE]... [--pattern PATTERN] [--load LIST] [--level LEVEL] [--packet-flits N] "
           "[--cycles N] [--seed N] [--out FOLDER] [--json]",
           "measure a chip's network alone: latency against offered load", R"(
  --chip CHIP       a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON
  --set KEY=VALUE   the chip with another value: --set network.virtual_channels=4
  --pattern PATTERN where messages go: uniform (the default), transpose, hotspot or neighbour
  --load LIST       flits that each core offers per network cycle: 0.05,0.1,0.2 (default: ten parts of the bound)
  --level LEVEL     message or flit, whatever the chip says
  --packet-flits N  of one message (default 8)
  --cycles N        in which messages are measured, after a fifth of it and before at most twice it (default 10000)
  --seed N          of the messages' times and ways (default 1)
  --out FOLDER      write noc.json, noc.csv and noc.svg
  --json            print JSON instead of a table
  example: pimento noc --chip tiny-4 --pattern transpose --level flit --cycles 2000)",
           noc);

}  // namespace
}  // namespace pimento::cli
