// Banks of local memory: two phases that touch one bank follow each other, to the cycle; others do not.
#include "simulator/core/banks.hpp"

#include <doctest/doctest.h>

#include "simulator/chip/random_programs_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// Two banks, each half of the memory, and more ports than anybody needs.
isa::Chip two_halves() {
  isa::Chip c = plain_chip();
  c.core.local_memory.ports = 4;
  c.core.local_memory.banks = 2;
  c.core.local_memory.bank_interleave = 32768;
  return c;
}
isa::Chip without_banks(isa::Chip c) {
  c.core.local_memory.bank_interleave = 0;
  return c;
}
/// Reads in 0 .. 4 and writes in 4 .. 8, in bank 0.
const char* const move_in_0 = "move [0], [1024], len 64";
/// Issued at 1: reads for 4, computes for 8, writes for 4.
constexpr Cycles free_of_it = 1 + 4 + 8 + 4, behind_it = 8 + 4 + 8 + 4;

}  // namespace

TEST_CASE("banks: do two phases that touch one bank follow each other, and those of two banks not?") {
  const isa::Program same = program({{move_in_0, "vrelu [2048]:i8, [3072]:i8, len 64"}});
  CHECK(ends_exactly_at(same, two_halves(), behind_it));
  CHECK(ends_exactly_at(same, without_banks(two_halves()), free_of_it));
  CHECK(ends_exactly_at(program({{move_in_0, "vrelu [34816]:i8, [35840]:i8, len 64"}}), two_halves(), free_of_it));
  // it reads in the other bank, and when it writes this one is free again
  CHECK(ends_exactly_at(program({{move_in_0, "vrelu [2048]:i8, [35840]:i8, len 64"}}), two_halves(), free_of_it));
  // it writes in the other bank, but reads in this one
  CHECK(ends_exactly_at(program({{move_in_0, "vrelu [34816]:i8, [3072]:i8, len 64"}}), two_halves(), behind_it));
}

TEST_CASE("banks: does a phase need a port beside its banks?") {
  isa::Chip one_port = two_halves();
  one_port.core.local_memory.ports = 1;
  CHECK(ends_exactly_at(program({{move_in_0, "vrelu [34816]:i8, [35840]:i8, len 64"}}), one_port, behind_it));
}

TEST_CASE("banks: does a phase that fits between two others on its bank take the place?") {
  // The product reads in 0 .. 1 and writes in 11 .. 12; the relu, issued at 1, reads in 1 .. 5, computes until 13.
  const char* const product = "mvm [0]:i32, [64]:u8, len 4, group 0";
  CHECK(ends_exactly_at(program({{product, "vrelu [2048]:i8, [3072]:i8, len 64"}}), two_halves(), free_of_it));
  // 8 passes fewer: of 16 bytes it reads in 1 .. 2 and writes at 4
  CHECK(ends_exactly_at(program({{product, "vrelu [2048]:i8, [3072]:i8, len 16"}}), two_halves(), 12));
  // of 72 bytes (5 accesses) it writes from 6 + 9 = 15 on; of 56 (4) it would in 12 .. 16, which is just free
  CHECK(ends_exactly_at(program({{product, "vrelu [2048]:i8, [3072]:i8, len 56"}}), two_halves(), 1 + 4 + 7 + 4));
  // of 48 (3): it computes until 1 + 3 + 6 = 10 and would write in 10 .. 13, so it waits for the product's write
  CHECK(ends_exactly_at(program({{product, "vrelu [2048]:i8, [3072]:i8, len 48"}}), two_halves(), 12 + 3));
}

TEST_CASE("banks: in which banks does a view lie whose segments stand apart?") {
  isa::Chip chip = two_halves();
  chip.core.local_memory.banks = 4;
  chip.core.local_memory.bank_interleave = 16;
  // segments of 16 bytes, 64 apart: all of one bank
  const char* const in_0 = "move [4096] stride 64, [0] stride 64, x4 len 16";
  const auto behind = [&](const char* line, Cycles end) { return ends_exactly_at(program({{in_0, line}}), chip, end); };
  CHECK(behind("vrelu [8208]:i8 stride 64, [16400]:i8 stride 64, x4 len 16", free_of_it));
  CHECK(behind("vrelu [8192]:i8 stride 64, [16384]:i8 stride 64, x4 len 16", behind_it));
  // a byte beyond its 16 is one of the next bank, here of bank 0
  CHECK(behind("vrelu [8208]:i8 stride 64, [16433]:i8 stride 64, x4 len 15", free_of_it));
  CHECK(behind("vrelu [8208]:i8 stride 64, [16434]:i8 stride 64, x4 len 15", behind_it));
  // 64 bytes without a gap lie in all of them
  CHECK(behind("vrelu [8192]:i8, [16400]:i8, len 64", behind_it));
  // segments 80 apart go round them
  CHECK(behind("vrelu [8208]:i8 stride 64, [16400]:i8 stride 80, x4 len 16", behind_it));
}

TEST_CASE("banks: does a phase whose addresses are data hold every bank?") {
  const char* const move_in_1 = "move [32768], [33792], len 64";
  // indices and table in bank 0: an access and four, eight passes, four writes
  const Lines gathers{move_in_1, "vgather [0]:i8 stride 16, [1024]:i8 stride 16, [2048]:i32, x4 len 16, bound 4"};
  CHECK(ends_exactly_at(program({gathers}), two_halves(), 8 + 5 + 8 + 4));
  CHECK(ends_exactly_at(program({gathers}), without_banks(two_halves()), 1 + 5 + 8 + 4));
  // a scatter holds them while it writes (from 14 on), not while it reads
  const char* const scatters = "vscatter [0]:i8 stride 16, [1024]:i8 stride 16, [2048]:i32, x4 len 16, bound 4";
  CHECK(ends_exactly_at(program({{move_in_1, scatters}}), two_halves(), 1 + 5 + 8 + 4));
  // this move, issued at 0, writes in 10 .. 20
  CHECK(ends_exactly_at(program({{"move [32768], [33792], len 160", scatters}}), two_halves(), 20 + 4));
}

TEST_CASE("banks: do data that arrive wait for their bank?") {
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  // 64 bytes arrive at 2 + 8 + 9 = 19 and take 4 to write. The relu reads its 512 bytes in 1 .. 33.
  const auto end = [&](const char* relu, const isa::Chip& chip) {
    const isa::Program p = program({{"load [0], [0], len 64", relu}});
    CHECK(disagreement(p, chip, 0) == "");
    return simulate(p, chip, options).contacts.at(0).at(0).end;
  };
  CHECK(end("vrelu [2048]:i8, [4096]:i8, len 512", without_banks(two_halves())) == 19 + 4);
  CHECK(end("vrelu [2048]:i8, [4096]:i8, len 512", two_halves()) == 33 + 4);
  CHECK(end("vrelu [2048]:i8, [36864]:i8, len 512", two_halves()) == 19 + 4);
}

TEST_CASE("banks: do 36 random programs agree ahead and in step, and do banks cost them anything?") {
  const auto bend = [](isa::Chip& chip, std::uint64_t seed) {
    chip.core.window = 4 + static_cast<int>(seed % 3) * 8;
    chip.core.local_memory.ports = static_cast<int>(1 + seed % 4);
    set_banks_at_random(chip, seed);
    if (seed % 4 == 0) bend_at_random(chip, seed);
  };
  CHECK(slower_than_plainly(36, bend, [](isa::Chip& chip) { chip = without_banks(chip); }) > 12);
}
