#include "simulator/chip/simulate.hpp"

#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"
#include "simulator/lockstep/lockstep.hpp"

namespace pimento::sim {

namespace {
void check_modelled(const isa::Chip& chip, const Options& options) {
  if (!options.timing_only && !chip.core.crossbar.adc.ideal)
    throw UserError("chip '" + chip.name +
                    "': 'core.crossbar.adc.ideal: false' is not modelled; run with --timing-only, or set it to true");
}
}  // namespace

Loaded::Loaded(const isa::Program& program, const isa::Chip& chip, bool timing_only)
    : program_(program),
      chip_(chip),
      timing_only_(timing_only),
      code_(std::make_shared<const Code>(decode(program, chip, decodes_items(chip, timing_only)))) {}

Result Loaded::run(const Options& options) const {
  PIMENTO_CHECK(options.timing_only == timing_only_, "a program was loaded for another way of running");
  check_modelled(chip_, options);
  if (options.lockstep) return lockstep::Chip(program_, chip_, options).run();
  Machine machine(program_, chip_, options, code_);
  machine.run();
  return machine.result();
}

Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options) {
  check_modelled(chip, options);
  if (options.lockstep) return lockstep::Chip(program, chip, options).run();
  return Loaded(program, chip, options.timing_only).run(options);
}

}  // namespace pimento::sim
