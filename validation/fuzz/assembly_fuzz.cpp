// Assembler text. What assembles must survive being printed and read back, and verifying must end in an answer.
#include "isa/program/program.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

std::size_t bytes_of_data(const isa::Program& program) {
  std::size_t sum = 0;
  const auto add = [&sum](const auto& bytes, const auto& real) {
    sum += bytes.data.size_bytes() + real.data.size_bytes();
  };
  for (const isa::Tile& tile : program.tiles) add(tile.weights, tile.real);
  for (const isa::GlobalConstant& constant : program.global_constants) add(constant.bytes, constant.real);
  for (const isa::CoreProgram& core : program.cores)
    for (const isa::Constant& constant : core.constants) add(constant.bytes, constant.real);
  return sum;
}

bool feed(std::string_view bytes) {
  isa::Program program;
  if (!answered([&] { program = isa::assemble(std::string(bytes), "program.txt"); })) return false;
  const bool with_data = bytes_of_data(program) < 65536;  // a few words may stand for gigabytes of zeros
  const std::string text = isa::disassemble(program, with_data);
  promise(isa::disassemble(isa::assemble(text, "again.txt"), with_data) == text, "printed text is a fixed point");
  answered([&] { isa::verify_program(program, small_chip(), "program.txt"); });
  return true;
}

FUZZ_TARGET("assembly", feed);

}  // namespace
}  // namespace pimento::fuzz
