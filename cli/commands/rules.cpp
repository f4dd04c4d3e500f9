// pimento rules: how many cycles each rule of a chip accounts for.
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "validation/rules/rules.hpp"

namespace pimento::cli {
namespace {

SUBCOMMAND("rules", "PROGRAM [--chip CHIP] [--set KEY=VALUE]... [--strict]",
           "say what each rule of a chip, taken from another simulator's code, does to a program's cycles", R"(
  PROGRAM          a program file of ours, or pimsim-nn's: JSON, plain or gzip, or folder
  --chip CHIP      a chip with a section 'rules': a shipped chip's name, a YAML file, or pimsim-nn's chip file
                   (of a pimsim-nn program: default pimsim-nn-64-as-built)
  --set KEY=VALUE  the chip with another value: --set core.window=4
  --strict         refuse a pimsim-nn program that uses a width before 'setbw' sets it
  example: pimento rules lenet5.json.gz --chip pimsim-nn-64-as-built)",
           [](const Arguments& a, Streams io) {
             const std::string file = a.text("PROGRAM");
             const isa::peers::FileKind kind = isa::peers::file_kind(file);
             expect_peer_files(a, kind);
             const LoadedProgram loaded = load_program(file, kind, a, io, true, true);
             isa::verify_program(loaded.program, loaded.chip, file);
             if (loaded.chip.rules == isa::Rules{})
               throw UserError("chip '" + loaded.chip.name + "' sets nothing in its section 'rules'");
             io.out << validation::print(validation::rule_table(loaded.program, loaded.chip));
             return Status::done;
           });

}  // namespace
}  // namespace pimento::cli
