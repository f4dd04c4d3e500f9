#pragma once
// The last stage: registers, loops, records; weights and constants packed; ports in global memory.
#include "compiler/drivers/pim/emit/plan.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

/// A core's instruction memory overflows: fewer copies of weight tiles, and so fewer computes, may help.
class TooManyInstructions : public DoesNotFit {
 public:
  using DoesNotFit::DoesNotFit;
};

enum class Loops : std::uint8_t {
  none,    ///< every operation written out
  single,  ///< round single operations only
  rolled   ///< round whatever repeats
};
/// The operations of every core at the addresses of its plan (`plans`: by CoreId). The order of execution is the same
/// with and without loops. TooManyInstructions when a core's instruction memory does not hold them.
isa::Program emit_program(const EmitInput& input, const std::vector<CorePlan>& plans, Loops loops);
/// "" or the first broken rule: every core makes the contacts of its steps in their order, each with the bytes of its
/// box; rows that are written come from their place in their tile's constant and go into their class's group; the two
/// ends of a pair name the same messages; ranges of nodes are in order and cover all instructions; ports have scales
/// above 0.
std::string verify(const isa::Program& program, const EmitInput& input);

}  // namespace pimento::pim
