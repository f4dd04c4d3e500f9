#pragma once
// One element of one vector instruction, from its meaning in the instruction table.
#include <cstdint>

#include "isa/instruction/instruction.hpp"

namespace pimento::reference {

struct Operands {
  const std::uint8_t *a = nullptr, *b = nullptr;
};
/// An element-wise instruction, conversions, clips and fills among them: `to` holds the old value and gets the new.
void write_result(const isa::Instruction& i, const Operands& x, std::uint8_t* to);

/// A reduction of one segment, element by element.
class Fold {
 public:
  explicit Fold(const isa::Instruction& i) : i_(i) {}
  void take(const Operands& x);
  void write(std::uint8_t* to) const;

 private:
  const isa::Instruction& i_;
  std::int64_t seen_ = 0, at_ = 0, integer_ = 0;
  float real_ = 0;
};

}  // namespace pimento::reference
