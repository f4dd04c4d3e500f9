#pragma once
// The instruction that an executor is working on, and where its segments lie.
#include "simulator/core/executor.hpp"

namespace pimento::sim {

struct Executor::At {
  const isa::Instruction& i;
  std::uint32_t index;
  const Places& places;
  int size_d, size_a, size_b;

  At(const isa::Instruction& instruction, std::uint32_t at, const Places& p)
      : i(instruction),
        index(at),
        places(p),
        size_d(size_of(instruction.type_d)),
        size_a(size_of(instruction.type_a)),
        size_b(size_of(instruction.type_b)) {}

  std::int64_t d(std::int64_t k) const { return places.d.start(k, i.stride_d); }
  std::int64_t a(std::int64_t k) const { return places.a.start(k, i.stride_a); }
  std::int64_t b(std::int64_t k) const { return places.b.start(k, i.stride_b); }
  bool has(std::uint8_t flag) const { return (i.flags & flag) != 0; }
};

}  // namespace pimento::sim
