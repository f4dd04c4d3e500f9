#pragma once
// One program every way the simulator runs it: ahead, in step, and without values.
#include <doctest/doctest.h>

#include "validation/whole/whole.hpp"

namespace pimento::validation {

/// Runs it ahead; in step and without values it must end in the same cycle, with the same contacts, in step
/// also with the same bytes.
inline sim::Result run_every_way(const isa::Program& program, const isa::Chip& chip, sim::Options options) {
  options.record_contacts = true;
  const sim::Result ahead = sim::simulate(program, chip, options);
  REQUIRE(ahead.stop == sim::StopReason::finished);
  options.lockstep = true;
  const sim::Result stepped = sim::simulate(program, chip, options);
  REQUIRE(stepped.stop == sim::StopReason::finished);
  CHECK(stepped.cycles == ahead.cycles);
  REQUIRE(ahead.contacts.size() == program.cores.size());
  CHECK(stepped.contacts == ahead.contacts);
  REQUIRE(stepped.outputs.size() == ahead.outputs.size());
  for (std::size_t i = 0; i < ahead.outputs.size(); ++i) CHECK(stepped.outputs[i].bytes == ahead.outputs[i].bytes);
  options.lockstep = false;
  options.timing_only = true;
  const sim::Result timing = sim::simulate(program, chip, options);
  REQUIRE(timing.stop == sim::StopReason::finished);
  CHECK(timing.cycles == ahead.cycles);
  CHECK(timing.contacts == ahead.contacts);
  return ahead;
}
inline sim::Result run_every_way(const Whole& whole, const isa::Chip& chip) {
  return run_every_way(whole.compiled.program, chip, whole.options);
}

}  // namespace pimento::validation
