// pimsim-nn's programs as JSON, plain or gzip. What loads must be well-formed.
#include "isa/peers/peers.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  static const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const std::string path = folder.write("p.json", bytes);
  answered([&] { isa::peers::file_kind(path); });
  std::vector<std::string> warnings;
  isa::Program program;
  if (!answered([&] { program = isa::peers::load_peer_program(path, chip, warnings); })) return false;
  answered([&] { isa::verify_program(program, chip, path); });
  promise(!isa::disassemble(program).empty(), "a loaded program prints");
  return true;
}

FUZZ_TARGET("peer_json", feed);

}  // namespace
}  // namespace pimento::fuzz
