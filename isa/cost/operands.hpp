#pragma once
// Which bytes an instruction reads and writes, as views without their addresses: count segments of `bytes`, `stride`
// apart. One description for costs, hazards and events, so they cannot disagree on what an operand is.
#include <cstdint>

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

/// Operands in local memory.
struct Operands {
  Operand source[3];
  int source_count = 0;
  bool writes = false;
  Operand destination;

  struct Range {
    const Operand *first, *last;
    const Operand* begin() const { return first; }
    const Operand* end() const { return last; }
  } sources{source, source};
  Operands() = default;
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
};

}  // namespace pimento::isa::cost
