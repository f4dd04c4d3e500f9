#pragma once
// Instructions for tests and fuzzers. Every one passes check_fields; whether it suits a chip is another question.
#include <cstdint>

#include "isa/instruction/instruction.hpp"

namespace pimento::isa {

/// splitmix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform enough in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::uint64_t state_;
};

/// Fields of any legal value, registers 0 .. 254, any legal types.
Instruction random_instruction(const Row& row, Random& random);

}  // namespace pimento::isa
