// Assembler text. What assembles must survive being printed and read back, and verifying must end in an answer.
#include "isa/program/program.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  isa::Program program;
  if (!answered([&] { program = isa::assemble(std::string(bytes), "program.txt"); })) return false;
  const std::string text = isa::disassemble(program, true);
  promise(isa::disassemble(isa::assemble(text, "again.txt"), true) == text, "printed text is a fixed point");
  answered([&] { isa::verify_program(program, small_chip(), "program.txt"); });
  return true;
}

FUZZ_TARGET("assembly", feed);

}  // namespace
}  // namespace pimento::fuzz
