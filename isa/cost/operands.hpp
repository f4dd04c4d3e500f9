#pragma once
// Which bytes an instruction reads and writes, as views without their addresses: count segments of `bytes`, `stride`
// apart. One description for costs, hazards and events, so they cannot disagree on what an operand is.
#include <array>
#include <cstdint>
#include <span>

#include "isa/instruction/instruction.hpp"

namespace pimento::isa::cost {

enum class Which : std::uint8_t { d, a, b };

struct Operand {
  Which which = Which::a;   ///< whose address and register
  std::int64_t count = 0;   ///< segments
  Bytes bytes = 0;          ///< of a segment
  std::int64_t stride = 0;  ///< bytes
  bool indexed = false;     ///< addressed by data: the range is [address, address + extent)
  Bytes extent = 0;         ///< of an indexed operand
};

/// Operands in local memory. The destination of `mvm` is not among them: its size is the tile's.
struct Operands {
  std::array<Operand, 3> source{};
  int source_count = 0;
  bool writes = false;
  Operand destination;
  std::span<const Operand> sources() const { return {source.data(), static_cast<std::size_t>(source_count)}; }
};
Operands operands(const Instruction& instruction);

/// Bytes from one index of an indexed operand to the next: its stride.
std::int64_t index_step(const Instruction& instruction, Which which);

}  // namespace pimento::isa::cost
