#pragma once
// What the fuzzers of pimsim-nn's programs ask of every form of them.
#include "isa/peers/peers.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {

/// Loads a program; what loads must print, and be verified without a fault. False: it was refused.
inline bool loads(const std::string& path) {
  static const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  std::vector<std::string> warnings;
  isa::Program program;
  if (!answered([&] { program = isa::peers::load_peer_program(path, chip, warnings); })) return false;
  answered([&] { isa::verify_program(program, chip, path); });
  promise(!isa::disassemble(program).empty(), "a loaded program prints");
  return true;
}

}  // namespace pimento::fuzz
