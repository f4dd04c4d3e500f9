#include "simulator/chip/simulate.hpp"

#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"
#include "simulator/lockstep/lockstep.hpp"

namespace pimento::sim {

Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options) {
  if (!options.timing_only && !chip.core.crossbar.adc.ideal)
    throw UserError("chip '" + chip.name +
                    "': 'core.crossbar.adc.ideal: false' is not modelled; run with --timing-only, or set it to true");
  if (options.lockstep) return lockstep::Chip(program, chip, options).run();
  Machine machine(program, chip, options);
  machine.run();
  return machine.result();
}

}  // namespace pimento::sim
