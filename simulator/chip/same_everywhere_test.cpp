// Whatever compiler, build type and machine: the same cycles, contacts, traffic and values, bit by bit. The digests are
// over random programs, which owe nothing to the compiler of networks; they change with the rules of time and with what
// an instruction does to values, and with nothing else.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "isa/program/random.hpp"
#include "isa/support/hash.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

class Digest {
 public:
  void add(std::int64_t number) { hasher_.add(&number, sizeof number); }
  void add(double number) {  // which NaN it is, no rule says
    add(std::isnan(number) ? std::int64_t{-1} : std::bit_cast<std::int64_t>(number));
  }
  void add(const std::string& text) { hasher_.add(text), add(static_cast<std::int64_t>(text.size())); }
  void add(const Result& r) {
    for (const std::int64_t figure : {r.cycles, r.instructions, r.mvms, r.messages, r.injected, r.delivered})
      add(figure);
    for (const CoreResult& core : r.cores)
      for (const UnitCycles& unit : {core.control, core.scalar, core.vector, core.matrix, core.transfer})
        add(unit.busy), add(unit.stalled), add(unit.idle);
    for (const auto& core : r.contacts)
      for (const Contact& contact : core) add(std::int64_t{contact.instruction}), add(contact.issue), add(contact.end);
    for (const LinkResult& link : r.links) add(link.name), add(link.bytes), add(link.busy);
    for (const EnergyEntry& entry : r.energy) add(entry.event), add(entry.count), add(entry.per_event.value_or(-1));
    for (const OutputData& output : r.outputs) {
      hasher_.add(output.bytes.data(), output.bytes.size());
      for (const float real : output.real) add(static_cast<double>(real));
      for (const Writer& writer : output.writers) add(std::int64_t{writer.core}), add(std::int64_t{writer.instruction});
    }
  }
  std::string text() const { return hasher_.hex128(); }

 private:
  Hasher hasher_;
};

/// Of 36 random programs on chips of the family, each bent by seed.
std::string digest(Numerics numerics, const std::function<void(isa::Chip&, std::uint64_t)>& bend) {
  Digest all;
  for (std::uint64_t seed = 0; seed < 216; seed += 6) {
    isa::Chip chip = family_chip(seed + seed / 6 % 6);
    bend(chip, seed);
    isa::Program program = isa::random_program(chip, seed);
    program.numerics = numerics;
    Options options;
    options.record_contacts = true;
    options.track_writers = true;
    options.inputs = inputs_for(program, seed);
    all.add(simulate(program, chip, options));
  }
  return all.text();
}

}  // namespace

TEST_CASE("same everywhere: are cycles, contacts, traffic and values those that every build makes?") {
  const auto plainly = [](isa::Chip&, std::uint64_t) {};
  CHECK(digest(Numerics::quantised, plainly) == "84e71b6924b37f5da281516e61fa3bac");
  CHECK(digest(Numerics::exact, plainly) == "c13c444a71226e7e652f7436a90d0cb0");
  CHECK(digest(Numerics::quantised, bend_at_random) == "f4b5bfa346c1a7c341e1a768104054c3");
  const auto with_converters = [](isa::Chip& chip, std::uint64_t seed) {
    set_banks_at_random(chip, seed);
    set_rows_at_random(chip, seed);
    chip.core.crossbar.adc.ideal = false;
    chip.core.crossbar.adc.bits = 6;
  };
  CHECK(digest(Numerics::quantised, with_converters) == "3dc48718a6a639854c7746710c371704");
  const auto with_devices = [&](isa::Chip& chip, std::uint64_t seed) {
    with_converters(chip, seed);
    chip.core.crossbar.nonideal = {.seed = static_cast<std::int64_t>(seed),
                                   .variation = 0.1,
                                   .stuck_at_0 = 0.01,
                                   .stuck_at_1 = 0.01,
                                   .read_noise = 0.02,
                                   .drift_exponent = 0.05,
                                   .drift_spread = 0.2,
                                   .drift_age = 1000,
                                   .wire_resistance = 1e-4};
  };
  CHECK(digest(Numerics::quantised, with_devices) == "fdc54181c1864b233c2b1f802d2719ad");
}
