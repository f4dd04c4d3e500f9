// pimento convert: between our programs and pimsim-nn's, and its chip files.
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "isa/peers/peers.hpp"
#include "isa/support/file.hpp"

namespace pimento::cli {
namespace {
using isa::peers::FileKind;

Status convert(const Arguments& a, Streams io) {
  const std::string from = a.text("INPUT"), to = a.text("OUTPUT");
  const FileKind kind = isa::peers::file_kind(from);
  if (kind == FileKind::peer_chip) {
    const auto rules = a.flag("documented") ? isa::peers::PeerRules::documented : isa::peers::PeerRules::as_built;
    const std::string yaml = isa::peers::import_peer_chip(from, rules);
    write_atomically(to, yaml);
    isa::load_chip(to);  // what was written is a chip
    return Status::done;
  }
  const LoadedProgram loaded = load_program(from, a, io);
  const std::string form =
      a.choice("to", {kind == FileKind::program ? "json" : "program", "json", "directory", "program"});
  if (form == "json") isa::peers::write_peer_json(loaded.program, loaded.chip, to);
  if (form == "directory") isa::peers::write_peer_directory(loaded.program, loaded.chip, to);
  if (form == "program") isa::write_program(loaded.program, to);
  return Status::done;
}

SUBCOMMAND("convert", "INPUT OUTPUT [--to FORM] [--chip CHIP] [--strict] [--documented]",
           "turn pimsim-nn's programs and chips into ours, and our programs into its", R"(
  INPUT         a program of ours; pimsim-nn's JSON (plain or gzip) or folder; or its chip file
  OUTPUT        the file or folder to write; a JSON named *.gz is packed
  --to FORM     json, directory (pimsim-nn's) or program (ours); default: the other side's
  --chip CHIP   the chip of a pimsim-nn program: a shipped chip's name, a YAML file, or pimsim-nn's chip file
                (default pimsim-nn-64-as-built)
  --strict      a width that is used before 'setbw' is an error, not a warning
  --documented  of a chip file: what pimsim-nn's documents say, without the faults of its code
  example: pimento convert resnet18.pim resnet18.json.gz)",
           convert);

}  // namespace
}  // namespace pimento::cli
