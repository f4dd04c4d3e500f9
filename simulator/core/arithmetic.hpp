#pragma once
// The arithmetic of vector instructions on arrays: one function per opcode and domain. Memory, views and shadows are
// the executor's business.
#include <cstdint>

#include "isa/instruction/instruction.hpp"

namespace pimento::sim {

/// r[i] = a[i] op b[i]. With `ternary`, r holds the old destination.
struct IntegerArguments {
  const std::int64_t *a, *b;
  std::int64_t* r;
  int n;
};
struct FloatArguments {
  const float *a, *b;
  float* r;
  int n;
};

/// How an element-wise opcode computes. A null function: the opcode does not exist in that domain.
struct Elementwise {
  void (*integers)(const IntegerArguments&) = nullptr;
  void (*floats)(const FloatArguments&) = nullptr;
  /// What exact numerics does to real values: as floats, or as integers (bit operations), or by deciding like floats.
  bool shadows_follow_integers = false;
};
/// vadd .. vshr, vnot, veq .. vsel, vneg .. vround, vmov.
const Elementwise& elementwise(isa::Opcode opcode);

}  // namespace pimento::sim
