#include <doctest/doctest.h>

#include "isa/instruction/samples.hpp"
#include "isa/program/random.hpp"
#include "isa/support/error.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

std::vector<PortData> inputs_for(const isa::Program& program, std::uint64_t seed) {
  isa::Random random(seed);
  std::vector<PortData> all;
  for (const isa::Port& port : program.inputs) {
    PortData& data = all.emplace_back();
    for (Bytes k = 0; k < port.bytes(); ++k) data.bytes.push_back(static_cast<std::uint8_t>(random.between(0, 255)));
  }
  return all;
}

/// Every way to run one program; "" when all agree.
std::string disagreement(const isa::Program& program, const isa::Chip& chip, std::uint64_t seed) {
  Options options;
  options.record_contacts = true;
  options.track_writers = true;
  options.inputs = inputs_for(program, seed);
  const Result ahead = simulate(program, chip, options);
  options.lockstep = true;
  const Result stepped = simulate(program, chip, options);
  options.timing_only = true;
  options.inputs.clear();
  const Result stepped_timing = seed % 4 == 0 ? simulate(program, chip, options) : stepped;
  options.lockstep = false;
  const Result ahead_timing = simulate(program, chip, options);
  std::string text;
  if (const std::string d = difference(ahead, stepped); !d.empty()) text += "run-ahead and lock-step\n" + d;
  if (const std::string d = difference(ahead, ahead_timing); !d.empty()) text += "with values and without\n" + d;
  if (const std::string d = difference(stepped, stepped_timing); !d.empty())
    text += "lock-step with values and without\n" + d;
  return text;
}

/// Chip n of a family that covers windows, ports, buffers, networks and clocks.
isa::Chip chip_of(std::uint64_t n) {
  isa::Chip chip = isa::load_chip("tiny-4");
  const int windows[] = {1, 4, 64}, buffers[] = {0, 1, 8};
  chip.core.window = windows[n % 3];
  chip.core.local_memory.ports = static_cast<int>(1 + n / 3 % 2);
  chip.network.receive_buffer_messages = buffers[n / 6 % 3];
  if (n / 18 % 2 == 1) {
    chip.network.topology = "table";
    std::vector<std::vector<Cycles>> table(5, std::vector<Cycles>(5));
    for (std::size_t s = 0; s < 5; ++s)
      for (std::size_t d = 0; d < 5; ++d) table[s][d] = static_cast<Cycles>(1 + (s * 3 + d * 5) % 7);
    chip.network.table = std::make_shared<std::vector<std::vector<Cycles>>>(table);
    chip.global_memory.attached_to.clear();
  }
  if (n / 36 % 2 == 1) {
    chip.network.clock.period_fs = 1'500'000;
    chip.global_memory.clock.period_fs = 700'000;
    chip.network.handshake_cycles = 0;
  }
  if (n % 5 == 0) chip.global_memory.channels = 2;
  return chip;
}

}  // namespace

TEST_CASE(
    "lockstep: do 200 random programs take the same cycles ahead and in step, with the same contacts and values?") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const isa::Chip chip = chip_of(seed);
    isa::Program program = isa::random_program(chip, seed);
    if (seed % 4 == 3) program.numerics = Numerics::exact;
    CAPTURE(seed);
    CHECK(disagreement(program, chip, seed) == "");
  }
}

TEST_CASE("lockstep: do four small programs with messages agree?") {
  const std::vector<std::vector<Lines>> programs = {
      {{"send [0], len 16, core 1, tag 1", "vrelu [0]:i8, [64]:i8, len 16"}, {"recv [0], len 16, core 0, tag 1"}},
      {{"loop 5, body 2", "mvm [256]:i32, [64]:u8, len 4, group 0", "send [256], len 16, core 1, tag 1"},
       {"loop 5, body 2", "recv [0], len 16, core 0, tag 1", "vadd [512]:i32, [512]:i32, [0]:i32, len 4"}},
      {{"recv [0], len 8, core 1, tag 1"}, {"recv [0], len 8, core 0, tag 1"}},
      {{"wait core 0, event 1, value 2", "store [0], [0], len 64"},
       {"load [0], [128], len 64", "sync core 0, event 1, value 2", "store [256], [0], len 64"}}};
  for (const auto& cores : programs)
    for (std::uint64_t n = 0; n < 72; ++n) CHECK(disagreement(program(cores), chip_of(n), n) == "");
}
