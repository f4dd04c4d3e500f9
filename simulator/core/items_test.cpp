#include <doctest/doctest.h>

#include "isa/program/random.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// The pieces of nodes 0, 1, ... end behind these instructions, the same on every core.
isa::Program with_nodes(isa::Program p, const std::vector<std::uint32_t>& ends) {
  for (const std::uint32_t end : ends) {
    const auto node = static_cast<std::uint32_t>(p.nodes.size());
    for (isa::CoreProgram& core : p.cores)
      if (const std::uint32_t begin = node == 0 ? 0 : ends[node - 1]; begin < core.instructions.size())
        core.nodes.push_back({begin, end, node});
    p.nodes.push_back("node" + std::to_string(node));
  }
  return p;
}

}  // namespace

TEST_CASE("items: is a run that ends in a deadlock counted as if each instruction had been?") {
  // Node 0 ends with the loop instruction, node 1 with the second addition; the message that nobody takes comes in turn
  // 3, and in the second program in the first turn of what has other nodes behind it.
  const std::vector<std::vector<Lines>> programs = {
      {{"vrelu [0]:i8, [64]:i8, len 16", "loop 5, body 4", "vadd [0]:i8, [0]:i8, [64]:i8, len 16",
        "vadd [0]:i8, [0]:i8, [64]:i8, len 16", "send [0], len 16, core 1, tag 1", "vrelu [0]:i8, [64]:i8, len 16",
        "vrelu [0]:i8, [64]:i8, len 16"},
       {"nop", "loop 2, body 2", "recv [0], len 16, core 0, tag 1", "vrelu [0]:i8, [64]:i8, len 16"}},
      {{"vrelu [0]:i8, [64]:i8, len 16", "send [0], len 16, core 1, tag 1", "send [0], len 16, core 1, tag 1", "halt",
        "vrelu [0]:i8, [64]:i8, len 16"},
       {"loop 2, body 3", "loop 0, body 1", "vrelu [0]:i8, [64]:i8, len 16", "nop", "vrelu [0]:i8, [64]:i8, len 16",
        "recv [0], len 16, core 0, tag 1", "vrelu [0]:i8, [64]:i8, len 16", "recv [0], len 16, core 0, tag 1",
        "recv [0], len 16, core 0, tag 1"}}};
  for (const auto& cores : programs)
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{18}, std::uint64_t{21}}) {  // 18, 21: a table network
      isa::Chip chip = family_chip(n);
      chip.network.receive_buffer_messages = 0;
      REQUIRE(chip.core.window == 1);
      CAPTURE(n);
      for (const std::vector<std::uint32_t>& ends :
           {std::vector<std::uint32_t>{2, 4, 9}, std::vector<std::uint32_t>{1, 3, 5, 6, 9}, {9}}) {
        const isa::Program p = with_nodes(program(cores), ends);
        Options options;
        options.timing_only = true;
        CHECK(simulate(p, chip, options).stop == StopReason::deadlock);
        CHECK(disagreement(p, chip, n) == "");
      }
    }
}

TEST_CASE("items: are the counters of 60 random programs of many nodes those of lock-step?") {
  for (std::uint64_t seed = 0; seed < 180; seed += 3) {
    const isa::Chip chip = family_chip(seed);
    REQUIRE(chip.core.window == 1);
    const auto wide = static_cast<std::uint32_t>(1 + seed % 4);
    CAPTURE(seed);
    CHECK(disagreement(with_nodes(isa::random_program(chip, seed), {wide, 2 * wide, 3 * wide, 7 * wide, 8 * wide, 90}),
                       chip, seed) == "");
  }
}
