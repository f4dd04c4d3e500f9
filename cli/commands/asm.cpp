// pimento asm: text to a program file.
#include "cli/commands/registry.hpp"
#include "isa/program/program.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::cli {
namespace {

SUBCOMMAND("asm", "TEXT -o FILE", "assemble the text of a program into a program file", R"(
  TEXT     what `pimento disasm` prints, or a program written by hand (isa/instruction/ISA.md)
  -o FILE  the program file
  example: pimento asm ring.txt -o ring.pim)",
           [](const Arguments& a, Streams) {
             const std::string file = a.text("TEXT");
             const isa::Program program = isa::assemble(read_file(file), file);
             if (program.cores.empty())
               throw UserError({.file = file}, "expected the text of a program, with a core at least");
             isa::write_program(program, a.text("o"));
             return Status::done;
           });

}  // namespace
}  // namespace pimento::cli
