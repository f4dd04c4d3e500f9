// ctest: slow
#include <doctest/doctest.h>

#include "isa/instruction/samples.hpp"
#include "isa/program/random.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim::bench;

TEST_CASE("lockstep: do 1000 random programs agree over all that a chip may set?") {
  for (std::uint64_t seed = 1000; seed < 2000; ++seed) {
    isa::Random random(seed);
    const auto pick = [&](std::int64_t low, std::int64_t high) { return random.between(low, high); };
    isa::Chip chip = family_chip(static_cast<std::uint64_t>(pick(0, 215)));
    chip.core.window = static_cast<int>(pick(1, 12));
    chip.core.local_memory.ports = static_cast<int>(pick(1, 3));
    chip.core.local_memory.banks = static_cast<int>(pick(1, 4));
    chip.core.local_memory.read_latency_cycles = pick(1, 5);
    chip.core.local_memory.write_latency_cycles = pick(1, 5);
    chip.core.local_memory.width = Bytes{1} << pick(2, 6);
    chip.core.vector.lanes = static_cast<int>(pick(1, 32));
    chip.core.scalar.latency_cycles = pick(1, 3);
    chip.network.receive_buffer_messages = static_cast<int>(pick(0, 3));
    chip.network.handshake_cycles = pick(0, 3);
    chip.network.router_cycles = pick(chip.network.level == isa::NetworkLevel::flit ? 1 : 0, 3);
    chip.network.link_cycles = pick(1, 2);
    chip.network.virtual_channels = static_cast<int>(pick(2, 4));
    chip.network.virtual_channel_buffer = static_cast<int>(pick(1, 9));
    chip.network.routing = static_cast<isa::Routing>(pick(0, 2));
    chip.network.flit = Bytes{1} << pick(1, 5);
    chip.network.clock.period_fs = pick(1, 4) * 400'000;
    chip.global_memory.clock.period_fs = pick(1, 4) * 300'000;
    chip.global_memory.channels = static_cast<int>(pick(1, 3));
    if (random.one_in(2)) bend_at_random(chip, seed);
    if (random.one_in(2)) set_rows_at_random(chip, seed);
    if (random.one_in(2)) set_banks_at_random(chip, seed);
    isa::RandomOptions options;
    options.instructions = static_cast<int>(pick(5, 60));
    options.loops = !random.one_in(4);
    isa::Program program = isa::random_program(chip, seed, options);
    if (random.one_in(3)) program.numerics = Numerics::exact;
    CAPTURE(seed);
    CHECK(disagreement(program, chip, seed) == "");
  }
}
