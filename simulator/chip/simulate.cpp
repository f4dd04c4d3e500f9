#include "simulator/chip/simulate.hpp"

#include "isa/support/error.hpp"
#include "simulator/chip/machine.hpp"
#include "simulator/crossbar/analog.hpp"
#include "simulator/lockstep/lockstep.hpp"

namespace pimento::sim {

namespace {
bool calibrates(const isa::Chip& chip, const Options& options) {
  const isa::Adc& adc = chip.core.crossbar.adc;
  return !options.timing_only && !adc.ideal && adc.range == isa::AdcRange::calibrated;
}

/// Converters whose range suits the sums that come: a first run with ideal ones counts them, tile by tile.
std::vector<double> suitable_ranges(const isa::Program& program, const isa::Chip& chip, Options options,
                                    std::shared_ptr<const Code> code) {
  options.lockstep = options.counters = options.record_contacts = options.track_writers = false;
  options.observer = nullptr;
  Machine machine(program, chip, options, std::move(code));
  for (const PackedTile& tile : machine.tiles)
    if (tile.analog) tile.analog->observe();
  machine.run();
  std::vector<double> ranges;
  for (const PackedTile& tile : machine.tiles) ranges.push_back(tile.analog ? tile.analog->suitable_range() : 0);
  return ranges;
}

/// What runs a program: Machine, or the oracle.
template <class Runner>
void set_ranges(const Runner& runner, const std::vector<double>& ranges) {
  for (std::size_t t = 0; t < ranges.size(); ++t)
    if (runner.tiles[t].analog) runner.tiles[t].analog->set_range(ranges[t]);
}

}  // namespace

Loaded::Loaded(const isa::Program& program, const isa::Chip& chip, bool timing_only)
    : program_(program),
      chip_(chip),
      timing_only_(timing_only),
      code_(std::make_shared<const Code>(decode(program, chip, decodes_items(chip, timing_only, false)))) {}

Result Loaded::run(const Options& options) const {
  PIMENTO_CHECK(options.timing_only == timing_only_, "a program was loaded for another way of running");
  PIMENTO_CHECK(!options.lockstep || options.observer == nullptr, "lock-step tells no observer");
  const std::vector<double> ranges =
      calibrates(chip_, options) ? suitable_ranges(program_, chip_, options, code_) : std::vector<double>{};
  if (options.lockstep) {
    lockstep::Chip oracle(program_, chip_, options);
    set_ranges(oracle, ranges);
    return oracle.run();
  }
  // whoever observes wants every instruction, not the sums that a bare timing run takes them for
  std::shared_ptr<const Code> code = code_;
  if (options.observer != nullptr && timing_only_)
    code = std::make_shared<const Code>(decode(program_, chip_, decodes_items(chip_, timing_only_, true)));
  Machine machine(program_, chip_, options, code);
  set_ranges(machine, ranges);
  machine.run();
  return machine.result();
}

Result simulate(const isa::Program& program, const isa::Chip& chip, const Options& options) {
  if (options.lockstep && !calibrates(chip, options)) return lockstep::Chip(program, chip, options).run();
  return Loaded(program, chip, options.timing_only).run(options);
}

}  // namespace pimento::sim
