#include "simulator/chip/simulate.hpp"

#include "simulator/chip/machine.hpp"
#include "simulator/lockstep/lockstep.hpp"

namespace pimento::sim {

Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options) {
  if (options.lockstep) return lockstep::Chip(program, chip, options).run();
  Machine machine(program, chip, options);
  machine.run();
  return machine.result();
}

}  // namespace pimento::sim
