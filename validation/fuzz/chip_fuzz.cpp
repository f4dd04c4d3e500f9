// Chip descriptions. Input: YAML text. What is accepted must come back from its own canonical text.
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  isa::Chip chip;
  if (!answered([&] { chip = isa::parse_chip(std::string(bytes), "chip.yaml"); })) return false;
  const isa::Chip again = isa::parse_chip(chip.yaml, "canonical.yaml");
  promise(again.yaml == chip.yaml, "canonical text is a fixed point");
  promise(again.fingerprints == chip.fingerprints, "canonical text keeps the fingerprints");
  return true;
}

FUZZ_TARGET("chip", feed);

}  // namespace
}  // namespace pimento::fuzz
