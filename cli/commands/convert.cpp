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
    for (const char* option : {"to", "chip", "strict"}) refuse_in_vain(a, option, true, "a program as INPUT");
    const auto rules = a.flag("documented") ? isa::peers::PeerRules::documented : isa::peers::PeerRules::as_built;
    std::vector<std::string> warnings;
    write_atomically(to, isa::peers::import_peer_chip(from, rules, warnings));
    for (const std::string& warning : warnings) io.err << "warning: " << warning << "\n";
    return Status::done;
  }
  const bool ours = kind == FileKind::program;
  const std::string form = a.choice("to", ours ? std::vector<std::string>{"json", "directory", "program"}
                                               : std::vector<std::string>{"program", "json", "directory"});
  refuse_in_vain(a, "documented", ours, "pimsim-nn's chip file as INPUT, or as --chip of its program");
  refuse_in_vain(a, "strict", ours && form == "program", "a program of pimsim-nn on one side");
  const LoadedProgram loaded = load_program(from, kind, a, io, !a.flag("documented"));
  const std::string forms = form == "json" ? "pimsim-nn" : form == "directory" ? "pimsim-nn-directory" : "program";
  write_program_as(forms, loaded.program, loaded.chip, to, a, io);
  return Status::done;
}

SUBCOMMAND("convert", "INPUT OUTPUT [--to FORM] [--chip CHIP] [--strict] [--documented]",
           "turn pimsim-nn's programs and chips into ours, and our programs into its", R"(
  INPUT         a program of ours; pimsim-nn's JSON (plain or gzip) or folder; or its chip file
  OUTPUT        the file or folder to write; a JSON named *.gz is packed
  --to FORM     json, directory (pimsim-nn's) or program (ours); default: the other side's
  --chip CHIP   the chip of a pimsim-nn program: a shipped chip's name, a YAML file, or pimsim-nn's chip file
                (default pimsim-nn-64-as-built)
  --strict      an error instead of a warning: a width that is used before 'setbw'; what scales, which pimsim-nn has not
  --documented  of a chip file: what pimsim-nn's documents say, without the faults of its code
  example: pimento convert lenet5.pim lenet5.json.gz)",
           convert);

}  // namespace
}  // namespace pimento::cli
