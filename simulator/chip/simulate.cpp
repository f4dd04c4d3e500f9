#include "simulator/chip/simulate.hpp"

#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"

namespace pimento::sim {

Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options) {
  Machine machine(program, chip, options);
  machine.run();
  return machine.result();
}

}  // namespace pimento::sim
