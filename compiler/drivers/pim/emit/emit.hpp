#pragma once
// The last stages: buffers, addresses, registers, loops, records; weights and constants packed; ports in global memory.
#include <functional>
#include <string>

#include "compiler/drivers/pim/lower/select.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

/// A core's instruction memory overflows: fewer copies of weight tiles, and so fewer computes, may help.
class TooManyInstructions : public DoesNotFit {
 public:
  using DoesNotFit::DoesNotFit;
};

struct EmitStatistics {
  std::int64_t buffers = 0, in_place = 0, copies = 0;
  Bytes copy_bytes = 0;
  Bytes spilled_bytes = 0;
  Bytes largest_core_memory = 0;
  std::int64_t emitted_instructions = 0;
};

/// spatial-to-pim, bufferise, plan-liveness and emit in one call; `dump` receives (stage name, text producer) after
/// each. Throws UserError "chip 'x', stage plan-liveness: core 3 needs 70000 B of local memory, 65536 on the chip;
/// largest: ...".
isa::Program emit_program(const SelectContext& context, const Spatial& spatial, const Schedule& schedule,
                          const Steps& steps, EmitStatistics& statistics,
                          const std::function<void(const std::string&, const std::function<std::string()>&)>& dump);

}  // namespace pimento::pim
