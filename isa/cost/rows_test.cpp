#include "isa/cost/rows.hpp"

#include <doctest/doctest.h>

#include <set>

#include "isa/cost/cost.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
Chip chip_with(Bytes row_size, int banks, int channels) {
  Chip chip;
  chip.global_memory.row_size = row_size;
  chip.global_memory.banks = banks;
  chip.global_memory.channels = channels;
  return chip;
}
}  // namespace

TEST_CASE("rows: do a channel's rows go round its banks?") {
  const Chip one = chip_with(1024, 4, 1);
  for (std::int64_t row = 0; row < 9; ++row) {
    CHECK(cost::memory_row(one, row * 1024) == cost::MemoryRow{static_cast<int>(row % 4), row, (row + 1) * 1024});
    CHECK(cost::memory_row(one, row * 1024 + 1023) == cost::memory_row(one, row * 1024));
  }
  // pages 0, 2, 4 .. of two channels are channel 0's: its rows 0 .. 3 in page 0, 4 .. 7 in page 2
  const Chip two = chip_with(1024, 8, 2);
  CHECK(cost::memory_row(two, 3 * 1024).bank == 3);
  CHECK(cost::memory_row(two, 8192).bank == 4);
  CHECK(cost::memory_row(two, 4096).bank == 0);
  CHECK(cost::memory_row(two, 4096 + 8192).bank == 4);
}

TEST_CASE("rows: has every row of the memory a number of its own, whatever its size and the channels?") {
  for (const Bytes size : {48, 1000, 1024, 4096, 6000, 8192})
    for (const int channels : {1, 2, 3}) {
      const Chip chip = chip_with(size, 4, channels);
      std::set<std::pair<int, std::int64_t>> seen;  // of a channel and a row
      std::set<std::int64_t> rows;
      for (std::int64_t at = 0; at < 98'304;) {
        const cost::MemoryRow row = cost::memory_row(chip, at);
        CAPTURE(at);
        REQUIRE(row.end > at);
        CHECK(cost::memory_row(chip, row.end - 1) == row);
        CHECK(row.bank >= 0);
        CHECK(row.bank < 4);
        seen.insert({cost::global_channel(chip, at), row.row});
        rows.insert(row.row);
        at = row.end;
      }
      CHECK(seen.size() == rows.size());  // no row is in two channels
      // each channel has 98304 / channels bytes, in whole rows and the rest
      const Bytes each = 98'304 / channels;
      CHECK(static_cast<Bytes>(rows.size()) == channels * ((each + size - 1) / size));
    }
}

TEST_CASE("rows: what do misses and conflicts take beside their accesses, and what is a schedule told?") {
  Chip chip = chip_with(1024, 4, 1);
  chip.global_memory.activate_cycles = 14;
  chip.global_memory.precharge_cycles = 15;
  CHECK(cost::row_cycles(chip, {100, 0, 0}) == 0);
  CHECK(cost::row_cycles(chip, {100, 3, 0}) == 3 * 14);
  CHECK(cost::row_cycles(chip, {100, 3, 2}) == 3 * 14 + 2 * 29);
  CHECK(cost::expected_rows(chip, 1024) == cost::RowAccesses{0, 0, 1});
  CHECK(cost::expected_rows(chip, 1025) == cost::RowAccesses{0, 0, 2});
  CHECK(cost::expected_rows(chip_with(0, 1, 1), 1025) == cost::RowAccesses{});
}
