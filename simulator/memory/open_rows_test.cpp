// What a load or store takes by the row that its bank holds open: every case to the cycle, ahead and in step.
#include <doctest/doctest.h>

#include "simulator/chip/random_programs_for_tests.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// plain_chip with rows of 64 bytes in two banks: 3 cycles to activate, 5 to precharge. A load of 16 bytes by core 0,
/// beside the channel: request 1 + 1, access 2, data 1 + 2, write 1: 8 cycles to an open row.
isa::Chip chip_with_rows() {
  isa::Chip c = plain_chip();
  c.global_memory.row_size = 64;
  c.global_memory.banks = 2;
  c.global_memory.activate_cycles = 3;
  c.global_memory.precharge_cycles = 5;
  return c;
}
constexpr Cycles hit = 8, miss = 8 + 3, conflict = 8 + 5 + 3;

isa::cost::RowAccesses rows_of(const isa::Program& p, const isa::Chip& chip, std::size_t channel = 0) {
  Options options;
  options.timing_only = true;
  return simulate(p, chip, options).channels.at(channel).rows;
}

}  // namespace

TEST_CASE("rows: what do a closed bank, an open row and another open row take?") {
  const isa::Chip chip = chip_with_rows();
  const char* const first = "load [0], [0], len 16";
  CHECK(ends_exactly_at(program({{first}}), chip, miss));
  CHECK(ends_exactly_at(program({{first, "load [0], [48], len 16"}}), chip, miss + hit));
  CHECK(ends_exactly_at(program({{first, "load [0], [64], len 16"}}), chip, miss + miss));       // the other bank
  CHECK(ends_exactly_at(program({{first, "load [0], [128], len 16"}}), chip, miss + conflict));  // this bank again
  // each bank keeps its own row
  CHECK(
      ends_exactly_at(program({{first, "load [0], [64], len 16", "load [0], [32], len 16", "load [0], [80], len 16"}}),
                      chip, miss + miss + hit + hit));
  // a row that was closed is opened anew
  CHECK(ends_exactly_at(program({{first, "load [0], [128], len 16", first}}), chip, miss + conflict + conflict));
}

TEST_CASE("rows: does a memory without rows take its latency and no more?") {
  isa::Chip chip = chip_with_rows();
  chip.global_memory.row_size = 0;
  const isa::Program p = program({{"load [0], [0], len 16", "load [0], [128], len 16"}});
  CHECK(ends_exactly_at(p, chip, hit + hit));
  CHECK(ends_exactly_at(p, plain_chip(), hit + hit));
  CHECK(rows_of(p, chip) == isa::cost::RowAccesses{});
}

TEST_CASE("rows: do stores and loads find the rows that the others left open?") {
  isa::Chip chip = chip_with_rows();
  chip.global_memory.write_latency_cycles = 4;
  // a store: read 1, data 1 + 2, access 4
  CHECK(ends_exactly_at(program({{"store [0], [0], len 16"}}), chip, 8 + 3));
  CHECK(ends_exactly_at(program({{"store [0], [0], len 16", "load [0], [16], len 16"}}), chip, 8 + 3 + hit));
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16", "store [128], [0], len 16"}}), chip, miss + 8 + 5 + 3));
}

TEST_CASE("rows: does one request open every row that its accesses begin in?") {
  const isa::Chip chip = chip_with_rows();
  // 128 bytes: request 2, two rows opened and eight accesses of 2, data 1 + 16, write 8
  const isa::Program two_rows = program({{"load [0], [0], len 128"}});
  CHECK(ends_exactly_at(two_rows, chip, 2 + 2 * 3 + 16 + 17 + 8));
  CHECK(rows_of(two_rows, chip) == isa::cost::RowAccesses{6, 2, 0});
  // segments 64 apart: each in another row, banks in turn: the third finds the first one's row open
  const isa::Program strided = program({{"load [0], [0] stride 64, x3 len 16"}});
  CHECK(ends_exactly_at(strided, chip, 2 + 3 + 3 + (5 + 3) + 3 * 2 + (1 + 6) + 3));
  CHECK(rows_of(strided, chip) == isa::cost::RowAccesses{0, 2, 1});
  // an access that begins in row 0 and ends in row 1 is one of row 0
  const isa::Program across = program({{"load [0], [56], len 16"}});
  CHECK(ends_exactly_at(across, chip, miss));
  CHECK(rows_of(across, chip) == isa::cost::RowAccesses{0, 1, 0});
}

TEST_CASE("rows: has each channel rows of its own, and do its pages follow each other in them?") {
  isa::Chip chip = chip_with_rows();
  chip.global_memory.channels = 2;
  chip.global_memory.attached_to = {0, 3};
  // pages 0 and 2 are channel 0's, pages 1 and 3 channel 1's; both cores sit beside theirs
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16"}, {}, {}, {"load [0], [4096], len 16"}}), chip, miss));
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16", "load [0], [8192], len 16"}}), chip, miss + conflict));
  // of rows as large as two pages, pages 0 and 2 are one, and pages 1 and 3
  chip.global_memory.row_size = 8192;
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16", "load [0], [8192], len 16"}}), chip, miss + hit));
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16", "load [0], [16384], len 16"}}), chip, miss + miss));
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16", "load [0], [32768], len 16"}}), chip, miss + conflict));
}

TEST_CASE("rows: does a request that waits find what those before it have left?") {
  const isa::Chip chip = chip_with_rows();
  // Core 0's request arrives at 2 and is served until 7. Core 1's, one hop away, arrives at 4 and waits; served from 7
  // it takes 2, or 5 + 3 + 2; its data travel 2 + 1 + 2 and are written in 1.
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16"}, {"load [0], [16], len 16"}}), chip, 7 + 2 + 5 + 1));
  CHECK(ends_exactly_at(program({{"load [0], [0], len 16"}, {"load [0], [128], len 16"}}), chip, 7 + 10 + 5 + 1));
  // by itself it would have been served from 4 on
  CHECK(ends_exactly_at(program({{}, {"load [0], [16], len 16"}}), chip, 4 + 5 + 5 + 1));
}

TEST_CASE("rows: do transfers whose addresses are data miss throughout, and leave no row that is known?") {
  const isa::Chip chip = chip_with_rows();
  // indices of 0: a request of 1 + 2 behind a read of 1; four accesses with 5 + 3 each; data 1 + 8; write 4
  const char* const gathers = "gload [0] stride 16, [0] stride 16, [256]:i32, x4 len 16, bound 4";
  constexpr Cycles gather = 1 + 3 + 4 * (2 + 5 + 3) + 9 + 4;
  CHECK(ends_exactly_at(program({{gathers}}), chip, gather));
  CHECK(ends_exactly_at(program({{gathers, "load [512], [0], len 16"}}), chip, gather + conflict));
  CHECK(ends_exactly_at(program({{gathers, "load [512], [0], len 16", "load [512], [16], len 16"}}), chip,
                        gather + conflict + hit));
  CHECK(rows_of(program({{gathers}}), chip) == isa::cost::RowAccesses{0, 0, 4});
}

TEST_CASE("rows: do registers and loops lead to the rows that they name, with values and without?") {
  const isa::Chip chip = chip_with_rows();
  // three turns, 32 bytes apart: row 0, row 0, row 1
  const Lines loop{"addr A1, base 0, strides 32 0 0 0", "loop 3, body 1", "load [0], [A1], len 16"};
  CHECK(ends_exactly_at(program({loop}), chip, 2 + miss + hit + miss));
  isa::Chip narrow = chip;
  narrow.core.window = 1;
  CHECK(ends_exactly_at(program({loop}), narrow, 2 + miss + hit + miss));
}

TEST_CASE("rows: do 54 random programs agree ahead and in step, and do rows cost them anything?") {
  CHECK(slower_than_plainly(54, set_rows_at_random, [](isa::Chip& chip) { chip.global_memory.row_size = 0; }) > 27);
}
