// pimento disasm: a program file as text.
#include <ostream>

#include "cli/commands/registry.hpp"
#include "isa/program/program.hpp"

namespace pimento::cli {
namespace {

SUBCOMMAND("disasm", "PROGRAM [--data]", "print a program file as text that `pimento asm` reads", R"(
  PROGRAM  a program file
  --data   weights and constants as well
  example: pimento disasm lenet5.pim)",
           [](const Arguments& a, Streams io) {
             io.out << isa::disassemble(isa::read_program(a.text("PROGRAM")), a.flag("data"));
             return Status::done;
           });

}  // namespace
}  // namespace pimento::cli
