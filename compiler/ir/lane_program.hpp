#pragma once
// The blocked path, part 2: a kernel's expressions as straight-line instructions on lane registers, sorted by how often
// they run.
#include "compiler/ir/lane_plan.hpp"

namespace pimento::ir {

/// When an instruction runs: each level once per iteration of the loops that it depends on.
enum class Level : std::uint8_t { block, step, point, merge, finish };
inline constexpr std::size_t level_count = 5;

/// Number of a lane register; registers of float types hold floats, all others int64_t.
using Register = int;
inline constexpr Register no_register = -1;

enum class InstructionKind : std::uint8_t { axis, load, lookup, unary, binary, compare, select, cast, broadcast };
struct Instruction {
  InstructionKind kind;
  ElementType type;     ///< of the result; for compare and cast see `from`
  ElementType from;     ///< type of the operands of compare, cast and tests
  std::uint8_t op = 0;  ///< UnaryOp or BinaryOp
  Register to = no_register;
  Register a = no_register, b = no_register, c = no_register;
  Register mask = no_register;     ///< bool lanes for which an index out of range matters; none: all
  int axis = -1;                   ///< axis
  const Access* access = nullptr;  ///< load
  std::vector<Register> indices;   ///< load: registers of access->general
  Scalar outside;                  ///< load
  Tensor table;                    ///< lookup
};

struct LaneProgram {
  std::vector<ElementType> registers;
  std::vector<std::pair<Register, Scalar>> constants;  ///< filled once
  std::vector<Instruction> code[level_count];
  std::vector<Register> states, state_initial, state_next;
  struct Accumulation {
    Register value, body, guard, incoming,
        merged;  ///< incoming: what merges read (the body itself when lanes are parallel)
  };
  std::vector<Accumulation> accumulators;
  struct Write {
    Register value, guard;
    std::vector<Register> indices;  ///< of the access' general dimensions
  };
  std::vector<Write> writes;
};
/// `plan` must outlive the program.
LaneProgram compile_lanes(const Kernel& k, const LanePlan& plan);

}  // namespace pimento::ir
