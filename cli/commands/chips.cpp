// pimento chips: which chips are there, and what does one of them say?
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::cli {
namespace {

const char* name_of(isa::KeyClass key_class) {
  switch (key_class) {
    case isa::KeyClass::legality:
      return "legality";
    case isa::KeyClass::cost:
      return "cost";
    case isa::KeyClass::physics:
      return "physics";
  }
  throw InternalError("a key class without a name");
}

void list(Streams io) {
  std::size_t width = 0;
  for (const std::string& name : isa::shipped_chips()) width = std::max(width, name.size());
  for (const std::string& name : isa::shipped_chips()) {
    const isa::Chip chip = isa::load_chip(name);
    io.out << fmt::format("{:<{}}  {:>4} cores, {:>4} crossbars of {} x {} each: {}\n", name, width, chip.cores,
                          chip.core.crossbars, chip.core.crossbar.rows, chip.core.crossbar.cols, chip.description);
  }
}

void list_keys(const isa::Chip& chip, Streams io) {
  std::size_t width = 0;
  for (const isa::KeyInfo& key : isa::chip_keys()) width = std::max(width, key.path.size());
  for (const isa::KeyInfo& key : isa::chip_keys()) {
    const auto source = chip.sources.find(key.path);
    io.out << fmt::format("{:<{}}  {:<16}  {:<8}  {}\n", key.path, width, isa::key_value(chip, key.path),
                          name_of(key.key_class), source == chip.sources.end() ? "-" : source->second);
  }
}

SUBCOMMAND("chips", "[CHIP] [--sources]", "list the shipped chips, or print one chip as it is understood", R"(
  CHIP       a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON: its whole configuration, defaults included, as YAML
  --sources  instead of YAML, one line per key: value, class, and where the number comes from
  example: pimento chips pimsim-nn-64 --sources)",
           [](const Arguments& a, Streams io) {
             if (!a.given("CHIP") && a.flag("sources")) throw UserError("--sources needs a CHIP");
             if (!a.given("CHIP")) {
               list(io);
               return Status::done;
             }
             const isa::Chip chip = find_chip(a.text("CHIP"), io);
             if (a.flag("sources"))
               list_keys(chip, io);
             else
               io.out << chip.yaml;
             return Status::done;
           });

}  // namespace
}  // namespace pimento::cli
